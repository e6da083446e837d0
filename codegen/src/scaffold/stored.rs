//! Attributes of a kind by which a version is stored, and converted by a webhook.

use std::ops::Range;

use syn::punctuated::Punctuated;
use syn::spanned::Spanned as _;
use syn::{Item, Meta, Token};

use crate::insert;

/// The attribute of the version that is stored.
pub(super) const STORED: &str = "#[crd(storage)]";

/// The same where a webhook converts the others.
pub(super) const CONVERTED: &str = "#[crd(storage, conversion(webhook))]";

/// A `#[crd(..)]` of a struct.
struct CrdAttribute {
    place: Range<usize>,
    /// Its entries as they are written.
    entries: Vec<String>,
}

impl CrdAttribute {
    fn has(&self, key: &str) -> bool {
        self.entries.iter().any(|entry| is_key(entry, key))
    }
}

/// Stores a version, and has a webhook convert the others.
pub(super) fn store(text: &str, kind: &str) -> Option<String> {
    let attributes = attributes(text, kind)?;
    let has = |key| attributes.iter().any(|attribute| attribute.has(key));
    let added = match (has("storage"), has("conversion")) {
        (true, true) => return Some(text.to_owned()),
        (false, true) => STORED,
        (true, false) => match attributes.iter().find(|it| it.entries == ["storage"]) {
            Some(alone) => return Some(replaced(text, &alone.place, CONVERTED)),
            None => "#[crd(conversion(webhook))]",
        },
        (false, false) => CONVERTED,
    };
    insert::attribute(text, kind, added)
}

/// Stores a version no longer. `None` if its conversion has settings, which the hub has to get.
pub(super) fn unstore(text: &str, kind: &str) -> Option<String> {
    let mut text = text.to_owned();
    for attribute in attributes(&text, kind)?.iter().rev() {
        let (gone, kept): (Vec<_>, Vec<_>) = attribute
            .entries
            .iter()
            .partition(|entry| is_key(entry, "storage") || is_key(entry, "conversion"));
        if gone.is_empty() {
            continue;
        }
        let has_settings =
            |entry: &&String| !["storage", "conversion(webhook)"].contains(&entry.as_str());
        if gone.iter().any(has_settings) {
            return None;
        }
        let kept: Vec<_> = kept.into_iter().map(String::as_str).collect();
        text = match kept.is_empty() {
            true => {
                let rest = &text[attribute.place.end..];
                let space = rest.len() - rest.trim_start().len();
                replaced(
                    &text,
                    &(attribute.place.start..attribute.place.end + space),
                    "",
                )
            }
            false => replaced(
                &text,
                &attribute.place,
                &format!("#[crd({})]", kept.join(", ")),
            ),
        };
    }
    Some(text)
}

fn attributes(text: &str, kind: &str) -> Option<Vec<CrdAttribute>> {
    let file = syn::parse_file(text).ok()?;
    let attrs = file.items.iter().find_map(|item| match item {
        Item::Struct(found) if found.ident == kind => Some(&found.attrs),
        _ => None,
    })?;
    let attributes = attrs.iter().filter(|attr| attr.path().is_ident("crd"));
    let attributes = attributes.map(|attr| {
        let entries = attr.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated);
        let entries = entries.ok()?;
        let entries = entries
            .iter()
            .map(|entry| text[entry.span().byte_range()].to_owned());
        Some(CrdAttribute {
            place: attr.span().byte_range(),
            entries: entries.collect(),
        })
    });
    attributes.collect()
}

fn is_key(entry: &str, key: &str) -> bool {
    let rest = entry.strip_prefix(key);
    rest.is_some_and(|rest| !rest.starts_with(|next: char| next.is_alphanumeric() || next == '_'))
}

fn replaced(text: &str, place: &Range<usize>, by: &str) -> String {
    format!("{}{by}{}", &text[..place.start], &text[place.end..])
}
