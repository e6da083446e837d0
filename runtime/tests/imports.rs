//! Imports and names: neither the files nor the top-level modules of this crate import each other
//! in a circle, and no two of its types have the same name.
//!
//! A `pub use` is a name of its module and no import. An import of such a name leads to the file
//! that defines the item.

#![expect(clippy::unwrap_used, reason = "a test may fail anywhere")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use syn::visit::{self, Visit};
use syn::{Attribute, Item, ItemUse, UseTree, Visibility};

/// Segments below the crate: `["informer", "hub"]`.
type Module = Vec<String>;

type Edges = BTreeMap<Module, BTreeSet<Module>>;

/// The paths in one file.
#[derive(Default)]
struct Imports {
    used: Vec<Module>,
    /// Names that `pub use` gives to other modules, with what they stand for.
    exported: BTreeMap<String, Module>,
    /// Types that the file defines.
    types: BTreeSet<String>,
    /// Modules that are compiled for tests alone.
    tests: BTreeSet<String>,
}

#[test]
fn files_import_in_one_direction() {
    let modules = modules();
    let edges = modules.iter().map(|(module, imports)| {
        let targets = imports.used.iter();
        let targets = targets.filter_map(|path| file_of(&modules, module, path));
        (module.clone(), targets.filter(|to| to != module).collect())
    });
    let edges = edges.collect();
    assert_eq!(circle(&edges), None);
    assert_eq!(circle(&top_level(&edges)), None);
}

#[test]
fn every_type_has_a_name_of_its_own() {
    let mut places = BTreeMap::<String, Vec<String>>::new();
    for (module, imports) in modules() {
        for name in imports.types {
            places.entry(name).or_default().push(module.join("::"));
        }
    }
    places.retain(|_, modules| modules.len() > 1);
    assert!(places.is_empty(), "{places:#?}");
}

/// Every module with a file, but for tests.
fn modules() -> BTreeMap<Module, Imports> {
    let mut modules = BTreeMap::new();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    read(
        &source,
        &source.join("lib.rs"),
        &mut Vec::new(),
        &mut modules,
    );
    assert!(modules.len() > 100, "{}", modules.len());
    modules
}

/// Reads the file of `module`, and then those of the modules below `folder`.
fn read(folder: &Path, file: &Path, module: &mut Module, modules: &mut BTreeMap<Module, Imports>) {
    let mut imports = Imports::default();
    imports.visit_file(&syn::parse_file(&fs::read_to_string(file).unwrap()).unwrap());
    let tests = imports.tests.clone();
    modules.insert(module.clone(), imports);
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let inner = path.with_extension("").join("mod.rs");
        let file = if inner.is_file() {
            inner
        } else {
            path.with_extension("rs")
        };
        let is_own = ["lib", "mod"].contains(&&*name) || tests.contains(&name);
        module.push(name);
        if !is_own && file.is_file() && !modules.contains_key(module) {
            read(&path.with_extension(""), &file, module, modules);
        }
        module.pop();
    }
}

impl<'ast> Visit<'ast> for Imports {
    fn visit_item(&mut self, item: &'ast Item) {
        let name = match item {
            Item::Struct(item) => Some(&item.ident),
            Item::Enum(item) => Some(&item.ident),
            Item::Trait(item) => Some(&item.ident),
            Item::Type(item) => Some(&item.ident),
            _ => None,
        };
        self.types.extend(name.map(ToString::to_string));
        let attributes = match item {
            Item::Mod(module) => &module.attrs,
            Item::Impl(block) => &block.attrs,
            Item::Fn(function) => &function.attrs,
            _ => return visit::visit_item(self, item),
        };
        if !attributes.iter().any(is_for_tests) {
            return visit::visit_item(self, item);
        }
        if let Item::Mod(module) = item {
            self.tests.insert(module.ident.to_string());
        }
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        let mut paths = Vec::new();
        leaves(&item.tree, &mut Vec::new(), &mut paths);
        match item.vis {
            Visibility::Inherited => self.used.extend(paths),
            _ => {
                let named = paths.into_iter();
                let named = named.map(|path| (path.last().unwrap().clone(), path));
                self.exported.extend(named);
            }
        }
    }

