//! Edits of the user's Rust files that leave all other text unchanged, and lookups in such files.
//!
//! An edit returns the new text, or the old text if nothing is to change. It returns `None` if the
//! text is not Rust or has no suitable position.

pub(crate) mod manifest;

use std::ops::Range;

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::punctuated::{Pair, Punctuated};
use syn::spanned::Spanned;
use syn::{Attribute, Expr, File, Item, Meta, Stmt, Token, UseTree};

/// A text and its syntax tree.
struct RustText<'a> {
    text: &'a str,
    file: File,
    /// The length of a byte order mark and a shebang, which spans do not count.
    skipped: usize,
}

impl<'a> RustText<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let file = syn::parse_file(text).ok()?;
        let mark = text.len() - text.trim_start_matches('\u{feff}').len();
        let shebang = file.shebang.as_ref().map_or(0, String::len);
        Some(Self {
            text,
            file,
            skipped: mark + shebang,
        })
    }

    /// The byte range of a node, including its attributes.
    fn byte_range(&self, node: &impl Spanned) -> Range<usize> {
        let Range { start, end } = node.span().byte_range();
        start + self.skipped..end + self.skipped
    }

    fn node_text(&self, node: &impl Spanned) -> &'a str {
        &self.text[self.byte_range(node)]
    }

    /// The end of a node, including a trailing comment on its line.
    fn end_with_comment(&self, node: &impl Spanned) -> usize {
        let end = self.byte_range(node).end;
        let line = self.text[end..].lines().next().unwrap_or_default();
        match line.trim_start() {
            rest if rest.starts_with("//") => end + line.len(),
            _ => end,
        }
    }

    /// The text with an insertion, which adopts the file's line endings.
    fn with_insertion(&self, at: usize, inserted: &str) -> String {
        let (before, after) = self.text.split_at(at);
        let inserted = if self.text.contains("\r\n") {
            inserted.replace('\n', "\r\n")
        } else {
            inserted.to_owned()
        };
        format!("{before}{inserted}{after}")
    }

    /// The imported paths: `a::b`, `a::*`. Imports under a `cfg` are left out.
    fn imports(&self) -> Vec<String> {
        let is_conditional = |import: &syn::ItemUse| {
            let mut attrs = import.attrs.iter();
            attrs.any(|attr| attr.path().is_ident("cfg"))
        };
        let uses = self.file.items.iter().filter_map(|item| match item {
            Item::Use(import) if !is_conditional(import) => Some(use_paths(&import.tree)),
            _ => None,
        });
        uses.flatten().collect()
    }
}

/// Adds a `mod` or `use` item on its own line, sorted among the other `mod` items, or among the
/// imports with the same visibility.
pub(crate) fn add_item(text: &str, line: &str) -> Option<String> {
    let source = RustText::parse(text)?;
    let new: Item = syn::parse_str(line).ok()?;
    if declares(&source, &new) {
        return Some(text.to_owned());
    }
    let peers: Vec<_> = source
        .file
        .items
        .iter()
        .filter(|item| is_peer(item, &new))
        .collect();
    // The new item follows the last peer that sorts before it: the user's items may be unsorted.
    let order = sort_key(&new);
    let before = peers.iter().rev().find(|peer| sort_key(peer) < order);
    let (at, inserted) = match (before, peers.first()) {
        (Some(before), _) => (source.end_with_comment(before), format!("\n{line}")),
        (None, Some(first)) => (source.byte_range(first).start, format!("{line}\n")),
        (None, None) => position_without_peers(&source, &new, line),
    };
    Some(source.with_insertion(at, &inserted))
}

/// True if the file declares or imports the item already.
fn declares(source: &RustText<'_>, new: &Item) -> bool {
    match new {
        Item::Mod(new) => find_module(source, &key_of_module(&new.ident)).is_some(),
        Item::Use(new) => {
            let known = source.imports();
            use_paths(&new.tree)
                .iter()
                .all(|path| is_imported(path, &known))
        }
        _ => false,
    }
}

