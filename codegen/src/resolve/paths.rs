//! Names → what they mean: items of these modules, or paths into other crates.

use std::collections::BTreeSet;

use genclient_syntax::names::ident;
use syn::{Item, UseTree, Visibility};

use super::schema::is_known;
use crate::load::{Sources, bare_name};

/// What a path leads to.
pub(super) enum Found<'a> {
    /// An item of these modules.
    Item(usize, &'a Item),
    /// A path into another crate, or a name of the language or the standard prelude.
    Foreign(Vec<String>),
}

/// Looks a path up from inside `module`. `crate_path` is how the root of `sources` is reached: `crate::apis`.
pub(super) fn find<'a>(
    sources: &'a Sources,
    module: usize,
    path: &syn::Path,
    crate_path: &str,
) -> Option<Found<'a>> {
    match look_up(sources, module, path, crate_path, item_name)? {
        Target::Item(module, item) => Some(Found::Item(module, item)),
        Target::Foreign(path) => Some(Found::Foreign(path)),
        Target::Module(_) => None,
    }
}

/// Looks a function, constant or static of these modules up, as [`find`] does types.
pub(super) fn find_value<'a>(
    sources: &'a Sources,
    module: usize,
    path: &syn::Path,
    crate_path: &str,
) -> Option<(usize, &'a Item)> {
    match look_up(sources, module, path, crate_path, value_name)? {
        Target::Item(module, item) => Some((module, item)),
        Target::Foreign(_) | Target::Module(_) => None,
    }
}

fn look_up<'a>(
    sources: &'a Sources,
    module: usize,
    path: &syn::Path,
    crate_path: &str,
    name_of: fn(&Item) -> Option<String>,
) -> Option<Target<'a>> {
    let segments: Vec<_> = path
        .segments
        .iter()
        .map(|segment| bare_name(&segment.ident))
        .collect();
    let mut lookup = Lookup {
        sources,
        crate_path,
        name_of,
        visited: BTreeSet::new(),
    };
    lookup.path(module, &segments, path.leading_colon.is_some())
}

/// A path that generated code can use for a type that is named inside `module`.
pub(super) fn type_path(
    sources: &Sources,
    module: usize,
    path: &syn::Path,
    types: &str,
) -> Option<String> {
    match find(sources, module, path, types)? {
        Found::Item(owner, item) => {
            let below = public_path(sources, owner, &item_name(item)?)?;
            Some(format!("{types}::{below}"))
        }
        Found::Foreign(path) => match &path[..] {
            // Elsewhere in the crate that the types are in, which need not be the client's.
            [first, rest @ ..] if first == "crate" => {
                let krate = types.split("::").next().unwrap_or("crate");
                Some(format!("{krate}::{}", rest.join("::")))
            }
            [_] if !is_known(&path) => None,
            path => Some(path.join("::")),
        },
    }
}

/// A path as it was written.
pub(super) fn display(path: &syn::Path) -> String {
    let names: Vec<_> = path
        .segments
        .iter()
        .map(|segment| segment.ident.to_string())
        .collect();
    names.join("::")
}

/// How the item `name` of `module` is reached from outside the root: through public modules, or through a `pub use`.
pub(super) fn public_path(sources: &Sources, module: usize, name: &str) -> Option<String> {
    let mut path = vec![name.to_owned()];
    let mut at = module;
    loop {
        let current = &sources.modules[at];
        let Some(parent) = current.parent else {
            let raw = path.iter().map(|name| ident(name).to_string());
            return Some(raw.collect::<Vec<_>>().join("::"));
        };
        if is_public(&current.visibility) {
            path.insert(0, current.name.clone());
        } else {
            let (exported, rest) = re_export(sources, parent, &current.name, &path)?;
            path = rest;
            path[0] = exported;
        }
        at = parent;
    }
}

/// Finds `pub use child::…` in `module` for what `path` names inside the private module `child`.
fn re_export(
    sources: &Sources,
    module: usize,
    child: &str,
    path: &[String],
) -> Option<(String, Vec<String>)> {
    for item in &sources.modules[module].items {
        let Item::Use(item) = item else { continue };
        if !is_public(&item.vis) {
            continue;
        }
        for import in imports(&item.tree) {
            let target = match import.path.first().map(String::as_str) {
                Some("self") => &import.path[1..],
                _ => &import.path[..],
            };
            if target.first().map(String::as_str) != Some(child) {
                continue;
            }
            let below = &target[1..];
            if import.glob && below.is_empty() {
                return Some((path[0].clone(), path.to_vec()));
            }
            let used = below.len();
            if !import.glob && used > 0 && path.starts_with(below) {
                let mut rest = path[used - 1..].to_vec();
                rest[0].clone_from(&import.name);
                return Some((import.name, rest));
            }
        }
    }
    None
}

/// True if other modules can name what has this visibility.
pub(super) fn is_public(visibility: &Visibility) -> bool {
    !matches!(visibility, Visibility::Inherited)
}

/// One name that a `use` item brings in.
struct Import {
    path: Vec<String>,
    name: String,
    glob: bool,
}

