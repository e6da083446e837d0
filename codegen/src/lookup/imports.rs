//! `use` items.

use syn::UseTree;

use crate::load::bare_name;

/// One name that a `use` item brings in.
pub(crate) struct Import {
    /// What stands before the name, and the name in its own module.
    pub(crate) path: Vec<String>,
    /// The name here.
    pub(crate) name: String,
    /// True for `*`, which has no name.
    pub(crate) glob: bool,
}

/// What a `use` item brings in.
pub(crate) fn imports(tree: &UseTree) -> Vec<Import> {
    let mut out = Vec::new();
    collect_imports(tree, &mut Vec::new(), &mut out);
    out
}

fn collect_imports(tree: &UseTree, prefix: &mut Vec<String>, out: &mut Vec<Import>) {
    let named = |prefix: &[String], last: String, name: String| {
        let mut path = prefix.to_vec();
        // `use a::{self}` means `a`.
        if last != "self" || path.is_empty() {
            path.push(last);
        }
        Import {
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
            collect_imports(&tree.tree, prefix, out);
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
            path: prefix.clone(),
            name: String::new(),
            glob: true,
        }),
        UseTree::Group(group) => {
            for tree in &group.items {
                collect_imports(tree, prefix, out);
            }
        }
    }
}
