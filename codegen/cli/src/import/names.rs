//! Rust names of fields, types and variants, derived from JSON names.

use std::collections::BTreeSet;

use heck::{ToSnakeCase, ToUpperCamelCase};

/// The identifier of a field, without `r#`.
pub(super) fn field(name: &str) -> String {
    let name = spelled(name).to_snake_case();
    let starts_right = name.starts_with(|c: char| c.is_ascii_alphabetic());
    match name.as_str() {
        "" => "field".to_owned(),
        "self" | "super" | "crate" => format!("{name}_"),
        _ if starts_right => name,
        _ => format!("_{name}"),
    }
}

/// A name as part of a type name, in upper camel case.
pub(super) fn words(name: &str) -> String {
    spelled(name).to_upper_camel_case()
}

/// The name of a variant.
pub(super) fn variant(value: &str) -> String {
    let name = spelled(value).to_upper_camel_case();
    match name.as_str() {
        "" if value.is_empty() => "Empty".to_owned(),
        "" => "Value".to_owned(),
        "Self" => "Self_".to_owned(),
        _ if name.starts_with(|c: char| c.is_ascii_digit()) => format!("V{name}"),
        _ => name,
    }
}

/// Separates words by spaces: keeps ASCII letters and digits, and spells out signs that distinguish
/// values, such as `+`.
fn spelled(name: &str) -> String {
    let has_letters = name.contains(|c: char| c.is_ascii_alphanumeric());
    name.chars()
        .map(|c| match c {
            c if c.is_ascii_alphanumeric() => c.to_string(),
            '+' => " plus ".to_owned(),
            '*' if !has_letters => " any ".to_owned(),
            '<' if !has_letters => " less ".to_owned(),
            '>' if !has_letters => " greater ".to_owned(),
            '=' if !has_letters => " equal ".to_owned(),
            '!' if !has_letters => " not ".to_owned(),
            _ => " ".to_owned(),
        })
        .collect()
}

/// The singular of a word: `policy` for `policies`. A word that is no plural stays unchanged.
pub(super) fn singular(word: &str) -> String {
    for (ending, kept) in [
        ("ies", "y"),
        ("sses", "ss"),
        ("xes", "x"),
        ("ches", "ch"),
        ("shes", "sh"),
    ] {
        if let Some(stem) = word.strip_suffix(ending).filter(|stem| stem.len() > 1) {
            return format!("{stem}{kept}");
        }
    }
    let is_plural =
        word.ends_with('s') && !["ss", "us", "is"].iter().any(|end| word.ends_with(end));
    match word.strip_suffix('s').filter(|_| is_plural) {
        Some(stem) => stem.to_owned(),
        None => word.to_owned(),
    }
}

/// Returns an unused name, and marks it as used.
pub(super) fn unique(name: String, taken: &mut BTreeSet<String>) -> String {
    let mut unique = name.clone();
    let mut count = 2;
    while !taken.insert(unique.clone()) {
        unique = format!("{name}{count}");
        count += 1;
    }
    unique
}

/// `foo_bar` as `fooBar`, by serde's rules.
pub(super) fn camel_case(field: &str) -> String {
    let mut name = String::new();
    let mut capital = false;
    for c in field.chars() {
        match c {
            '_' => capital = true,
            c if capital => {
                name.extend(c.to_uppercase());
                capital = false;
            }
            c => name.push(c),
        }
    }
    name
}

/// serde's `rename_all` rules for variants.
pub(super) const VARIANT_CASES: [&str; 6] = [
    "lowercase",
    "UPPERCASE",
    "camelCase",
    "snake_case",
    "kebab-case",
    "SCREAMING_SNAKE_CASE",
];

/// A variant as serde serializes it under `rename_all`.
pub(super) fn renamed(variant: &str, case: &str) -> String {
    let snake = || {
        let mut name = String::new();
        for (at, c) in variant.char_indices() {
            if at > 0 && c.is_uppercase() {
                name.push('_');
            }
            name.push(c.to_ascii_lowercase());
        }
        name
    };
    match case {
        "lowercase" => variant.to_ascii_lowercase(),
        "UPPERCASE" => variant.to_ascii_uppercase(),
        "camelCase" => variant[..1].to_ascii_lowercase() + &variant[1..],
        "snake_case" => snake(),
        "kebab-case" => snake().replace('_', "-"),
        "SCREAMING_SNAKE_CASE" => snake().to_ascii_uppercase(),
        _ => variant.to_owned(),
    }
}
