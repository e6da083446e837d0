//! Rust names of fields, types and variants, derived from JSON names and unique in their module.

use std::collections::{BTreeMap, BTreeSet};

use heck::{ToSnakeCase, ToUpperCamelCase};

/// The identifier of a field, without `r#`.
pub(super) fn field_name(name: &str) -> String {
    let name = spell_out_signs(name).to_snake_case();
    let starts_right = name.starts_with(|c: char| c.is_ascii_alphabetic());
    match name.as_str() {
        "" => "field".to_owned(),
        "self" | "super" | "crate" => format!("{name}_"),
        _ if starts_right => name,
        _ => format!("_{name}"),
    }
}

/// A name as part of a type name, in upper camel case.
pub(super) fn type_name_part(name: &str) -> String {
    spell_out_signs(name).to_upper_camel_case()
}

/// The name of a variant.
pub(super) fn variant_name(value: &str) -> String {
    let name = spell_out_signs(value).to_upper_camel_case();
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
fn spell_out_signs(name: &str) -> String {
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
pub(super) fn singularize(word: &str) -> String {
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
pub(super) fn unique_name(name: String, taken: &mut BTreeSet<String>) -> String {
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
pub(super) fn apply_rename_all(variant: &str, case: &str) -> String {
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

/// Names that a type must not have, because they may be imported, or are in Rust's prelude.
pub(super) const RESERVED_TYPE_NAMES: [&str; 44] = [
    "BTreeMap",
    "Box",
    "Clone",
    "Condition",
    "Copy",
    "CrdSchema",
    "Debug",
    "Default",
    "Deserialize",
    "Drop",
    "Duration",
    "Eq",
    "Err",
    "Extend",
    "Fn",
    "FnMut",
    "FnOnce",
    "From",
    "IntOrString",
    "Into",
    "Iterator",
    "LabelSelector",
    "Map",
    "MicroTime",
    "None",
    "ObjectMeta",
    "Ok",
    "Option",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "Quantity",
    "RawExtension",
    "Result",
    "Self",
    "Send",
    "Serialize",
    "Some",
    "String",
    "Sync",
    "Time",
    "ToOwned",
    "ToString",
    "Vec",
];

/// Returns the name of each type. `uses` are the locations that use the type, each as a chain of
/// names that leads to it, such as `Shop`, `Spec`, `LivenessProbe`. `taken` are the names of kinds
/// and imports.
///
/// A type is called by the last name of its shortest chain, `LivenessProbe`. If that name is
/// reserved or not unique, the name before it is put in front of it (`SpecLivenessProbe`), and so
/// on.
pub(super) fn assign_type_names(uses: &[&[Vec<String>]], taken: &BTreeSet<String>) -> Vec<String> {
    let chains: Vec<_> = uses.iter().map(|uses| shortest_chain(uses)).collect();
    let mut levels: Vec<usize> = chains.iter().map(|chain| least_names(chain)).collect();
    let is_taken = |name: &str| taken.contains(name) || RESERVED_TYPE_NAMES.contains(&name);
    loop {
        let names: Vec<_> = chains
            .iter()
            .zip(&levels)
            .map(|(chain, level)| join_last_names(chain, *level))
            .collect();
        let mut by_name: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (at, name) in names.iter().enumerate() {
            by_name.entry(name).or_default().push(at);
        }
        let mut changed = false;
        for (name, types) in by_name {
            if types.len() == 1 && !is_taken(name) {
                continue;
            }
            for at in types {
                if levels[at] < chains[at].len() {
                    levels[at] += 1;
                    changed = true;
                }
            }
        }
        // Ends, since every round raises a level, and no level exceeds the length of its chain.
        if !changed {
            return number_duplicates(names, taken);
        }
    }
}

/// Appends numbers to names that are still equal or taken.
fn number_duplicates(names: Vec<String>, taken: &BTreeSet<String>) -> Vec<String> {
    let mut used = taken.clone();
    used.extend(RESERVED_TYPE_NAMES.iter().map(|name| (*name).to_owned()));
    names
        .into_iter()
        .map(|name| unique_name(name, &mut used))
        .collect()
}

/// Returns the shortest chain. If the last names of all chains end with the same words, only these
/// words remain of the last name: `Probe` for `LivenessProbe` and `ReadinessProbe`.
fn shortest_chain(uses: &[Vec<String>]) -> Vec<String> {
    let mut chain = uses
        .iter()
        .min_by_key(|chain| chain.len())
        .cloned()
        .unwrap_or_default();
    let last = |chain: &Vec<String>| chain.last().cloned().unwrap_or_default();
    let mut common = last(&chain);
    for other in uses {
        common = common_ending(&common, &last(other));
    }
    if !common.is_empty()
        && let Some(last) = chain.last_mut()
    {
        *last = common;
    }
    chain
}

/// The common last words of two names: `Probe` of `LivenessProbe` and `ReadinessProbe`.
fn common_ending(one: &str, other: &str) -> String {
    let (one, other) = (split_words(one), split_words(other));
    let pairs = one.iter().rev().zip(other.iter().rev());
    let count = pairs.take_while(|(one, other)| one == other).count();
    one[one.len() - count..].concat()
}

/// Splits a name in upper camel case: `LivenessProbe` into `Liveness` and `Probe`.
fn split_words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for c in name.chars() {
        match words.last_mut() {
            Some(word) if !c.is_uppercase() => word.push(c),
            _ => words.push(c.to_string()),
        }
    }
    words
}

/// The minimum number of names to join: 2 for a kind's `spec` and `status` (`ShopSpec`), else 1.
fn least_names(chain: &[String]) -> usize {
    match chain {
        [_, field] if field == "Spec" || field == "Status" => 2,
        _ => 1,
    }
}

/// The last `level` names, joined to an identifier.
fn join_last_names(chain: &[String], level: usize) -> String {
    let from = chain.len() - level.min(chain.len());
    let name = chain[from..].concat();
    let starts_right = name.starts_with(|c: char| c.is_ascii_alphabetic());
    match name.as_str() {
        "" => "Part".to_owned(),
        _ if starts_right => name,
        _ => format!("V{}", name.to_upper_camel_case()),
    }
}
