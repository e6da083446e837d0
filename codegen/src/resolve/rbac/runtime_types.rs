//! Recognition of `genclient-controller`'s types, such as `Watch`, by the paths that a controller's
//! module uses for them.

use syn::{GenericArgument, Item, PathArguments, Type};

use crate::lookup::{Reach, Target, Wanted, is_own};
use crate::resolve::paths::Paths;
use crate::sources::{CrateId, ModuleId, Namespace, Sources, bare_name};

/// Lookup of runtime types by their paths in `module`.
pub(super) struct RuntimeTypes<'s, 'a> {
    pub(super) module: ModuleId,
    pub(super) sources: &'s Sources,
    pub(super) paths: &'s Paths<'a>,
}

/// Result of the lookup of a path.
enum Meaning<'a> {
    /// An item of another crate, or a path that does not resolve. The text is the last name of the
    /// path.
    Foreign(String),
    /// A type alias in this crate: its module and the type that it stands for.
    Alias(ModuleId, &'a Type),
    /// Any other item of this crate.
    Own,
}

impl RuntimeTypes<'_, '_> {
    /// True if the path resolves to the trait or type `name` of another crate.
    pub(super) fn is(&self, path: &syn::Path, name: &str) -> bool {
        let meaning = self.meaning(self.module, path);
        matches!(meaning, Some(Meaning::Foreign(found)) if found == name)
    }

    /// Returns `K` of a path to `Watch<K>`, and the module that names `K`. `K` is `None` for a
    /// `Watch` without an argument.
    pub(super) fn watched(&self, path: &syn::Path) -> Option<(Option<Type>, ModuleId)> {
        match self.meaning(self.module, path)? {
            Meaning::Foreign(name) if name == "Watch" => Some((argument(path), self.module)),
            Meaning::Alias(module, Type::Path(alias)) => match self.meaning(module, &alias.path)? {
                Meaning::Foreign(name) if name == "Watch" => Some((argument(&alias.path), module)),
                _ => None,
            },
            _ => None,
        }
    }

    fn meaning(&self, module: ModuleId, path: &syn::Path) -> Option<Meaning<'_>> {
        let wanted = Wanted::new(module, path, Namespace::Types);
        match self.paths.look_up(&wanted, Reach::Everywhere) {
            Some(Target::Item(id, item)) if self.sources[id.module].krate == CrateId::OWN => {
                match item {
                    Item::Type(alias) => Some(Meaning::Alias(id.module, &alias.ty)),
                    _ => Some(Meaning::Own),
                }
            }
            Some(Target::Unread(unread)) if is_own(self.sources, unread) => {
                self.paths.want(wanted);
                None
            }
            Some(Target::Foreign(path)) => path.last().cloned().map(Meaning::Foreign),
            // Other crates are not loaded for this lookup, so their re-exports are not followed.
            // The last name of the path decides.
            _ => match self.paths.look_up(&wanted, Reach::Api) {
                Some(Target::Foreign(path)) => path.last().cloned().map(Meaning::Foreign),
                _ => wanted.segments.last().cloned().map(Meaning::Foreign),
            },
        }
    }
}

/// First type argument other than `_` of a path's last segment.
fn argument(path: &syn::Path) -> Option<Type> {
    let PathArguments::AngleBracketed(arguments) = &path.segments.last()?.arguments else {
        return None;
    };
    let mut arguments = arguments.args.iter();
    arguments.find_map(|argument| match argument {
        GenericArgument::Type(ty) if !matches!(ty, Type::Infer(_)) => Some(ty.clone()),
        _ => None,
    })
}

/// Splits a path such as `Watch::<Pod>::new` into its type and the function's name.
pub(super) fn type_of_function(path: &syn::ExprPath) -> Option<(syn::Path, String)> {
    let name = bare_name(&path.path.segments.last()?.ident);
    if let Some(written) = &path.qself {
        let Type::Path(ty) = &*written.ty else {
            return None;
        };
        return (written.position == 0).then(|| (ty.path.clone(), name));
    }
    let mut ty = path.path.clone();
    ty.segments.pop();
    ty.segments.pop_punct();
    (!ty.segments.is_empty()).then_some((ty, name))
}
