//! Diagnostics for unknown and misplaced keys and arguments.

use crate::arguments::RawKey;
use crate::table::{Argument, Attribute, Key, TABLE, Within};
use crate::{Problem, Site, suggest};

/// A key that `within` does not have at that site.
pub(super) fn key(
    written: &RawKey,
    known: Option<&Attribute>,
    within: Within,
    site: Site,
) -> Problem {
    let name = &written.name;
    if let Some(entry) = known {
        return Problem::new(written.span, format!("`{name}` cannot stand {}", site.on()))
            .with_help(place(entry, site));
    }
    if let Some(entry) = elsewhere(name, within) {
        let problem = Problem::new(written.span, format!("`{name}` is no key of `{within}`"));
        return problem.with_help(format!("write `{}`", entry.example));
    }
    let candidates: Vec<_> = TABLE
        .iter()
        .filter(|entry| entry.within == within && entry.sites.contains(&site))
        .collect();
    let names: Vec<&str> = candidates.iter().map(|entry| entry.name).collect();
    let help = is_default(name, within)
        .or_else(|| suggest::help(name, &names))
        .or_else(|| translate(name).map(|meant| format!("write `{meant}`")))
        .unwrap_or_else(|| "`genclient explain` lists the keys".to_owned());
    Problem::new(written.span, format!("unknown key `{name}` in `{within}`")).with_help(help)
}

/// An argument that a key does not have.
pub(super) fn argument(written: &RawKey, of: Key, known: &[Argument]) -> Problem {
    let names: Vec<&str> = known.iter().map(|argument| argument.name).collect();
    let help = suggest::help(&written.name, &names).unwrap_or_else(|| {
        format!(
            "`{of}` has {}",
            names
                .iter()
                .map(|name| format!("`{name}`"))
                .collect::<Vec<_>>()
                .join(", ")
        )
    });
    Problem::new(
        written.span,
        format!("unknown argument `{}` of `{of}`", written.name),
    )
    .with_help(help)
}

/// The entry of that name in another attribute.
fn elsewhere(name: &str, within: Within) -> Option<&'static Attribute> {
    TABLE
        .iter()
        .find(|entry| entry.within != within && entry.name == name && entry.key() != Key::GENCLIENT)
}

fn place(entry: &Attribute, site: Site) -> String {
    let nested = matches!(site, Site::Items | Site::Values);
    match entry.sites {
        _ if nested && entry.key() == Key::NULLABLE => {
            "remove it, and make the type inside of the list or map an `Option`".to_owned()
        }
        [Site::Resource] => format!("write `{}` beside `#[genclient]`", entry.example),
        [Site::Type] => "write it on a type that has `#[derive(CrdSchema)]`".to_owned(),
        [Site::Field] => "write it on a field".to_owned(),
        sites if sites.contains(&Site::Field) => "write it on a field or a type".to_owned(),
        _ => "write it on a type".to_owned(),
    }
}

/// What is said by saying nothing.
fn is_default(name: &str, within: Within) -> Option<String> {
    let namespaced = name == "namespaced" && within == Within::Genclient;
    namespaced.then(|| "remove it: a kind is namespaced unless it says otherwise".to_owned())
}

/// Words that other tools use for the same thing.
fn translate(name: &str) -> Option<&'static str> {
    Some(match name {
        "namespaced" => "scope = \"Namespaced\"",
        "cluster" | "cluster_scoped" => "scope = \"Cluster\"",
        "shortname" | "short_name" => "short_names = [\"..\"]",
        "category" => "categories = [\"..\"]",
        "path" | "resource_name" => "plural = \"..\"",
        "served" => "unserved",
        "selectable" => "selectable_field = \"..\"",
        "rule" | "cel" | "x_validation" => "validation(rule = \"..\")",
        "length" => "min_length = 1, max_length = 1",
        "min" => "minimum = 0",
        "max" => "maximum = 1",
        "range" => "minimum = 0, maximum = 1",
        "regex" => "pattern = \"..\"",
        "x_preserve_unknown_fields" => "preserve_unknown_fields",
        "subresource" => "scale(..)",
        _ => return None,
    })
}