    /// `pub(super)` is no import.
    fn visit_visibility(&mut self, _: &'ast Visibility) {}

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments = path.segments.iter();
        self.used
            .push(segments.map(|segment| segment.ident.to_string()).collect());
        visit::visit_path(self, path);
    }
}

fn is_for_tests(attribute: &Attribute) -> bool {
    attribute.path().is_ident("cfg")
        && attribute
            .parse_args::<syn::Path>()
            .is_ok_and(|path| path.is_ident("test"))
}

fn leaves(tree: &UseTree, path: &mut Module, out: &mut Vec<Module>) {
    match tree {
        UseTree::Path(inner) => {
            path.push(inner.ident.to_string());
            leaves(&inner.tree, path, out);
            path.pop();
        }
        UseTree::Group(group) => group.items.iter().for_each(|tree| leaves(tree, path, out)),
        UseTree::Name(name) => out.push([&path[..], &[name.ident.to_string()]].concat()),
        UseTree::Rename(name) => out.push([&path[..], &[name.ident.to_string()]].concat()),
        UseTree::Glob(_) => out.push(path.clone()),
    }
}

/// The module with the file that defines what `path` means in `module`; `None` in another crate.
fn file_of(
    modules: &BTreeMap<Module, Imports>,
    module: &Module,
    path: &[String],
) -> Option<Module> {
    let mut found = module.clone();
    let mut rest = path;
    match &*path[0] {
        "crate" => found.clear(),
        "self" => {}
        "super" => {
            found.pop();
        }
        first => {
            found.push(first.to_owned());
            modules.get(&found)?;
        }
    }
    rest = &rest[1..];
    while let Some((segment, after)) = rest.split_first() {
        if segment == "super" {
            found.pop();
        } else if modules.contains_key(&[&found[..], std::slice::from_ref(segment)].concat()) {
            found.push(segment.clone());
        } else {
            let exported = modules[&found].exported.get(segment);
            let exported = exported.and_then(|path| file_of(modules, &found, path));
            return Some(exported.unwrap_or(found));
        }
        rest = after;
    }
    Some(found)
}

/// The same edges between the first segments.
fn top_level(edges: &Edges) -> Edges {
    let mut between = Edges::new();
    for (from, to) in edges
        .iter()
        .flat_map(|(from, to)| to.iter().map(move |to| (from, to)))
    {
        let (Some(from), Some(to)) = (from.first(), to.first()) else {
            continue;
        };
        let targets = between.entry(vec![from.clone()]).or_default();
        targets.extend((from != to).then(|| vec![to.clone()]));
    }
    between
}

/// One circle, as `a -> b -> a`.
fn circle(edges: &Edges) -> Option<String> {
    let mut done = BTreeSet::new();
    edges
        .keys()
        .find_map(|start| follow(edges, start, &mut Vec::new(), &mut done))
}

fn follow(
    edges: &Edges,
    at: &Module,
    way: &mut Vec<Module>,
    done: &mut BTreeSet<Module>,
) -> Option<String> {
    way.push(at.clone());
    if let Some(start) = way[..way.len() - 1].iter().position(|before| before == at) {
        let names = way[start..].iter().map(|module| module.join("::"));
        return Some(names.collect::<Vec<_>>().join(" -> "));
    }
    if !done.contains(at) {
        let targets = edges.get(at).into_iter().flatten();
        let found = targets
            .into_iter()
            .find_map(|to| follow(edges, to, way, done));
        if found.is_some() {
            return found;
        }
        done.insert(at.clone());
    }
    way.pop();
    None
}
