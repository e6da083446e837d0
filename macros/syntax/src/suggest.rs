//! Suggestions for misspelt names.

use std::fmt;

use heck::ToSnakeCase;

use crate::Help;

/// Returns the candidate that is closest to the misspelt `name`. Case and underscores do not count.
/// At most a third of the letters may differ, or one letter of a short name. If no candidate is
/// that close, returns the candidate that starts with `name`, if there is exactly one.
pub fn closest<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let name = name.to_snake_case();
    let limit = (name.len() / 3).max(1);
    let candidates: Vec<_> = candidates.into_iter().collect();
    let distances = candidates
        .iter()
        .map(|candidate| (edit_distance(&name, candidate), *candidate));
    distances
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
        .or_else(|| only_longer(&name, &candidates))
}

/// Returns the only candidate that starts with all words of `name`: `list_map_keys` for `list_map`.
/// If there is none and `name` has at least three letters, returns the only candidate that starts
/// with these letters: `min_length` for `min_len`.
fn only_longer<'c>(name: &str, candidates: &[&'c str]) -> Option<&'c str> {
    let only = |start: &str| {
        let mut longer = candidates
            .iter()
            .filter(|candidate| candidate.to_snake_case().starts_with(start));
        let only = longer.next()?;
        longer.next().is_none().then_some(*only)
    };
    only(&format!("{name}_")).or_else(|| only(name).filter(|_| name.len() >= 3))
}

/// The help line for a name that no field has: the most similar field, or the first eight fields.
pub fn field<'c>(name: &str, fields: impl IntoIterator<Item = &'c str>) -> Help {
    let fields: Vec<&str> = fields.into_iter().collect();
    match closest(name, fields.iter().copied()) {
        Some(meant) => Help::did_you_mean(name, meant),
        None if fields.is_empty() => "the type has no fields".into(),
        None => available(&fields).into(),
    }
}

/// Lists the first eight fields.
pub fn available(fields: &[impl fmt::Display]) -> String {
    let shown = fields.iter().take(8).map(|field| format!("`{field}`"));
    let more = if fields.len() > 8 { ", …" } else { "" };
    let shown: Vec<_> = shown.collect();
    format!("available fields are {}{more}", shown.join(", "))
}

/// Edit distance without underscores, so that `shortnames` equals `short_names`.
fn edit_distance(name: &str, candidate: &str) -> usize {
    strsim::osa_distance(
        &name.replace('_', ""),
        &candidate.to_snake_case().replace('_', ""),
    )
}

/// The help line for a name that is not among `candidates`, or `None` if no candidate is close.
pub(crate) fn help(name: &str, candidates: &[&str]) -> Option<Help> {
    closest(name, candidates.iter().copied()).map(|meant| Help::did_you_mean(name, meant))
}

/// Returns the candidate that `name` likely misspells, for names that are not in snake case, such
/// as `x-kubernetes-list-type`.
pub(crate) fn similar<'c>(name: &str, candidates: &[&'c str]) -> Option<&'c str> {
    let limit = (name.len() / 3).max(1);
    candidates
        .iter()
        .map(|candidate| (strsim::osa_distance(name, candidate), *candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// The help line for a string that is not one of `names`.
pub fn value(text: &str, names: &[&str]) -> Help {
    let synonym = json_type_synonym(text).filter(|meant| names.contains(meant));
    match closest(text, names.iter().copied()).or(synonym) {
        Some(meant) => Help::did_you_mean(text, meant),
        None => format!("write {}", one_of(names)).into(),
    }
}

/// Returns the JSON type that other languages call `name`: `integer` for `int`.
fn json_type_synonym(name: &str) -> Option<&'static str> {
    Some(match name {
        "int" => "integer",
        "str" | "text" => "string",
        "bool" => "boolean",
        "float" => "number",
        "list" => "array",
        "map" => "object",
        _ => return None,
    })
}

/// `"a"`, `"b"` or `"c"`, each in quotes and backticks.
pub(crate) fn one_of(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("{name:?}")).collect();
    either(&quoted)
}

/// `a`, `b` or `c`, each in backticks.
pub(crate) fn either(names: &[impl fmt::Display]) -> String {
    format_enumeration(names, "or")
}

/// `a`, `b` and `c`, each in backticks.
pub(crate) fn all_of(names: &[&str]) -> String {
    format_enumeration(names, "and")
}

fn format_enumeration(names: &[impl fmt::Display], word: &str) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.as_slice() {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} {word} {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::{closest, either};

    #[test]
    fn misspelled_keys_are_recognized() {
        let keys = [
            "short_names",
            "min_length",
            "max_length",
            "printcolumn",
            "scope",
            "list_map_keys",
            "maxTemperature",
        ];
        for (slip, meant) in [
            ("shortnames", Some("short_names")),
            ("shortName", Some("short_names")),
            ("minLength", Some("min_length")),
            ("min_lenght", Some("min_length")),
            ("print_column", Some("printcolumn")),
            ("scop", Some("scope")),
            ("list_map", Some("list_map_keys")),
            ("short", Some("short_names")),
            ("listMap", Some("list_map_keys")),
            ("maxTemp", Some("maxTemperature")),
            ("li", None),
            ("flavour", None),
            ("s", None),
        ] {
            assert_eq!(closest(slip, keys), meant, "{slip}");
        }
    }

    #[test]
    fn alternatives_are_joined_with_or() {
        assert_eq!(either(&["a"]), "`a`");
        assert_eq!(either(&["a", "b", "c"]), "`a`, `b` or `c`");
    }
}
