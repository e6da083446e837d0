//! Names of a module's items and imports, collected once for all lookups.

use std::collections::BTreeMap;

use syn::{Ident, Item, UseTree};

/// The namespace that a name is looked up in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Namespace {
    /// Structs, enums and aliases.
    Types,
    /// Functions, constants and statics.
    Values,
}

/// Positions of a module's items and imports by name.
#[derive(Debug, Default)]
pub(crate) struct ModuleNames {
    types: BTreeMap<String, Vec<usize>>,
    values: BTreeMap<String, Vec<usize>>,
    imports: Vec<Import>,
    /// Positions in `imports`, by name.
    imported: BTreeMap<String, Vec<usize>>,
}

/// A name that a `use` or an `extern crate` imports.
#[derive(Debug, PartialEq)]
pub(crate) struct Import {
    /// The position of the item in its module.
    pub(crate) item: usize,
    /// The imported path; for a glob, the path before `*`.
    pub(crate) path: Vec<String>,
    /// The name that the import defines.
    pub(crate) name: String,
    /// True for a glob (`*`), which has no name.
    pub(crate) glob: bool,
}

impl ModuleNames {
    pub(crate) fn from_items(items: &[Item]) -> Self {
        let mut names = Self::default();
        for (at, item) in items.iter().enumerate() {
            if let Some((namespace, ident)) = defined_name(item) {
                let named = match namespace {
                    Namespace::Types => &mut names.types,
                    Namespace::Values => &mut names.values,
                };
                named.entry(bare_name(ident)).or_default().push(at);
            }
            names.imports.extend(item_imports(at, item));
        }
        for (at, import) in names.imports.iter().enumerate() {
            if !import.glob {
                let named = names.imported.entry(import.name.clone());
                named.or_default().push(at);
            }
        }
        names
    }

    /// Returns the positions of the items with this name.
    pub(crate) fn items(&self, name: &str, namespace: Namespace) -> &[usize] {
        let named = match namespace {
            Namespace::Types => &self.types,
            Namespace::Values => &self.values,
        };
        named.get(name).map_or(&[], Vec::as_slice)
    }

    /// Returns the names of the defined types, then all imported names, which may be types.
    pub(crate) fn of_types(&self) -> impl Iterator<Item = &str> {
        self.types
            .keys()
            .chain(self.imported.keys())
            .map(String::as_str)
    }

    pub(crate) fn imports(&self, name: &str) -> impl Iterator<Item = &Import> {
        let named = self.imported.get(name).into_iter().flatten();
        named.map(|at| &self.imports[*at])
    }

    pub(crate) fn globs(&self) -> impl Iterator<Item = &Import> {
        self.imports.iter().filter(|import| import.glob)
    }

    pub(crate) fn all_imports(&self) -> &[Import] {
        &self.imports
    }
}

/// Returns the name that an item defines.
pub(crate) fn defined_name(item: &Item) -> Option<(Namespace, &Ident)> {
    Some(match item {
        Item::Struct(item) => (Namespace::Types, &item.ident),
        Item::Enum(item) => (Namespace::Types, &item.ident),
        Item::Type(item) => (Namespace::Types, &item.ident),
        Item::Const(item) => (Namespace::Values, &item.ident),
        Item::Static(item) => (Namespace::Values, &item.ident),
        Item::Fn(item) => (Namespace::Values, &item.sig.ident),
        _ => return None,
    })
}

fn item_imports(at: usize, item: &Item) -> Vec<Import> {
    let mut out = Vec::new();
    match item {
        Item::Use(item) => collect_use_tree(at, &item.tree, &mut Vec::new(), &mut out),
        Item::ExternCrate(item) => {
            let known_as = item.rename.as_ref().map_or(&item.ident, |(_, name)| name);
            out.push(Import {
                item: at,
                path: vec![bare_name(&item.ident)],
                name: bare_name(known_as),
                glob: false,
            });
        }
        _ => {}
    }
    out
}

fn collect_use_tree(item: usize, tree: &UseTree, prefix: &mut Vec<String>, out: &mut Vec<Import>) {
    let named = |prefix: &[String], last: String, name: String| {
        let mut path = prefix.to_vec();
        // `use a::{self}` means `a`.
        if last != "self" || path.is_empty() {
            path.push(last);
        }
        Import {
            item,
            name: if name == "self" {
                path.last().cloned().unwrap_or_default()
            } else {
                name
            },
            path,
            glob: false,
        }
    };
    match tree {
        UseTree::Path(tree) => {
            prefix.push(bare_name(&tree.ident));
            collect_use_tree(item, &tree.tree, prefix, out);
            prefix.pop();
        }
        UseTree::Name(tree) => {
            let name = bare_name(&tree.ident);
            out.push(named(prefix, name.clone(), name));
        }
        UseTree::Rename(tree) => {
            out.push(named(
                prefix,
                bare_name(&tree.ident),
                bare_name(&tree.rename),
            ));
        }
        UseTree::Glob(_) => out.push(Import {
            item,
            path: prefix.clone(),
            name: String::new(),
            glob: true,
        }),
        UseTree::Group(group) => {
            for tree in &group.items {
                collect_use_tree(item, tree, prefix, out);
            }
        }
    }
}

/// Returns an identifier's name without `r#`.
pub fn bare_name(ident: &syn::Ident) -> String {
    let name = ident.to_string();
    name.strip_prefix("r#").map(str::to_owned).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::{ModuleNames, Namespace};

    fn names(source: &str) -> ModuleNames {
        ModuleNames::from_items(&syn::parse_file(source).unwrap().items)
    }

    #[test]
    fn every_item_of_a_name_is_found_in_order() {
        let names =
            names("struct A; const A: u8 = 1; fn f() {} enum r#type {} #[cfg(a)] type A = B;");
        for (name, namespace, items) in [
            ("A", Namespace::Types, &[0, 4][..]),
            ("A", Namespace::Values, &[1]),
            ("f", Namespace::Values, &[2]),
            ("type", Namespace::Types, &[3]),
            ("f", Namespace::Types, &[]),
            ("B", Namespace::Types, &[]),
        ] {
            assert_eq!(names.items(name, namespace), items, "{name} {namespace:?}");
        }
    }

    #[test]
    fn imports_are_found_by_their_local_name() {
        let names = names(
            "use a::{B, c::{self, D as E}}; use f::*; extern crate g as h; #[cfg(a)] use i::B; use r#type;",
        );
        for (name, items) in [
            ("B", &[0, 3][..]),
            ("c", &[0]),
            ("E", &[0]),
            ("h", &[2]),
            ("type", &[4]),
            ("D", &[]),
            ("g", &[]),
            ("", &[]),
        ] {
            let found: Vec<_> = names.imports(name).map(|import| import.item).collect();
            assert_eq!(found, items, "{name}");
        }
        let globs: Vec<_> = names.globs().map(|import| import.item).collect();
        assert_eq!(globs, [1]);
    }
}
