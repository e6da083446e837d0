//! Name resolution by rustc's rules. A path resolves to a module, to an item, or to a path into a
//! crate that is not searched.
//!
//! Lookups read no files. For a path through an unloaded file, the result is [`Target::Unloaded`].

use syn::{Item, Visibility};

use crate::known::{is_known, is_known_crate};
use crate::sources::{
    CargoAnswer, CrateId, DefId, Import, ModuleId, ModuleState, Namespace, Sources, bare_name,
    defined_name,
};

/// A path to resolve, as written in a module.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PathLookup {
    pub(crate) module: ModuleId,
    pub(crate) segments: Vec<String>,
    /// True if the path starts with `::`.
    pub(crate) absolute: bool,
    pub(crate) namespace: Namespace,
}

impl PathLookup {
    pub(crate) fn new(module: ModuleId, path: &syn::Path, namespace: Namespace) -> Self {
        let segments = path.segments.iter();
        Self {
            module,
            segments: segments.map(|segment| bare_name(&segment.ident)).collect(),
            absolute: path.leading_colon.is_some(),
            namespace,
        }
    }
}

/// The result of resolving a path.
pub(crate) enum Target<'a> {
    /// A module, which may be unloaded.
    Module(ModuleId),
    /// An item in a module.
    Item(DefId, &'a Item),
    /// A path into a crate that is not searched, or a name of the language or the standard prelude.
    Foreign(Vec<String>),
    /// A name that only a dependency, the language or the standard prelude can define, with the
    /// crate that uses the name.
    Extern(CrateId, String),
    /// Unknown until this part of the path is read.
    Unloaded(Unloaded),
    /// Unknown: this module cannot be read.
    Unreadable(ModuleId),
    /// Unknown: cargo does not report the location of the crate.
    NoPackages,
}

/// The first part of a path that has to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unloaded {
    /// The locations of other crates, which cargo reports.
    Packages,
    /// The root file of a crate.
    Crate(CrateId),
    /// The file of a module.
    Module(ModuleId),
}

/// Reach of a lookup: the crates into which paths are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Only the API module; any other path is [`Target::Foreign`].
    Api,
    /// All crates, except known ones (`known::is_known_crate`).
    Everywhere,
}

/// Resolves a path. `types` is the path of the API module: `crate::apis`.
pub(crate) fn find_target<'a>(
    sources: &'a Sources,
    path: &PathLookup,
    types: &str,
    reach: Reach,
) -> Option<Target<'a>> {
    let mut lookup = Lookup {
        sources,
        api_path: types.split("::").skip(1).collect(),
        namespace: path.namespace,
        reach,
        visited: Vec::new(),
    };
    let target = lookup.resolve_path(path.module, &path.segments, path.absolute)?;
    Some(match target {
        Target::Extern(_, name) => Target::Foreign(vec![name]),
        target => target,
    })
}

/// Returns the first part of the path that has to be read.
pub(crate) fn next_unloaded(sources: &Sources, path: &PathLookup, types: &str) -> Option<Unloaded> {
    match find_target(sources, path, types, Reach::Everywhere)? {
        Target::Unloaded(unloaded) => Some(unloaded),
        _ => None,
    }
}

/// Returns whether `unloaded` belongs to the crate of the API types.
pub(crate) fn is_in_own_crate(sources: &Sources, unloaded: Unloaded) -> bool {
    match unloaded {
        Unloaded::Packages => false,
        Unloaded::Crate(krate) => krate == CrateId::OWN,
        Unloaded::Module(module) => sources[module].krate == CrateId::OWN,
    }
}

/// Returns the name of an item, if it is in the type namespace.
pub(crate) fn type_name(item: &Item) -> Option<String> {
    match defined_name(item)? {
        (Namespace::Types, ident) => Some(bare_name(ident)),
        (Namespace::Values, _) => None,
    }
}

fn visibility(item: &Item) -> &Visibility {
    match item {
        Item::Struct(item) => &item.vis,
        Item::Enum(item) => &item.vis,
        Item::Type(item) => &item.vis,
        Item::Const(item) => &item.vis,
        Item::Static(item) => &item.vis,
        Item::Fn(item) => &item.vis,
        Item::Use(item) => &item.vis,
        Item::ExternCrate(item) => &item.vis,
        _ => &Visibility::Inherited,
    }
}