/// Imports names of a module: adds missing ones to the `use` item of the module, or in a new item.
pub(crate) fn add_names(text: &str, module: &str, names: &[&str]) -> Option<String> {
    let source = RustText::parse(text)?;
    let known = source.imports();
    let missing = names
        .iter()
        .copied()
        .filter(|name| !is_imported(&format!("{module}::{name}"), &known))
        .collect::<Vec<_>>()
        .join(", ");
    if missing.is_empty() {
        return Some(text.to_owned());
    }
    let start = format!("{module}::{{");
    let list = source.file.items.iter().find_map(|item| match item {
        Item::Use(import) => {
            let tree = source.byte_range(&import.tree);
            source.text[tree.clone()]
                .starts_with(&start)
                .then_some(tree)
        }
        _ => None,
    });
    match list {
        Some(list) => {
            Some(source.with_insertion(list.start + start.len(), &format!("{missing}, ")))
        }
        None => add_item(text, &format!("use {start}{missing}}};")),
    }
}

/// Adapts the imports of a file to another folder: a leading `super` becomes `above`, the path of
/// the former parent module. An import stays unchanged if it begins with `super::super`, or if the
/// new parent module has one of the imported names (`is_there`).
pub(crate) fn rebase_imports(
    text: &str,
    above: &str,
    mut is_there: impl FnMut(&str) -> bool,
) -> Option<String> {
    let source = RustText::parse(text)?;
    let mut moved = text.to_owned();
    for item in source.file.items.iter().rev() {
        let Item::Use(import) = item else { continue };
        let UseTree::Path(tree) = &import.tree else {
            continue;
        };
        let names = use_paths(&tree.tree);
        let mut first = names.iter().filter_map(|path| path.split("::").next());
        if tree.ident == "super" && !first.any(|name| name == "super" || is_there(name)) {
            moved.replace_range(source.byte_range(&tree.ident), above);
        }
    }
    Some(moved)
}

/// True if a path, or a glob of its module, is imported.
fn is_imported(path: &str, known: &[String]) -> bool {
    let all = path
        .rsplit_once("::")
        .map(|(module, _)| format!("{module}::*"));
    known
        .iter()
        .any(|it| it == path || Some(it) == all.as_ref())
}

/// The paths of a `use` item.
fn use_paths(tree: &UseTree) -> Vec<String> {
    match tree {
        UseTree::Path(path) => {
            let below = use_paths(&path.tree).into_iter();
            let whole = below.map(|below| match below.as_str() {
                // `a::{self}` imports `a`.
                "self" => path.ident.to_string(),
                _ => format!("{}::{below}", path.ident),
            });
            whole.collect()
        }
        UseTree::Name(name) => vec![name.ident.to_string()],
        UseTree::Rename(rename) => vec![format!("{} as {}", rename.ident, rename.rename)],
        UseTree::Glob(_) => vec!["*".to_owned()],
        UseTree::Group(group) => group.items.iter().flat_map(use_paths).collect(),
    }
}

/// The position and text of a new `mod` item or import, if the file has no peer of it. Blank lines
/// separate the item from others, and `mod` items come before imports.
fn position_without_peers(source: &RustText<'_>, new: &Item, line: &str) -> (usize, String) {
    let text = source.text;
    let mut modules = source.file.items.iter().rev();
    let last = modules.find(|item| matches!(item, Item::Mod(module) if module.content.is_none()));
    if let (Item::Use(_), Some(last)) = (new, last) {
        return (source.end_with_comment(last), format!("\n\n{line}"));
    }
    match source.file.items.first() {
        Some(first) => (source.byte_range(first).start, format!("{line}\n\n")),
        None if text.trim().is_empty() => (text.len(), format!("{line}\n")),
        None => (text.trim_end().len(), format!("\n\n{line}")),
    }
}

/// True if `item` and `new` are sorted together.
fn is_peer(item: &Item, new: &Item) -> bool {
    let is_public = |vis: &syn::Visibility| matches!(vis, syn::Visibility::Public(_));
    match (item, new) {
        (Item::Mod(module), Item::Mod(_)) => module.content.is_none(),
        (Item::Use(old), Item::Use(new)) => is_public(&old.vis) == is_public(&new.vis),
        _ => false,
    }
}

/// The sort key of a `mod` item or an import.
fn sort_key(item: &Item) -> String {
    match item {
        Item::Mod(module) => key_of_module(&module.ident),
        Item::Use(import) => use_paths(&import.tree)
            .into_iter()
            .next()
            .unwrap_or_default(),
        _ => String::new(),
    }
}

fn key_of_module(ident: &syn::Ident) -> String {
    ident.to_string().trim_start_matches("r#").to_owned()
}

