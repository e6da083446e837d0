//! Lookup of the kinds that attributes, webhooks and controllers name by their types.

use std::collections::BTreeSet;

use genclient_syntax::{Scope, TypeRef};
use syn::{GenericArgument, Item, PathArguments, Type};

use super::kind::Kind;
use super::paths::{Found, Paths, display};
use super::{kinds, kube_kinds};
use crate::diagnostic::Diagnostic;
use crate::known;
use crate::lookup::{PathLookup, Reach, Target};
use crate::sources::{ModuleId, Namespace, Sources, bare_name};

/// A kind as far as manifests name it.
#[derive(Clone, Debug, Default)]
pub(super) struct ResolvedKind {
    pub(super) group: String,
    pub(super) version: String,
    pub(super) kind: String,
    pub(super) plural: String,
    pub(super) namespaced: bool,
}

/// Reason why a type does not resolve to a kind.
pub(super) enum Unknown<'a> {
    /// The path leads through a file or crate that cannot be read.
    Unreadable(&'a Diagnostic),
    /// A module of the path does not have the next name: the error, without its place.
    Absent {
        message: String,
        help: Option<String>,
    },
    /// The type is not a known kind.
    NoKind,
}

/// Maximum length of a chain of aliases.
const MAX_ALIASES: usize = 16;

/// Lookup of kinds by their types: in the package, in the crates that it uses, and in Kubernetes.
#[derive(Clone, Copy)]
pub(super) struct KindLookup<'s, 'a> {
    /// The kinds of the package.
    pub(super) kinds: &'s [Kind<'s>],
    pub(super) sources: &'s Sources,
    pub(super) paths: &'s Paths<'a>,
}

impl<'a> KindLookup<'_, 'a> {
    /// Resolves a type of `module` to its kind. Returns `None` if files have to be loaded first, or
    /// if the type's error is reported elsewhere.
    pub(super) fn find_kind(
        &self,
        ty: &TypeRef,
        module: ModuleId,
    ) -> Result<Option<ResolvedKind>, Unknown<'a>> {
        self.find(&ty.0, module, MAX_ALIASES)
    }

    /// The error for a type of `module` that does not resolve to a kind, because of `why`. `help`
    /// says what to write instead.
    pub(super) fn unresolved_error(
        &self,
        ty: &TypeRef,
        why: Unknown<'_>,
        help: &str,
        module: ModuleId,
    ) -> Diagnostic {
        let at = self.sources[module].locate(&ty.0);
        let finding = match (why, &ty.0) {
            (Unknown::Unreadable(why), _) => why.clone().label(at, "the type is used here"),
            (Unknown::Absent { message, help: own }, _) => {
                let help = own.unwrap_or_else(|| help.to_owned());
                return Diagnostic::error(message).at(at).help(help);
            }
            (Unknown::NoKind, Type::Path(ty)) => Diagnostic::error(format!(
                "cannot determine the group and version of `{}`",
                display(&ty.path)
            ))
            .at(at),
            (Unknown::NoKind, _) => Diagnostic::error("expected the path of a kind").at(at),
        };
        match find_similar_kind(&ty.0, self.kinds) {
            Some(meant) => finding.help(format!("did you mean `{meant}`? Otherwise, {help}")),
            None => finding.help(help),
        }
    }
}

/// Returns the stable version of the built-in kind that has the bare name of the type.
pub(super) fn find_unimported_kind(ty: &TypeRef) -> Option<known::BuiltinKind> {
    let Type::Path(ty) = &ty.0 else {
        return None;
    };
    let name = ty.path.get_ident()?;
    known::BuiltinKind::all()
        .filter(|kind| name == &kind.kind)
        .min_by_key(|kind| (kind.version.contains(['a', 'b']), kind.version.clone()))
}

