//! Insertion of single items into Rust files of the user: every other byte stays.

use syn::spanned::Spanned as _;
use syn::{Expr, File, Item, Stmt};

/// Adds a `mod` or `use` item on a line of its own, among those of its kind and in their order.
/// Returns the text as it is if the item is there, and `None` if the text is no Rust.
pub(super) fn item(text: &str, line: &str) -> Option<String> {
    let file = syn::parse_file(text).ok()?;
    let new: Item = syn::parse_str(line).ok()?;
    let peers: Vec<_> = file
        .items
        .iter()
        .filter(|item| is_peer(item, &new))
        .collect();
    if peers
        .iter()
        .any(|peer| name(peer, text) == name(&new, line))
    {
        return Some(text.to_owned());
    }
    let before = peers
        .iter()
        .rev()
        .find(|peer| name(peer, text) < name(&new, line));
    let (at, inserted) = match (before, peers.first()) {
        (Some(before), _) => (before.span().byte_range().end, format!("\n{line}")),
        (None, Some(first)) => (first.span().byte_range().start, format!("{line}\n")),
        (None, None) => alone(text, &file, &new, line),
    };
    Some(spliced(text, at, &inserted))
}

/// Imports names of a module: those that are missing are added to its `use` item, or in one of
/// their own. `None` if the text is no Rust.
pub(super) fn names(text: &str, module: &str, names: &[&str]) -> Option<String> {
    let file = syn::parse_file(text).ok()?;
    let start = format!("{module}::{{");
    let import = file.items.iter().find_map(|item| match item {
        Item::Use(import) => {
            let tree = import.tree.span().byte_range();
            text[tree.clone()].starts_with(&start).then_some(tree)
        }
        _ => None,
    });
    let Some(import) = import else {
        return item(text, &format!("use {start}{}}};", names.join(", ")));
    };
    let known = &text[import.clone()];
    let is_known = |name: &str| {
        known
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .any(|word| word == name)
    };
    let missing: Vec<_> = names
        .iter()
        .copied()
        .filter(|name| !is_known(name))
        .collect();
    match missing.is_empty() {
        true => Some(text.to_owned()),
        false => Some(spliced(
            text,
            import.start + start.len(),
            &format!("{}, ", missing.join(", ")),
        )),
    }
}

/// Where an item goes that is the first of its kind: modules before all else, imports after them.
fn alone(text: &str, file: &File, new: &Item, line: &str) -> (usize, String) {
    let modules = file.items.iter().rev();
    let mut modules =
        modules.filter(|item| matches!(item, Item::Mod(module) if module.content.is_none()));
    if let (Item::Use(_), Some(last)) = (new, modules.next()) {
        return (last.span().byte_range().end, format!("\n\n{line}"));
    }
    match file.items.first() {
        Some(first) => (first.span().byte_range().start, format!("{line}\n\n")),
        None if text.trim().is_empty() => (text.len(), format!("{line}\n")),
        None => (text.trim_end().len(), format!("\n\n{line}")),
    }
}

fn is_peer(item: &Item, new: &Item) -> bool {
    match (item, new) {
        (Item::Mod(module), Item::Mod(_)) => module.content.is_none(),
        (Item::Use(old), Item::Use(new)) => {
            matches!(old.vis, syn::Visibility::Public(_))
                == matches!(new.vis, syn::Visibility::Public(_))
        }
        _ => false,
    }
}

/// What items of a kind are sorted by.
fn name(item: &Item, text: &str) -> String {
    match item {
        Item::Mod(module) => module.ident.to_string(),
        Item::Use(import) => text[import.tree.span().byte_range()].to_owned(),
        _ => String::new(),
    }
}

/// Adds an element to the `vec![…]` that a function ends with. `None` if it is not written so.
pub(super) fn element(text: &str, function: &str, element: &str) -> Option<String> {
    let file = syn::parse_file(text).ok()?;
    let list = match last(&file, function)? {
        Stmt::Expr(Expr::Macro(list), None) => &list.mac,
        Stmt::Macro(list) => &list.mac,
        _ => return None,
    };
    if !list.path.is_ident("vec") {
        return None;
    }
    let delimiter = list.delimiter.span();
    let (open, close) = (
        delimiter.open().byte_range().end,
        delimiter.close().byte_range().start,
    );
    let inside = text[open..close].trim_end();
    if without_spaces(inside)
        .split(',')
        .any(|there| there == element)
    {
        return Some(text.to_owned());
    }
    let comma = match inside.is_empty() || inside.ends_with(',') {
        true => "",
        false => ", ",
    };
    Some(spliced(
        text,
        open + inside.len(),
        &format!("{comma}{element}"),
    ))
}

/// Adds a method call to the expression that a function ends with. `None` if there is none.
pub(super) fn call(text: &str, function: &str, call: &str) -> Option<String> {
    let file = syn::parse_file(text).ok()?;
    let Stmt::Expr(chain, None) = last(&file, function)? else {
        return None;
    };
    let chain = chain.span().byte_range();
    match without_spaces(&text[chain.clone()]).contains(&without_spaces(call)) {
        true => Some(text.to_owned()),
        false => Some(spliced(text, chain.end, call)),
    }
}

/// The last statement of a function.
fn last<'a>(file: &'a File, function: &str) -> Option<&'a Stmt> {
    let mut items = file.items.iter();
    items.find_map(|item| match item {
        Item::Fn(found) if found.sig.ident == function => found.block.stmts.last(),
        _ => None,
    })
}

/// The text by which calls are compared, however they are broken into lines.
fn without_spaces(text: &str) -> String {
    let text: String = text.split_whitespace().collect();
    text.replace(",)", ")")
}

/// Adds an attribute above the struct of a name. `None` if there is no such struct.
pub(super) fn attribute(text: &str, name: &str, attribute: &str) -> Option<String> {
    let file = syn::parse_file(text).ok()?;
    let at = file.items.iter().find_map(|item| match item {
        Item::Struct(found) if found.ident == name => Some(found.vis.span().byte_range().start),
        _ => None,
    })?;
    Some(spliced(text, at, &format!("{attribute}\n")))
}

/// The text without a line. `None` if it has no such line.
pub(super) fn without_line(text: &str, line: &str) -> Option<String> {
    let lines: Vec<_> = text.split_inclusive('\n').collect();
    let rest: String = lines
        .iter()
        .filter(|it| it.trim() != line)
        .copied()
        .collect();
    (rest != text).then_some(rest)
}

/// The names of the structs and enums of a file.
pub(super) fn types(text: &str) -> Vec<String> {
    let file = syn::parse_file(text).map_or_else(|_| Vec::new(), |file| file.items);
    let names = file.iter().filter_map(|item| match item {
        Item::Struct(item) => Some(item.ident.to_string()),
        Item::Enum(item) => Some(item.ident.to_string()),
        _ => None,
    });
    names.collect()
}

fn spliced(text: &str, at: usize, inserted: &str) -> String {
    let (before, after) = text.split_at(at);
    format!("{before}{inserted}{after}")
}