/// The declaration of a module.
fn find_module<'a>(source: &'a RustText<'_>, name: &str) -> Option<&'a syn::ItemMod> {
    source.file.items.iter().find_map(|item| match item {
        Item::Mod(module) if key_of_module(&module.ident) == name => Some(module),
        _ => None,
    })
}

/// True if a module is declared without a file of its own name: inline, or with `#[path]`.
pub(crate) fn has_inline_or_path_module(text: &str, name: &str) -> bool {
    let name = name.trim_start_matches("r#");
    RustText::parse(text).is_some_and(|source| {
        find_module(&source, name).is_some_and(|module| {
            let mut attrs = module.attrs.iter();
            module.content.is_some() || attrs.any(|attr| attr.path().is_ident("path"))
        })
    })
}

/// Adds an element to the `vec![…]` that is the last expression of a function.
pub(crate) fn add_element(text: &str, function: &str, element: &str) -> Option<String> {
    let source = RustText::parse(text)?;
    let list = match last_statement(&source.file, function)? {
        Stmt::Expr(Expr::Macro(list), None) => &list.mac,
        Stmt::Macro(list) => &list.mac,
        _ => return None,
    };
    if !list.path.is_ident("vec") {
        return None;
    }
    let parser = Punctuated::<Expr, Token![,]>::parse_terminated;
    let elements = list.parse_body_with(parser).ok()?;
    let mut known = elements
        .iter()
        .map(|known| without_spaces(&known.to_token_stream().to_string()));
    if known.any(|known| known == element) {
        return Some(text.to_owned());
    }
    let (at, inserted) = match elements.pairs().next_back() {
        None => {
            let open = source.byte_range(&list.delimiter.span().open()).end;
            (open, element.to_owned())
        }
        Some(Pair::Punctuated(_, comma)) => (source.byte_range(comma).end, format!(" {element},")),
        Some(Pair::End(last)) => (source.byte_range(last).end, format!(", {element}")),
    };
    Some(source.with_insertion(at, &inserted))
}

/// Adds a method call to the last expression of a function.
pub(crate) fn add_call(text: &str, function: &str, call: &str) -> Option<String> {
    let source = RustText::parse(text)?;
    let Stmt::Expr(chain, None) = last_statement(&source.file, function)? else {
        return None;
    };
    // Compares tokens, so that a call in a comment is not found.
    let written = chain.to_token_stream().to_string();
    if without_spaces(&written).contains(&without_spaces(call)) {
        Some(text.to_owned())
    } else {
        Some(source.with_insertion(source.byte_range(chain).end, call))
    }
}

/// The last statement of a function.
fn last_statement<'a>(file: &'a File, function: &str) -> Option<&'a Stmt> {
    let mut items = file.items.iter();
    items.find_map(|item| match item {
        Item::Fn(found) if found.sig.ident == function => found.block.stmts.last(),
        _ => None,
    })
}

/// Removes whitespace and trailing commas, so that calls compare equal however they are formatted.
fn without_spaces(text: &str) -> String {
    let text: String = text.split_whitespace().collect();
    text.replace(",)", ")")
}

/// Adds items at the end, but before a test module.
pub(crate) fn add_items(text: &str, items: &str) -> Option<String> {
    let source = RustText::parse(text)?;
    let last = source.file.items.last();
    let tests = last.filter(|item| {
        matches!(item, Item::Mod(module) if module.attrs.iter().any(|attr| attr.path().is_ident("cfg")))
    });
    Some(match tests {
        Some(tests) => source.with_insertion(
            source.byte_range(tests).start,
            &format!("{}\n\n", items.trim()),
        ),
        None => source.with_insertion(text.trim_end().len(), &format!("\n\n{}", items.trim())),
    })
}

/// The names of the structs and enums of a file.
pub(crate) fn type_names(text: &str) -> Vec<String> {
    let items = syn::parse_file(text).map_or_else(|_| Vec::new(), |file| file.items);
    let names = items.iter().filter_map(|item| match item {
        Item::Struct(item) => Some(item.ident.to_string()),
        Item::Enum(item) => Some(item.ident.to_string()),
        _ => None,
    });
    names.collect()
}

