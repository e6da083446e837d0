//! `use` and `extern crate` items.

use syn::{Item, UseTree};

use super::bare_name;

/// One name that an item brings in from elsewhere.
#[derive(Debug, PartialEq)]
pub(crate) struct Import {
    /// Which of the module's items it stands in.
    pub(crate) item: usize,
    /// What stands before the name, and the name in its own module.
    pub(crate) path: Vec<String>,
    /// The name here.
    pub(crate) name: String,
    /// True for `*`, which has no name.
    pub(crate) glob: bool,
}

/// What the item number `at` of a module brings in.
pub(super) fn imports(at: usize, item: &Item) -> Vec<Import> {
    let mut out = Vec::new();
    match item {
        Item::Use(item) => collect(at, &item.tree, &mut Vec::new(), &mut out),
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

fn collect(item: usize, tree: &UseTree, prefix: &mut Vec<String>, out: &mut Vec<Import>) {
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
            collect(item, &tree.tree, prefix, out);
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
                collect(item, tree, prefix, out);
            }
        }
    }
}
