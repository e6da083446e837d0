//! Which module of a crate may import which: `walls.txt`, held against the sources.
//!
//! An edge is a `use` or a path outside of tests. Files of one top-level module are one node; the
//! crate's root is `lib`, and a name that it re-exports belongs to the module that has it. What
//! reaches the world counts as a module, too: see [`WORLD`].

#![expect(clippy::unwrap_used, reason = "a test may fail anywhere")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use syn::visit::{self, Visit};
use syn::{Attribute, Ident, Item, ItemMod, ItemUse, UseTree, Visibility};

/// Modules of the standard library that read or change the world.
const WORLD: [&str; 4] = ["std::env", "std::fs", "std::net", "std::process"];

type Edges = BTreeMap<String, BTreeSet<String>>;

#[test]
fn modules_import_only_what_the_walls_allow() {
    let allowed = allowed(include_str!("walls.txt"));
    assert!(!allowed.is_empty());
    let mut wrong = Vec::new();
    for (krate, allowed) in allowed {
        let found = edges(&Path::new("..").join(&krate));
        assert!(!found.is_empty(), "{krate} has no modules");
        let modules: BTreeSet<_> = found.keys().chain(allowed.keys()).collect();
        for module in modules {
            let (found, allowed) = (found.get(module), allowed.get(module));
            if found != allowed {
                let line = |edges: Option<&BTreeSet<String>>| {
                    let edges = edges.into_iter().flatten().cloned();
                    format!("{module}: {}", edges.collect::<Vec<_>>().join(" "))
                };
                wrong.push(format!(
                    "{krate}\n  allowed {}\n  found   {}",
                    line(allowed),
                    line(found)
                ));
            }
        }
        wrong.extend(circle(&found).map(|circle| format!("{krate}: {circle} is a circle")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The lines of `walls.txt`: a crate's source folder, then each module with what it imports.
fn allowed(text: &str) -> BTreeMap<String, Edges> {
    let mut crates: BTreeMap<String, Edges> = BTreeMap::new();
    let mut current = None;
    for line in text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
    {
        if let Some((module, edges)) = line.split_once(':') {
            let edges = edges.split_whitespace().map(str::to_owned).collect();
            let krate: &String = current.as_ref().unwrap();
            crates
                .get_mut(krate)
                .unwrap()
                .insert(module.to_owned(), edges);
        } else {
            crates.insert(line.to_owned(), Edges::new());
            current = Some(line.to_owned());
        }
    }
    crates
}

/// A module that leads back to itself.
fn circle(edges: &Edges) -> Option<String> {
    edges.keys().find_map(|start| {
        let mut open = vec![vec![start]];
        let mut seen = BTreeSet::new();
        while let Some(path) = open.pop() {
            let last = path[path.len() - 1];
            for next in edges.get(last).into_iter().flatten() {
                let longer = [path.as_slice(), &[next]].concat();
                if next == start {
                    let names: Vec<_> = longer.iter().map(|name| name.as_str()).collect();
                    return Some(names.join(" → "));
                }
                if seen.insert(next) {
                    open.push(longer);
                }
            }
        }
        None
    })
}

/// The imports of every top-level module of a crate.
fn edges(root: &Path) -> Edges {
    let mut files = Vec::new();
    sources(root, &mut files);
    let parsed: Vec<_> = files
        .iter()
        .map(|file| {
            let text = fs::read_to_string(file).unwrap();
            (
                module_of(file.strip_prefix(root).unwrap()),
                syn::parse_file(&text).unwrap(),
            )
        })
        .collect();
    let modules: BTreeSet<Vec<String>> = parsed.iter().map(|(path, _)| path.clone()).collect();
    let tests: Vec<_> = parsed
        .iter()
        .flat_map(|(path, file)| test_modules(path, &file.items))
        .collect();
    let roots = parsed.iter().filter(|(path, _)| path.is_empty());
    let exports = roots.flat_map(|(_, file)| exports(file)).collect();
    let mut edges = Edges::new();
    for (path, file) in &parsed {
        if tests.iter().any(|test| path.starts_with(test)) {
            continue;
        }
        let mut imports = Imports {
            path: path.clone(),
            modules: &modules,
            exports: &exports,
            found: BTreeSet::new(),
        };
        imports.visit_file(file);
        let from = top(path);
        imports.found.remove(&from);
        edges.entry(from).or_default().extend(imports.found);
    }
    edges
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
fn module_of(file: &Path) -> Vec<String> {
    let names = file.with_extension("");
    let names = names.iter().map(|name| name.to_string_lossy().into_owned());
    names
        .filter(|name| !matches!(name.as_str(), "lib" | "main" | "mod"))
        .collect()
}

/// What a crate's root re-exports: each name, with the top-level module that it is from.
fn exports(root: &syn::File) -> BTreeMap<String, String> {
    let mut names = BTreeMap::new();
    for item in &root.items {
        if let Item::Use(ItemUse {
            tree: UseTree::Path(tree),
            vis,
            ..
        }) = item
            && matches!(vis, Visibility::Public(_))
        {
            let module = tree.ident.to_string();
            names_in(&tree.tree, &mut |name| {
                names.insert(name, module.clone());
            });
        }
    }
    names
}

fn names_in(tree: &UseTree, found: &mut impl FnMut(String)) {
    match tree {
        UseTree::Path(path) => names_in(&path.tree, found),
        UseTree::Name(name) => found(name.ident.to_string()),
        UseTree::Rename(name) => found(name.rename.to_string()),
        UseTree::Glob(_) => {}
        UseTree::Group(group) => group.items.iter().for_each(|tree| names_in(tree, found)),
    }
}

fn top(path: &[String]) -> String {
    path.first().map_or("lib", String::as_str).to_owned()
}

/// Modules of other files that are there for tests alone.
fn test_modules(path: &[String], items: &[Item]) -> Vec<Vec<String>> {
    let modules = items.iter().filter_map(|item| match item {
        Item::Mod(module) if module.content.is_none() && is_test(&module.attrs) => {
            Some(joined(path, &module.ident))
        }
        _ => None,
    });
    modules.collect()
}

fn joined(path: &[String], name: &Ident) -> Vec<String> {
    [path, &[name.to_string()]].concat()
}

/// True for `#[cfg(test)]` and `#[cfg(all(test, …))]`.
fn is_test(attrs: &[Attribute]) -> bool {
    attrs.iter().any(|attr| {
        let tokens = attr.meta.require_list().map(|list| list.tokens.to_string());
        attr.path().is_ident("cfg")
            && tokens.is_ok_and(|tokens| tokens == "test" || tokens.starts_with("all (test"))
    })
}

/// Collects the imports of one file.
struct Imports<'a> {
    /// The module that is visited.
    path: Vec<String>,
    /// The modules that have a file.
    modules: &'a BTreeSet<Vec<String>>,
    /// What the crate's root re-exports, with the module of each.
    exports: &'a BTreeMap<String, String>,
    found: BTreeSet<String>,
}

impl Imports<'_> {
    /// Adds the module that a path leads to.
    fn add(&mut self, names: &[String]) {
        let world = names.get(..2).map(|names| names.join("::"));
        if let Some(world) = world.filter(|world| WORLD.contains(&world.as_str())) {
            self.found.insert(world);
            return;
        }
        let mut at = self.path.clone();
        let mut rest = names;
        match names.first().map(String::as_str) {
            Some("crate") => {
                at.clear();
                rest = &names[1..];
            }
            Some("self") => rest = &names[1..],
            Some("super") => {
                while let Some((first, below)) = rest.split_first()
                    && first == "super"
                {
                    at.pop();
                    rest = below;
                }
            }
            // A child of this module; anything else is an item or another crate.
            Some(first)
                if self
                    .modules
                    .contains(&[&at[..], &[first.to_owned()]].concat()) => {}
            _ => return,
        }
        at.extend_from_slice(rest);
        let known = |length: &usize| self.modules.contains(&at[..*length]);
        let length = (0..=at.len()).rev().find(known).unwrap_or(0);
        let exported = at.first().filter(|_| length == 0);
        let module = exported.and_then(|name| self.exports.get(name)).cloned();
        self.found
            .insert(module.unwrap_or_else(|| top(&at[..length])));
    }

    fn tree(&mut self, tree: &UseTree, prefix: &mut Vec<String>) {
        match tree {
            UseTree::Path(path) => {
                prefix.push(path.ident.to_string());
                self.tree(&path.tree, prefix);
                prefix.pop();
            }
            UseTree::Name(name) => self.add(&joined(prefix, &name.ident)),
            UseTree::Rename(name) => self.add(&joined(prefix, &name.ident)),
            UseTree::Glob(_) => self.add(prefix),
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.tree(tree, prefix);
                }
            }
        }
    }
}

impl<'ast> Visit<'ast> for Imports<'_> {
    fn visit_item_mod(&mut self, module: &'ast ItemMod) {
        if !is_test(&module.attrs) {
            self.path.push(module.ident.to_string());
            visit::visit_item_mod(self, module);
            self.path.pop();
        }
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        // A re-export of the root is no use that the root makes of a module.
        let re_exports = self.path.is_empty() && matches!(item.vis, Visibility::Public(_));
        if !is_test(&item.attrs) && !re_exports {
            self.tree(&item.tree, &mut Vec::new());
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names: Vec<_> = path
            .segments
            .iter()
            .map(|name| name.ident.to_string())
            .collect();
        if names.len() > 1 {
            self.add(&names);
        }
        visit::visit_path(self, path);
    }
}