/// Returns the most similar name among the package's and Kubernetes' kinds. `None` if no name is
/// similar, or if the most similar name is the written one.
fn find_similar_kind(ty: &Type, kinds: &[Kind<'_>]) -> Option<String> {
    let Type::Path(ty) = ty else {
        return None;
    };
    let name = ty.path.segments.last()?.ident.to_string();
    let own = kinds.iter().map(|kind| kind.attrs.ident.to_string());
    let built_in = known::BuiltinKind::all().map(|kind| kind.kind);
    let names: Vec<_> = own.chain(built_in).collect();
    let meant = genclient_syntax::closest(&name, names.iter().map(String::as_str))?;
    (meant != name).then(|| meant.to_owned())
}

impl<'a> KindLookup<'_, 'a> {
    fn find(
        &self,
        ty: &Type,
        module: ModuleId,
        aliases: usize,
    ) -> Result<Option<ResolvedKind>, Unknown<'a>> {
        let Type::Path(ty) = ty else {
            return Err(Unknown::NoKind);
        };
        if let Some(inner) = metadata_argument(&ty.path) {
            return self.find(inner, module, aliases);
        }
        let wanted = PathLookup::new(module, &ty.path, Namespace::Types);
        if let Some(Target::Unloaded(_)) = self.paths.look_up(&wanted, Reach::Everywhere) {
            self.paths.want(wanted);
            return Ok(None);
        }
        match self.paths.find(module, &ty.path) {
            Some(Found::Item(id, Item::Type(alias))) if aliases > 0 => {
                self.find(&alias.ty, id.module, aliases - 1)
            }
            Some(Found::Item(id, item)) => self.find_item(id.module, item),
            Some(Found::Foreign(path)) => {
                let object = known::BuiltinKind::at(&path)
                    .map(resolved_from_built_in)
                    .or_else(|| self.find_root_type(&wanted));
                object.ok_or_else(|| self.absent(&wanted)).map(Some)
            }
            Some(Found::Unreadable(why)) => Err(Unknown::Unreadable(why)),
            None => {
                let object = self.find_root_type(&wanted);
                object.ok_or_else(|| self.absent(&wanted)).map(Some)
            }
        }
    }

    /// The reason why a path does not lead to an item: after a kind was renamed or its module
    /// removed, the name that is missing, with the names that its module has.
    fn absent(&self, path: &PathLookup) -> Unknown<'a> {
        let Some((module, rest)) = self.first_missing(path) else {
            return Unknown::NoKind;
        };
        let (name, place) = (&rest[0], self.paths.of_module(module));
        if rest.len() > 1 {
            let file = &self.sources[module].source.path;
            return Unknown::Absent {
                message: format!("no module `{name}` in `{place}`"),
                help: Some(format!(
                    "fix the path, or declare the module in {file}: `pub mod {name};`"
                )),
            };
        }
        if let Some(help) = self.reexport(name, module) {
            return Unknown::Absent {
                message: format!("no kind `{name}` in `{place}`"),
                help: Some(help),
            };
        }
        let there: BTreeSet<_> = self
            .kinds
            .iter()
            .filter(|kind| self.is_below(kind.id.module, module))
            .map(|kind| bare_name(&kind.attrs.ident))
            .collect();
        let similar = genclient_syntax::closest(name, there.iter().map(String::as_str));
        let meant = match similar {
            Some(similar) => vec![similar],
            None => there.iter().map(String::as_str).collect(),
        };
        Unknown::Absent {
            message: format!("no kind `{name}` in `{place}`"),
            help: (!meant.is_empty()).then(|| format!("did you mean `{}`?", meant.join("` or `"))),
        }
    }

    /// The help if a module below `module` has the kind.
    fn reexport(&self, name: &str, module: ModuleId) -> Option<String> {
        let mut kinds = self.kinds.iter();
        let kind = kinds.find(|kind| {
            self.is_below(kind.id.module, module) && bare_name(&kind.attrs.ident) == name
        })?;
        let (above, path) = (
            self.paths.of_module(module),
            self.paths.of_module(kind.id.module),
        );
        let below = path.strip_prefix(&format!("{above}::"))?;
        let file = &self.sources[module].source.path;
        Some(format!(
            "re-export it in {file}: `pub use {below}::{name};`"
        ))
    }

    /// The last module of a path that exists, with the rest of the path.
    fn first_missing(&self, path: &PathLookup) -> Option<(ModuleId, Vec<String>)> {
        let (first, below) = path.segments.split_first()?;
        let mut imports = self.sources.names(path.module).imports(first);
        let segments = match imports.next() {
            Some(import) => [&import.path[..], below].concat(),
            None => path.segments.clone(),
        };
        (1..segments.len()).rev().find_map(|length| {
            let above = PathLookup {
                segments: segments[..length].to_vec(),
                ..path.clone()
            };
            match self.paths.look_up(&above, Reach::Everywhere)? {
                Target::Module(module) => Some((module, segments[length..].to_vec())),
                _ => None,
            }
        })
    }

    /// True if `module` is `above` or a module below it.
    fn is_below(&self, module: ModuleId, above: ModuleId) -> bool {
        let mut at = Some(module);
        while let Some(module) = at {
            if module == above {
                return true;
            }
            at = self.sources[module].parent;
        }
        false
    }

    fn find_root_type(&self, path: &PathLookup) -> Option<ResolvedKind> {
        kube_kinds::find_by_root_type(path, self.kinds, self.sources, self.paths)
            .map(resolved_from_kind)
    }

    fn find_item(
        &self,
        module: ModuleId,
        item: &Item,
    ) -> Result<Option<ResolvedKind>, Unknown<'a>> {
        let Item::Struct(item) = item else {
            return Err(Unknown::NoKind);
        };
        let is_meant =
            |kind: &&Kind<'_>| kind.id.module == module && kind.attrs.ident == item.ident;
        let of_kube = |kind: &Kind<'_>| kind.kube.is_some();
        match self.kinds.iter().find(is_meant) {
            Some(kind) if !of_kube(kind) => Ok(Some(resolved_from_kind(kind))),
            _ => match kinds::read_foreign_kind(self.sources, module, item) {
                Some((attrs, version)) => Ok(Some(ResolvedKind {
                    group: attrs.group.value,
                    version,
                    kind: attrs.kind.value,
                    plural: attrs.plural.value,
                    namespaced: attrs.scope == Scope::Namespaced,
                })),
                // Errors of the type are reported where it is defined.
                None if genclient_syntax::is_resource(&item.attrs) => Ok(None),
                None => Err(Unknown::NoKind),
            },
        }
    }
}

fn resolved_from_kind(kind: &Kind<'_>) -> ResolvedKind {
    let attrs = &kind.attrs;
    ResolvedKind {
        group: attrs.group.value.clone(),
        version: kind.version.value.clone(),
        kind: attrs.kind.value.clone(),
        plural: attrs.plural.value.clone(),
        namespaced: attrs.scope == Scope::Namespaced,
    }
}

fn resolved_from_built_in(kind: known::BuiltinKind) -> ResolvedKind {
    ResolvedKind {
        group: kind.group.to_owned(),
        version: kind.version,
        kind: kind.kind,
        plural: kind.plural,
        namespaced: kind.namespaced,
    }
}

/// Returns `K` of a `PartialObjectMeta<K>`.
fn metadata_argument(path: &syn::Path) -> Option<&Type> {
    let last = path
        .segments
        .last()
        .filter(|last| last.ident == "PartialObjectMeta")?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return None;
    };
    match arguments.args.first()? {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    }
}
