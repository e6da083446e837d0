//! Paths by which modules of a client refer to the types that users write: those of their imports
//! in `kinds.rs`.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::names::any_of;
use crate::model::Model;
use crate::project::Project;

/// The module below that of the client.
pub(super) const MODULE: &str = "kinds";

/// Its file.
pub(super) const FILE: &str = "kinds.rs";

/// The types that the module `kinds` imports, with their paths in it.
#[derive(Default)]
pub(super) struct KindPaths<'m> {
    /// The path of the module: `crate::client::kinds`.
    path: String,
    /// By the path of the definition: `crate::apis::falldio::v1::GPUTask`.
    pub(super) types: BTreeMap<&'m str, ImportedType<'m>>,
}

/// A type that the module imports.
pub(super) struct ImportedType<'m> {
    /// Its path below the module: `falldio::v1::GPUTask`.
    pub(super) path: &'m str,
    /// The conditions of the import.
    pub(super) cfg: Vec<String>,
    pub(super) origin: TypeOrigin,
}

/// Where the generator has found the type.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum TypeOrigin {
    /// In the sources.
    Sources,
    /// In Cargo.toml, which states the path of the type.
    Manifest,
}

impl<'m> KindPaths<'m> {
    pub(super) fn new(model: &'m Model, project: &'m Project) -> Self {
        let path_in_api = |type_path: &'m str| {
            let below = type_path.strip_prefix(&*project.types)?;
            below.strip_prefix("::")
        };
        let origin = |type_path: &str| {
            if project.kinds.iter().any(|kind| kind.type_path == type_path) {
                TypeOrigin::Manifest
            } else {
                TypeOrigin::Sources
            }
        };
        let (mut types, mut outside) = (BTreeMap::new(), Vec::new());
        for (type_path, cfg) in conditions_by_type(model, project) {
            let origin = origin(type_path);
            match path_in_api(type_path) {
                Some(path) => {
                    types.insert(type_path, ImportedType { path, cfg, origin });
                }
                None => outside.push((type_path, cfg, origin)),
            }
        }
        for (type_path, cfg, origin) in outside {
            let path = type_path.strip_prefix("crate::").unwrap_or(type_path);
            // The module cannot import a second type of that path.
            let is_free = types
                .values()
                .all(|other| !are_in_conflict(path, other.path));
            if is_free {
                types.insert(type_path, ImportedType { path, cfg, origin });
            }
        }
        Self {
            path: format!("{}::{MODULE}", project.client.path),
            types,
        }
    }

    /// The path from which other modules import the type at `type_path`: `type_path` itself if the
    /// module `kinds` does not import it.
    pub(super) fn path<'p>(&self, type_path: &'p str) -> Cow<'p, str> {
        match self.types.get(type_path) {
            Some(imported) => Cow::Owned(format!("{}::{}", self.path, imported.path)),
            None => Cow::Borrowed(type_path),
        }
    }
}

/// Whether two items cannot both have their paths: the paths are equal, or one item is a module
/// above the other.
fn are_in_conflict(path: &str, other: &str) -> bool {
    let is_above = |above: &str, below: &str| {
        let rest = below.strip_prefix(above);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
    };
    is_above(path, other) || is_above(other, path)
}

/// The types that the client refers to, with the conditions under which it does.
fn conditions_by_type<'m>(model: &'m Model, project: &Project) -> BTreeMap<&'m str, Vec<String>> {
    let mut types: BTreeMap<_, _> = kinds(model).collect();
    let mut others: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
    for (path, cfg) in types_of_methods(model).chain(plain_types(model)) {
        if is_own(path, project) && !types.contains_key(path) {
            others.entry(path).or_default().insert(cfg);
        }
    }
    types.extend(
        others
            .into_iter()
            .map(|(path, lists)| (path, any_of(&lists))),
    );
    types
}

/// Whether a type is in the crate of the API types.
fn is_own(path: &str, project: &Project) -> bool {
    let krate = project.types.split("::").next();
    path.split_once("::").map(|(first, _)| first) == krate
}

/// The kinds, with their conditions.
fn kinds(model: &Model) -> impl Iterator<Item = (&str, Vec<String>)> {
    let with_client = model
        .resources()
        .map(|(_, _, resource)| (&*resource.type_path, resource.cfg.clone()));
    let converted = model.crds.iter().flat_map(|crd| &crd.converted);
    with_client.chain(converted.map(|version| (&*version.path, version.cfg.clone())))
}

/// The types that further methods of the clients take and return.
fn types_of_methods(model: &Model) -> impl Iterator<Item = (&str, Vec<String>)> {
    model.resources().flat_map(|(_, _, resource)| {
        let methods = resource.methods.iter();
        let paths = methods.flat_map(|method| method.input.iter().chain(&method.result));
        paths.map(|path| (&**path, resource.cfg.clone()))
    })
}

/// The types that apply configurations contain as they are.
fn plain_types(model: &Model) -> impl Iterator<Item = (&str, Vec<String>)> {
    model.apply.iter().flat_map(|module| {
        let above = model
            .apply
            .iter()
            .filter(|above| module.path.starts_with(&above.path));
        let of_modules: Vec<_> = above
            .flat_map(|module| module.cfg.iter().cloned())
            .collect();
        module.types.iter().flat_map(move |type_| {
            let of_type = [&*of_modules, &type_.cfg].concat();
            type_
                .form
                .values()
                .into_iter()
                .flat_map(move |(value, cfg)| {
                    let conditions = [&*of_type, cfg].concat();
                    let types = value.plain_types().into_iter();
                    types.map(move |type_| (&*type_.path, conditions.clone()))
                })
        })
    })
}
