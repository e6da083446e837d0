//! Name resolution across crates, and from the API module into the rest of its crate.

use super::{Lookup, Reach, Target, Unread};
use crate::known::is_known_crate;
use crate::sources::{CargoAnswer, CrateId, ModuleId, bare_name};

impl<'a> Lookup<'a, '_> {
    /// Resolves `crate::…`.
    pub(super) fn own_crate(&mut self, krate: CrateId, segments: &[String]) -> Option<Target<'a>> {
        let below = &segments[1..];
        let names = below.iter().map(String::as_str);
        let in_api = krate == CrateId::OWN
            && below.len() >= self.api_path.len()
            && names.zip(&self.api_path).all(|(name, api)| name == *api);
        if in_api {
            return self.walk(Target::Module(ModuleId::API), &below[self.api_path.len()..]);
        }
        if self.reach == Reach::Api {
            return Some(Target::Foreign(segments.to_vec()));
        }
        let root = self.root_of(krate);
        self.walk(root, below)
    }

    /// Resolves `super` in the API module.
    pub(super) fn above_api(&mut self, rest: &[String]) -> Option<Target<'a>> {
        if self.reach == Reach::Api {
            let (_, above) = self.api_path.split_last()?;
            let mut path = vec!["crate".to_owned()];
            path.extend(above.iter().map(|name| (*name).to_owned()));
            path.extend_from_slice(rest);
            return Some(Target::Foreign(path));
        }
        let root = self.root_of(CrateId::OWN);
        if matches!(root, Target::Module(ModuleId::API)) {
            return None;
        }
        if let Some((above, _)) = &self.sources.above_api {
            return Some(Target::Module(*above));
        }
        let (_, above) = self.api_path.split_last()?;
        let above: Vec<_> = above.iter().map(|name| (*name).to_owned()).collect();
        self.walk(root, &above)
    }

    pub(super) fn extern_crate(&mut self, module: ModuleId, name: &syn::Ident) -> Target<'a> {
        let krate = self.sources[module].krate;
        if name == "self" {
            return self.root_of(krate);
        }
        Target::Extern(krate, bare_name(name))
    }

    /// Resolves the name by which a crate refers to a dependency.
    pub(super) fn enter(&mut self, krate: CrateId, name: &str) -> Target<'a> {
        let foreign = |name: &str| Target::Foreign(vec![name.to_owned()]);
        if is_known_crate(name) || self.reach == Reach::Api {
            return foreign(name);
        }
        // A binary refers to the library of its own package as a crate.
        if krate == CrateId::OWN && name == self.sources.library {
            return self.root_of(CrateId::OWN);
        }
        let from = &self.sources[krate];
        if let Some(found) = from.dependencies.get(name) {
            let library = &self.sources[*found].name;
            return if is_known_crate(library) {
                foreign(library)
            } else {
                self.root_of(*found)
            };
        }
        let is_named = from.elsewhere.contains(name);
        match &self.sources.packages {
            // Cargo is asked even if Cargo.toml lacks the name, since the name of a library may
            // differ from the name of its package.
            CargoAnswer::Unasked if !from.elsewhere.is_empty() => Target::Unread(Unread::Packages),
            CargoAnswer::OfDefaultFeatures if is_named => Target::Unread(Unread::Packages),
            CargoAnswer::Failed(_) if is_named => Target::NoPackages,
            _ => foreign(name),
        }
    }

    fn root_of(&self, krate: CrateId) -> Target<'a> {
        match self.sources[krate].root {
            Some(root) => Target::Module(root),
            None => Target::Unread(Unread::Crate(krate)),
        }
    }
}
