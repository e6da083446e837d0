//! Source of a crate: its import graph and its types.
//!
//! An edge is a `use` or a path outside of tests. It leads to the file that defines the item, not
//! to a module that re-exports it. A module that re-exports an item from below does not import it,
//! unless it uses the item itself. The crate's root is `lib`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use syn::visit::{self, Visit};
use syn::{Attribute, Ident, Item, ItemMod, ItemUse, UseTree, Visibility};

/// Node for the modules of the standard library that do I/O.
pub(crate) const IO: &str = "io";

/// Modules of the standard library that do I/O, each with its items that do none.
const IO_MODULES: [(&str, &[&str]); 4] = [
    ("env", &["consts"]),
    ("fs", &[]),
    ("net", &["IpAddr", "Ipv4Addr", "Ipv6Addr", "SocketAddr"]),
    ("process", &["ExitCode", "ExitStatus"]),
];

/// Names of modules, such as `emit::yaml`, with those that they import.
pub(crate) type Edges = BTreeMap<String, BTreeSet<String>>;

/// Segments below the crate: `["emit", "yaml"]`.
type ModulePath = Vec<String>;

/// The source files of a crate.
pub(crate) struct Crate {
    files: Vec<(ModulePath, syn::File)>,
    /// The modules that have a file.
    modules: BTreeSet<ModulePath>,
    /// Re-exported names, with what they stand for.
    exports: BTreeMap<ModulePath, ModulePath>,
}

impl Crate {
    pub(crate) fn read(root: &Path) -> Self {
        let mut paths = Vec::new();
        sources(root, &mut paths);
        let files: Vec<_> = paths
            .iter()
            .map(|path| {
                let text = fs::read_to_string(path).unwrap();
                let module = module_of(path.strip_prefix(root).unwrap());
                (module, syn::parse_file(&text).unwrap())
            })
            .collect();
        let mut krate = Self {
            modules: files.iter().map(|(module, _)| module.clone()).collect(),
            files,
            exports: BTreeMap::new(),
        };
        krate.exports = krate.exports();
        krate
    }

    fn exports(&self) -> BTreeMap<ModulePath, ModulePath> {
        let mut exports = BTreeMap::new();
        for (module, file) in &self.files {
            for item in &file.items {
                if let Item::Use(item) = item
                    && is_export(item)
                {
                    leaves(&item.tree, &mut Vec::new(), &mut |name, path| {
                        if let (Some(name), Some(path)) = (name, self.absolute(module, path)) {
                            exports.insert(joined(module, name), path);
                        }
                    });
                }
            }
        }
        exports
    }

    /// The imports of every file.
    pub(crate) fn edges(&self) -> Edges {
        let mut edges = Edges::new();
        for (from, mut contents) in self.contents() {
            contents.imports.remove(&from);
            edges.entry(from).or_default().extend(contents.imports);
        }
        edges
    }

    /// The names of all types and traits, with the modules that define them.
    pub(crate) fn types(&self) -> BTreeMap<String, Vec<String>> {
        let mut types = BTreeMap::<String, Vec<String>>::new();
        for (module, contents) in self.contents() {
            for name in contents.types {
                types.entry(name).or_default().push(module.clone());
            }
        }
        types
    }

    /// The modules with a file that is not there for tests alone.
    fn contents(&self) -> impl Iterator<Item = (String, Contents<'_>)> {
        let tests: Vec<_> = self
            .files
            .iter()
            .flat_map(|(module, file)| test_modules(module, &file.items))
            .collect();
        let files = self
            .files
            .iter()
            .filter(move |(module, _)| !tests.iter().any(|test| module.starts_with(test)));
        files.map(|(module, file)| {
            let mut contents = Contents {
                krate: self,
                path: module.clone(),
                imports: BTreeSet::new(),
                types: BTreeSet::new(),
            };
            contents.visit_file(file);
            (name_of(module), contents)
        })
    }

    /// What a path in `module` means, from the crate's root; `None` in another crate.
    fn absolute(&self, module: &[String], path: &[String]) -> Option<ModulePath> {
        let mut at = module.to_vec();
        let mut rest = path;
        match path.first()?.as_str() {
            "crate" => {
                at.clear();
                rest = &path[1..];
            }
            "self" => rest = &path[1..],
            "super" => {
                while let Some((first, below)) = rest.split_first()
                    && first == "super"
                {
                    at.pop();
                    rest = below;
                }
            }
            // Below this module; anything else is an item of it or another crate.
            first => {
                let below = [module, &[first.to_owned()]].concat();
                let is_module = path.len() > 1 && self.modules.contains(&below);
                if !is_module && !self.exports.contains_key(&below) {
                    return None;
                }
            }
        }
        at.extend_from_slice(rest);
        Some(at)
    }