/// The items of a file that define the type `name` or implement traits for it, as tokens that
/// compare equal however they are formatted.
pub(crate) fn items_of_type(text: &str, name: &str) -> Vec<String> {
    let items = syn::parse_file(text).map_or_else(|_| Vec::new(), |file| file.items);
    let of_type = items.iter().filter(|item| match item {
        Item::Struct(item) => item.ident == name,
        Item::Impl(item) => match &*item.self_ty {
            syn::Type::Path(path) => path.path.is_ident(name),
            _ => false,
        },
        _ => false,
    });
    of_type
        .map(|item| without_spaces(&item.to_token_stream().to_string()))
        .collect()
}

pub(crate) fn has_constant(text: &str, name: &str) -> bool {
    let items = syn::parse_file(text).map_or_else(|_| Vec::new(), |file| file.items);
    items
        .iter()
        .any(|item| matches!(item, Item::Const(item) if item.ident == name))
}

/// True if the file imports the path without a `cfg`.
pub(crate) fn has_import(text: &str, path: &str) -> bool {
    RustText::parse(text).is_some_and(|source| source.imports().iter().any(|it| it == path))
}

/// Returns the text with an attribute added to the struct `name`.
pub(crate) fn add_attribute(text: &str, name: &str, attribute: &str) -> Option<String> {
    let source = RustText::parse(text)?;
    let mut items = source.file.items.iter();
    let at = items.find_map(|item| match item {
        Item::Struct(found) if found.ident == name => Some(match found.vis {
            syn::Visibility::Inherited => source.byte_range(&found.struct_token).start,
            _ => source.byte_range(&found.vis).start,
        }),
        _ => None,
    })?;
    Some(source.with_insertion(at, &format!("{attribute}\n")))
}

/// Removes the arguments `keys` from the attribute `attribute` of the struct `name`. If no other
/// arguments remain, removes the attribute. Returns the new text and the removed arguments.
pub(crate) fn remove_arguments(
    text: &str,
    name: &str,
    attribute: &str,
    keys: &[&str],
) -> Option<(String, Vec<String>)> {
    let source = RustText::parse(text)?;
    let mut items = source.file.items.iter();
    let attrs = items.find_map(|item| match item {
        Item::Struct(found) if found.ident == name => Some(&found.attrs),
        _ => None,
    })?;
    let mut cuts: Vec<Range<usize>> = Vec::new();
    let mut removed = Vec::new();
    for attr in attrs.iter().filter(|it| it.path().is_ident(attribute)) {
        let arguments = split_arguments(attr);
        let is_gone = |one: &TokenStream| {
            let first = one.clone().into_iter().next();
            first.is_some_and(|first| keys.contains(&first.to_string().as_str()))
        };
        let gone = arguments.iter().filter(|one| is_gone(one));
        removed.extend(gone.map(|one| source.node_text(one).to_owned()));
        let Some(last_kept) = arguments.iter().rposition(|one| !is_gone(one)) else {
            let Range { start, end } = source.byte_range(attr);
            let rest = &text[end..];
            cuts.push(start..end + rest.len() - rest.trim_start().len());
            continue;
        };
        for (at, one) in arguments.iter().enumerate() {
            let Range { start, end } = source.byte_range(one);
            match arguments.get(at + 1).filter(|_| at < last_kept) {
                _ if !is_gone(one) => {}
                Some(next) => cuts.push(start..source.byte_range(next).start),
                None => cuts.push(source.byte_range(&arguments[at - 1]).end..end),
            }
        }
    }
    let mut left = text.to_owned();
    for cut in cuts.into_iter().rev() {
        left.replace_range(cut, "");
    }
    Some((left, removed))
}

fn split_arguments(attr: &Attribute) -> Vec<TokenStream> {
    let tokens = match &attr.meta {
        Meta::List(list) => list.tokens.clone().into_iter().collect(),
        _ => Vec::new(),
    };
    let is_comma = |token: &TokenTree| matches!(token, TokenTree::Punct(it) if it.as_char() == ',');
    let arguments = tokens.split(is_comma).filter(|one| !one.is_empty());
    arguments.map(|one| one.iter().cloned().collect()).collect()
}

/// The attributes of a struct or enum.
pub(crate) fn type_attributes(text: &str, name: &str) -> Vec<Attribute> {
    let items = syn::parse_file(text).map_or_else(|_| Vec::new(), |file| file.items);
    let found = items.into_iter().find_map(|item| match item {
        Item::Struct(item) if item.ident == name => Some(item.attrs),
        Item::Enum(item) if item.ident == name => Some(item.attrs),
        _ => None,
    });
    found.unwrap_or_default()
}

#[cfg(test)]
mod tests;