struct Lookup<'a, 'b> {
    sources: &'a Sources,
    /// The names from the crate root to the API module.
    api_path: Vec<&'b str>,
    namespace: Namespace,
    reach: Reach,
    /// The names that are being resolved. A name that occurs again is not resolved: its imports
    /// form a cycle.
    visited: Vec<(ModuleId, String)>,
}

impl<'a> Lookup<'a, '_> {
    fn resolve_path(
        &mut self,
        module: ModuleId,
        segments: &[String],
        absolute: bool,
    ) -> Option<Target<'a>> {
        let (first, rest) = segments.split_first()?;
        let krate = self.sources[module].krate;
        if absolute {
            return self.walk(Target::Extern(krate, first.clone()), rest);
        }
        match first.as_str() {
            "self" => self.walk(Target::Module(module), rest),
            "super" => self.resolve_super(module, rest),
            "crate" => self.resolve_crate(krate, segments),
            name => {
                let target = self
                    .resolve_name(module, name, false)
                    .unwrap_or_else(|| Target::Extern(krate, name.to_owned()));
                self.walk(target, rest)
            }
        }
    }

    /// Resolves the rest of a path after `super`.
    fn resolve_super(&mut self, module: ModuleId, rest: &[String]) -> Option<Target<'a>> {
        let parent = match self.sources[module].parent {
            Some(parent) => parent,
            None if module == ModuleId::API => match self.resolve_super_of_api(rest)? {
                Target::Module(parent) => parent,
                other => return Some(other),
            },
            None => return None,
        };
        match rest.split_first() {
            Some((first, rest)) if first == "super" => self.resolve_super(parent, rest),
            _ => self.walk(Target::Module(parent), rest),
        }
    }

    fn walk(&mut self, target: Target<'a>, rest: &[String]) -> Option<Target<'a>> {
        let Some((first, below)) = rest.split_first() else {
            return Some(target);
        };
        match target {
            Target::Module(module) => {
                let next = self.resolve_name(module, first, false)?;
                self.walk(next, below)
            }
            Target::Extern(krate, name) => {
                let inside = self.resolve_dependency(krate, &name);
                self.walk(inside, rest)
            }
            Target::Foreign(mut path) => {
                path.extend_from_slice(rest);
                Some(Target::Foreign(path))
            }
            Target::Item(..) => None,
            unknown => Some(unknown),
        }
    }

    /// Resolves a single name in a module: a child, an item, an import, or a name from a glob.
    fn resolve_name(&mut self, module: ModuleId, name: &str, exported: bool) -> Option<Target<'a>> {
        match self.sources[module].content {
            ModuleState::Read => {}
            ModuleState::Unloaded(_) => return Some(Target::Unloaded(Unloaded::Module(module))),
            ModuleState::Unreadable(_) => return Some(Target::Unreadable(module)),
        }
        let mut visited = self.visited.iter();
        if visited.any(|(at, seen)| *at == module && seen == name) {
            return None;
        }
        self.visited.push((module, name.to_owned()));
        let found = self
            .find_direct(module, name, exported)
            .or_else(|| self.find_by_glob(module, name, exported));
        self.visited.pop();
        found
    }

    /// Resolves a name, ignoring glob imports. With `exported`, ignores private names as well.
    fn find_direct(&mut self, module: ModuleId, name: &str, exported: bool) -> Option<Target<'a>> {
        let sources = self.sources;
        let current = &sources[module];
        let hidden = |visibility: &Visibility| exported && !is_public(visibility);
        let children = current.children.iter().copied();
        for child in children.filter(|child| !hidden(&sources[*child].visibility)) {
            let called = match &sources.above_api {
                Some((_, api)) if child == ModuleId::API => api,
                _ => &sources[child].name,
            };
            if called == name {
                return Some(Target::Module(child));
            }
        }
        let mut items = sources.items_named(module, name, self.namespace);
        if let Some((id, item)) = items.find(|(_, item)| !hidden(visibility(item))) {
            return Some(Target::Item(id, item));
        }
        let shown = |import: &&Import| !hidden(visibility(&current.items[import.item]));
        let mut imports = sources.names(module).imports(name).filter(shown);
        imports.find_map(|import| self.resolve_import(module, import))
    }

    fn resolve_import(&mut self, module: ModuleId, import: &Import) -> Option<Target<'a>> {
        match &self.sources[module].items[import.item] {
            Item::Use(item) => {
                self.resolve_path(module, &import.path, item.leading_colon.is_some())
            }
            Item::ExternCrate(item) => Some(self.resolve_extern_crate(module, &item.ident)),
            _ => None,
        }
    }

    fn find_by_glob(&mut self, module: ModuleId, name: &str, exported: bool) -> Option<Target<'a>> {
        let krate = self.sources[module].krate;
        let mut foreign = None;
        let mut unloaded = None;
        for import in self.sources.names(module).globs() {
            if exported && !is_public(visibility(&self.sources[module].items[import.item])) {
                continue;
            }
            let target = match self.resolve_import(module, import) {
                Some(Target::Extern(krate, name)) => Some(self.resolve_dependency(krate, &name)),
                target => target,
            };
            match target {
                Some(Target::Module(inside)) => {
                    let exported = exported || self.sources[inside].krate != krate;
                    match self.resolve_name(inside, name, exported) {
                        Some(Target::Unloaded(unloaded)) if self.is_skipped(unloaded, name) => {}
                        None => {}
                        Some(target @ (Target::Unreadable(_) | Target::NoPackages)) => {
                            unloaded = unloaded.or(Some(target));
                        }
                        found => return found,
                    }
                }
                Some(Target::Unloaded(unloaded)) if self.is_skipped(unloaded, name) => {}
                Some(Target::Unloaded(unloaded)) => return Some(Target::Unloaded(unloaded)),
                Some(Target::Foreign(mut path)) => {
                    path.push(name.to_owned());
                    // The names that a foreign glob imports are unknown. Only known types are
                    // looked up in it.
                    if foreign.is_none() && is_known(&path) {
                        foreign = Some(path);
                    }
                }
                Some(target @ (Target::Unreadable(_) | Target::NoPackages)) => {
                    unloaded = unloaded.or(Some(target));
                }
                _ => {}
            }
        }
        // An unreadable glob may import any name that has no other definition.
        let unloaded = || unloaded.filter(|_| !self.has_meaning(krate, name));
        foreign.map(Target::Foreign).or_else(unloaded)
    }

    /// Returns whether a name needs no import: a crate, or a type of the language or the prelude.
    fn has_meaning(&self, krate: CrateId, name: &str) -> bool {
        let krate = &self.sources[krate];
        is_known_crate(name)
            || is_known(&[name.to_owned()])
            || krate.dependencies.contains_key(name)
            || krate.elsewhere.contains(name)
    }

    /// Returns whether a lookup of `name` skips a glob import that leads to `unloaded`. It does if
    /// `name` is a known crate or type, such as `String`, and `unloaded` is in another crate: other
    /// crates hardly ever redefine such a name, so they are not read for it.
    fn is_skipped(&self, unloaded: Unloaded, name: &str) -> bool {
        !is_in_own_crate(self.sources, unloaded)
            && (is_known_crate(name) || is_known(&[name.to_owned()]))
    }
}