fn imports(tree: &UseTree) -> Vec<Import> {
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

/// The name of an item that can be a type.
pub(super) fn item_name(item: &Item) -> Option<String> {
    match item {
        Item::Struct(item) => Some(bare_name(&item.ident)),
        Item::Enum(item) => Some(bare_name(&item.ident)),
        Item::Type(item) => Some(bare_name(&item.ident)),
        _ => None,
    }
}

/// The name of an item that can be a value.
fn value_name(item: &Item) -> Option<String> {
    match item {
        Item::Fn(item) => Some(bare_name(&item.sig.ident)),
        Item::Const(item) => Some(bare_name(&item.ident)),
        Item::Static(item) => Some(bare_name(&item.ident)),
        _ => None,
    }
}

enum Target<'a> {
    Module(usize),
    Item(usize, &'a Item),
    Foreign(Vec<String>),
}

struct Lookup<'a, 'b> {
    sources: &'a Sources,
    crate_path: &'b str,
    /// The name of an item of the kind that is looked for.
    name_of: fn(&Item) -> Option<String>,
    /// Names being looked up, so that imports in a circle end.
    visited: BTreeSet<(usize, String)>,
}

impl<'a> Lookup<'a, '_> {
    fn path(&mut self, module: usize, segments: &[String], absolute: bool) -> Option<Target<'a>> {
        let (first, rest) = segments.split_first()?;
        if absolute {
            return Some(Target::Foreign(segments.to_vec()));
        }
        match first.as_str() {
            "self" => self.walk(Target::Module(module), rest),
            "super" => {
                let parent = self.sources.modules[module].parent?;
                self.walk_up(parent, rest)
            }
            "crate" => self.crate_path(segments),
            name => {
                let target = self
                    .name(module, name)
                    .unwrap_or_else(|| Target::Foreign(vec![name.to_owned()]));
                self.walk(target, rest)
            }
        }
    }

    fn walk_up(&mut self, module: usize, rest: &[String]) -> Option<Target<'a>> {
        match rest.split_first() {
            Some((first, rest)) if first == "super" => {
                let parent = self.sources.modules[module].parent?;
                self.walk_up(parent, rest)
            }
            _ => self.walk(Target::Module(module), rest),
        }
    }

    fn crate_path(&mut self, segments: &[String]) -> Option<Target<'a>> {
        let root: Vec<_> = self.crate_path.split("::").skip(1).collect();
        let below = segments[1..].iter();
        let inside =
            segments.len() > root.len() && below.zip(&root).all(|(segment, root)| segment == root);
        if inside {
            self.walk(Target::Module(0), &segments[1 + root.len()..])
        } else {
            Some(Target::Foreign(segments.to_vec()))
        }
    }

    fn walk(&mut self, target: Target<'a>, rest: &[String]) -> Option<Target<'a>> {
        let Some((first, rest)) = rest.split_first() else {
            return Some(target);
        };
        match target {
            Target::Module(module) => {
                let next = self.name(module, first)?;
                self.walk(next, rest)
            }
            Target::Foreign(mut path) => {
                path.push(first.clone());
                self.walk(Target::Foreign(path), rest)
            }
            Target::Item(..) => None,
        }
    }

    /// What a single name means inside a module: a child, an item, an import, or something that a glob brings in.
    fn name(&mut self, module: usize, name: &str) -> Option<Target<'a>> {
        if !self.visited.insert((module, name.to_owned())) {
            return None;
        }
        let found = self
            .direct(module, name)
            .or_else(|| self.glob(module, name));
        self.visited.remove(&(module, name.to_owned()));
        found
    }

    fn direct(&mut self, module: usize, name: &str) -> Option<Target<'a>> {
        let sources = self.sources;
        let current = &sources.modules[module];
        let children = current.children.iter();
        if let Some(child) = children
            .copied()
            .find(|child| sources.modules[*child].name == name)
        {
            return Some(Target::Module(child));
        }
        if let Some(item) = current
            .items
            .iter()
            .find(|item| (self.name_of)(item).as_deref() == Some(name))
        {
            return Some(Target::Item(module, item));
        }
        for item in &current.items {
            let Item::Use(item) = item else { continue };
            for import in imports(&item.tree) {
                if !import.glob && import.name == name {
                    return self.path(module, &import.path, item.leading_colon.is_some());
                }
            }
        }
        None
    }

    fn glob(&mut self, module: usize, name: &str) -> Option<Target<'a>> {
        let mut foreign = Vec::new();
        for item in &self.sources.modules[module].items {
            let Item::Use(item) = item else { continue };
            for import in imports(&item.tree).into_iter().filter(|import| import.glob) {
                match self.path(module, &import.path, item.leading_colon.is_some()) {
                    Some(Target::Module(target)) => {
                        if let Some(found) = self.name(target, name) {
                            return Some(found);
                        }
                    }
                    Some(Target::Foreign(mut path)) => {
                        path.push(name.to_owned());
                        foreign.push(path);
                    }
                    _ => {}
                }
            }
        }
        // What another crate's glob brings in cannot be seen; it counts only for names that are known to be there.
        foreign
            .into_iter()
            .find(|path| is_known(path))
            .map(Target::Foreign)
    }
}
