//! Names of the types of a module. A place of a type is a chain of names that leads to it, such as
//! `Shop`, `Spec`, `LivenessProbe`. A type is called by the last name of its shortest place,
//! `LivenessProbe`. If that name is reserved or not unique, the name before it is put in front of
//! it (`SpecLivenessProbe`), and so on.

use std::collections::{BTreeMap, BTreeSet};

use heck::ToUpperCamelCase;

use super::OwnType;

/// Names that a type must not have, because they may be imported, or are in Rust's prelude.
pub(in crate::import) const RESERVED: [&str; 44] = [
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

/// The name of each type. `taken` are the names of kinds and imports.
pub(in crate::import) fn assign(types: &[OwnType], taken: &BTreeSet<String>) -> Vec<String> {
    let places: Vec<_> = types.iter().map(place).collect();
    let mut levels: Vec<usize> = places.iter().map(|place| least(place)).collect();
    let is_taken = |name: &str| taken.contains(name) || RESERVED.contains(&name);
    loop {
        let names: Vec<_> = places
            .iter()
            .zip(&levels)
            .map(|(place, level)| name(place, *level))
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
                if levels[at] < places[at].len() {
                    levels[at] += 1;
                    changed = true;
                }
            }
        }
        if !changed {
            return numbered(names, taken);
        }
    }
}

/// Appends numbers to names that are still equal or taken.
fn numbered(names: Vec<String>, taken: &BTreeSet<String>) -> Vec<String> {
    let mut used = taken.clone();
    used.extend(RESERVED.iter().map(|name| (*name).to_owned()));
    let names = names.into_iter();
    names
        .map(|name| crate::import::names::unique(name, &mut used))
        .collect()
}

/// Returns the shortest place of the type. If the last names of all its places end with the same
/// words, only these words remain of the last name: `Probe` for `LivenessProbe` and
/// `ReadinessProbe`.
fn place(own: &OwnType) -> Vec<String> {
    let shortest = own.places.iter().min_by_key(|place| place.len());
    let mut place = shortest.cloned().unwrap_or_default();
    let last = |place: &Vec<String>| place.last().cloned().unwrap_or_default();
    let mut common = last(&place);
    for other in &own.places {
        common = ending(&common, &last(other));
    }
    if !common.is_empty()
        && let Some(last) = place.last_mut()
    {
        *last = common;
    }
    place
}

/// The common last words of two names: `Probe` of `LivenessProbe` and `ReadinessProbe`.
fn ending(one: &str, other: &str) -> String {
    let (one, other) = (words(one), words(other));
    let pairs = one.iter().rev().zip(other.iter().rev());
    let count = pairs.take_while(|(one, other)| one == other).count();
    one[one.len() - count..].concat()
}

fn words(name: &str) -> Vec<String> {
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
fn least(place: &[String]) -> usize {
    match place {
        [_, part] if part == "Spec" || part == "Status" => 2,
        _ => 1,
    }
}

/// The last `level` names, joined to an identifier.
fn name(place: &[String], level: usize) -> String {
    let from = place.len() - level.min(place.len());
    let name = place[from..].concat();
    let starts_right = name.starts_with(|c: char| c.is_ascii_alphabetic());
    match name.as_str() {
        "" => "Part".to_owned(),
        _ if starts_right => name,
        _ => format!("V{}", name.to_upper_camel_case()),
    }
}