/// Returns whether the visibility extends to other modules.
pub(crate) fn is_public(visibility: &Visibility) -> bool {
    !matches!(visibility, Visibility::Inherited)
}

impl<'a> Lookup<'a, '_> {
    /// Resolves `crate::…`.
    fn resolve_crate(&mut self, krate: CrateId, segments: &[String]) -> Option<Target<'a>> {
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
    pub(super) fn resolve_super_of_api(&mut self, rest: &[String]) -> Option<Target<'a>> {
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

    fn resolve_extern_crate(&mut self, module: ModuleId, name: &syn::Ident) -> Target<'a> {
        let krate = self.sources[module].krate;
        if name == "self" {
            return self.root_of(krate);
        }
        Target::Extern(krate, bare_name(name))
    }

    /// Resolves the name by which a crate refers to a dependency.
    pub(super) fn resolve_dependency(&mut self, krate: CrateId, name: &str) -> Target<'a> {
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
            CargoAnswer::Unasked if !from.elsewhere.is_empty() => {
                Target::Unloaded(Unloaded::Packages)
            }
            CargoAnswer::OfDefaultFeatures if is_named => Target::Unloaded(Unloaded::Packages),
            CargoAnswer::Failed(_) if is_named => Target::NoPackages,
            _ => foreign(name),
        }
    }

    fn root_of(&self, krate: CrateId) -> Target<'a> {
        match self.sources[krate].root {
            Some(root) => Target::Module(root),
            None => Target::Unloaded(Unloaded::Crate(krate)),
        }
    }
}