    /// The module whose file defines what is at `path`.
    fn definition(&self, mut path: ModulePath) -> ModulePath {
        loop {
            let known = |length: &usize| self.modules.contains(&path[..*length]);
            let length = (0..=path.len()).rev().find(known).unwrap_or(0);
            let exported = path.get(..=length).and_then(|name| self.exports.get(name));
            let Some(exported) = exported else {
                path.truncate(length);
                return path;
            };
            path = [exported, &path[length + 1..]].concat();
        }
    }
}

fn sources(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// The module path of a file below the crate's root.
fn module_of(file: &Path) -> ModulePath {
    file.with_extension("")
        .iter()
        .map(|name| name.to_string_lossy().into_owned())
        .filter(|name| !matches!(name.as_str(), "lib" | "main" | "mod"))
        .collect()
}

fn name_of(module: &[String]) -> String {
    if module.is_empty() {
        return "lib".to_owned();
    }
    module.join("::")
}

/// Calls `found` with every path of a `use`, and the name that it gives to the item; a glob gives
/// none.
fn leaves(
    tree: &UseTree,
    prefix: &mut ModulePath,
    found: &mut impl FnMut(Option<&Ident>, &[String]),
) {
    match tree {
        UseTree::Path(path) => {
            prefix.push(path.ident.to_string());
            leaves(&path.tree, prefix, found);
            prefix.pop();
        }
        UseTree::Name(name) => found(Some(&name.ident), &joined(prefix, &name.ident)),
        UseTree::Rename(name) => found(Some(&name.rename), &joined(prefix, &name.ident)),
        UseTree::Glob(_) => found(None, prefix),
        UseTree::Group(group) => {
            for tree in &group.items {
                leaves(tree, prefix, found);
            }
        }
    }
}

fn joined(path: &[String], name: &Ident) -> ModulePath {
    [path, &[name.to_string()]].concat()
}

/// Modules of other files that are there for tests alone.
fn test_modules(path: &[String], items: &[Item]) -> Vec<ModulePath> {
    let modules = items.iter().filter_map(|item| match item {
        Item::Mod(module) if module.content.is_none() && is_test(&module.attrs) => {
            Some(joined(path, &module.ident))
        }
        _ => None,
    });
    modules.collect()
}

/// True for `#[cfg(test)]` and `#[cfg(all(test, …))]`.
fn is_test(attrs: &[Attribute]) -> bool {
    attrs.iter().any(|attr| {
        let tokens = attr.meta.require_list().map(|list| list.tokens.to_string());
        attr.path().is_ident("cfg")
            && tokens.is_ok_and(|tokens| tokens == "test" || tokens.starts_with("all (test"))
    })
}

/// Whether a path leads to an item of the standard library that does I/O.
fn does_io(path: &[String]) -> bool {
    let [std, module, rest @ ..] = path else {
        return false;
    };
    std == "std"
        && IO_MODULES.iter().any(|(name, pure)| {
            module == name
                && !rest
                    .first()
                    .is_some_and(|item| pure.contains(&item.as_str()))
        })
}

fn is_export(item: &ItemUse) -> bool {
    !matches!(item.vis, Visibility::Inherited)
}

/// Imports and types of one file.
struct Contents<'a> {
    krate: &'a Crate,
    /// The module that is visited.
    path: ModulePath,
    imports: BTreeSet<String>,
    types: BTreeSet<String>,
}

impl Contents<'_> {
    fn add(&mut self, path: &[String], is_export: bool) {
        if does_io(path) {
            self.imports.insert(IO.to_owned());
        } else if let Some(path) = self.krate.absolute(&self.path, path)
            && !(is_export && path.starts_with(&self.path))
        {
            self.imports.insert(name_of(&self.krate.definition(path)));
        }
    }
}

impl<'ast> Visit<'ast> for Contents<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        let name = match item {
            Item::Enum(item) => Some(&item.ident),
            Item::Struct(item) => Some(&item.ident),
            Item::Trait(item) => Some(&item.ident),
            Item::Type(item) => Some(&item.ident),
            _ => None,
        };
        self.types.extend(name.map(ToString::to_string));
        let attrs = match item {
            Item::Fn(function) => &function.attrs,
            Item::Impl(block) => &block.attrs,
            Item::Mod(module) => &module.attrs,
            Item::Use(item) => &item.attrs,
            _ => return visit::visit_item(self, item),
        };
        if !is_test(attrs) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_mod(&mut self, module: &'ast ItemMod) {
        self.path.push(module.ident.to_string());
        visit::visit_item_mod(self, module);
        self.path.pop();
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        leaves(&item.tree, &mut Vec::new(), &mut |_, path| {
            self.add(path, is_export(item));
        });
    }

    /// `pub(super)` is no import.
    fn visit_visibility(&mut self, _: &'ast Visibility) {}

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names = path.segments.iter().map(|name| name.ident.to_string());
        self.add(&names.collect::<Vec<_>>(), false);
        visit::visit_path(self, path);
    }
}
