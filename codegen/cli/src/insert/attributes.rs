//! Attributes of types in Rust files: adding and reading them, and removing their arguments.

use std::ops::Range;

use proc_macro2::{TokenStream, TokenTree};
use syn::{Attribute, Item, Meta};

use super::RustText;

/// Returns the text with an attribute added to the struct `name`.
pub(crate) fn attribute(text: &str, name: &str, attribute: &str) -> Option<String> {
    let source = RustText::parse(text)?;
    let mut items = source.file.items.iter();
    let at = items.find_map(|item| match item {
        Item::Struct(found) if found.ident == name => Some(match found.vis {
            syn::Visibility::Inherited => source.place(&found.struct_token).start,
            _ => source.place(&found.vis).start,
        }),
        _ => None,
    })?;
    Some(source.with(at, &format!("{attribute}\n")))
}

/// Removes the arguments `keys` from the attribute `attribute` of the struct `name`. If no other
/// arguments remain, removes the attribute. Returns the new text and the removed arguments.
pub(crate) fn without_arguments(
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
        let arguments = arguments(attr);
        let is_gone = |one: &TokenStream| {
            let first = one.clone().into_iter().next();
            first.is_some_and(|first| keys.contains(&first.to_string().as_str()))
        };
        let gone = arguments.iter().filter(|one| is_gone(one));
        removed.extend(gone.map(|one| source.text(one).to_owned()));
        let Some(last_kept) = arguments.iter().rposition(|one| !is_gone(one)) else {
            let Range { start, end } = source.place(attr);
            let rest = &text[end..];
            cuts.push(start..end + rest.len() - rest.trim_start().len());
            continue;
        };
        for (at, one) in arguments.iter().enumerate() {
            let Range { start, end } = source.place(one);
            match arguments.get(at + 1).filter(|_| at < last_kept) {
                _ if !is_gone(one) => {}
                Some(next) => cuts.push(start..source.place(next).start),
                None => cuts.push(source.place(&arguments[at - 1]).end..end),
            }
        }
    }
    let mut left = text.to_owned();
    for cut in cuts.into_iter().rev() {
        left.replace_range(cut, "");
    }
    Some((left, removed))
}

fn arguments(attr: &Attribute) -> Vec<TokenStream> {
    let tokens = match &attr.meta {
        Meta::List(list) => list.tokens.clone().into_iter().collect(),
        _ => Vec::new(),
    };
    let is_comma = |token: &TokenTree| matches!(token, TokenTree::Punct(it) if it.as_char() == ',');
    let arguments = tokens.split(is_comma).filter(|one| !one.is_empty());
    arguments.map(|one| one.iter().cloned().collect()).collect()
}

/// The attributes of a struct or enum.
pub(crate) fn attributes(text: &str, name: &str) -> Vec<Attribute> {
    let items = syn::parse_file(text).map_or_else(|_| Vec::new(), |file| file.items);
    let found = items.into_iter().find_map(|item| match item {
        Item::Struct(item) if item.ident == name => Some(item.attrs),
        Item::Enum(item) if item.ident == name => Some(item.attrs),
        _ => None,
    });
    found.unwrap_or_default()
}
