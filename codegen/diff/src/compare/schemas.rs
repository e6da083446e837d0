//! Comparison of schemas: the type first, then topology and constraints, then properties and items.

use std::collections::BTreeSet;

use serde_json::json;

use super::super::change::{Log, Side};
use super::super::kinds;
use super::super::schema::Node;
use super::constraints;
use super::nulls::Null;
use crate::text::{ITEMS, VALUES, member};

/// Compares the schemas of whole objects in two versions.
pub(super) fn roots(log: &mut Log, old: &Node, new: &Node) {
    compare(log, "", old, new, Null::Refused);
}

fn compare(log: &mut Log, path: &str, old: &Node, new: &Node, null: Null) {
    if old == new {
        return;
    }
    let common = types(log, path, old, new);
    if common != Common::Nothing {
        constraints::compare(log, path, old, new, null);
    }
    if common == Common::Members {
        topology(log, path, old, new);
        members(log, path, old, new);
    }
}

/// The parts of two schemas that can be compared, given their types.
#[derive(PartialEq)]
enum Common {
    Nothing,
    Constraints,
    Members,
}

fn types(log: &mut Log, path: &str, old: &Node, new: &Node) -> Common {
    let (from, to) = (Some(shown(old)), Some(shown(new)));
    match (Type::of(old), Type::of(new)) {
        (old, new) if old == new => return Common::Members,
        (_, Type::Any) => {
            log.notes(kinds::FIELD_RETYPED, path, from, to);
            // The new schema has no type, so it preserves properties that it does not declare: the
            // API server requires that. If it declares no properties at all, properties are not
            // compared, because one change for each old property would hide the other changes.
            let declares = !new.properties.is_empty();
            return if declares {
                Common::Members
            } else {
                Common::Constraints
            };
        }
        (Type::IntOrString, _) => {
            log.breaks(kinds::INT_OR_STRING_REMOVED, path, from, to);
        }
        (Type::Is("integer" | "string"), Type::IntOrString) => {
            log.notes(kinds::INT_OR_STRING_ADDED, path, from, to);
            return Common::Members;
        }
        (Type::Is("integer"), Type::Is("number")) => {
            log.notes(kinds::FIELD_RETYPED, path, from, to);
            return Common::Members;
        }
        _ => log.breaks(kinds::FIELD_RETYPED, path, from, to),
    }
    Common::Nothing
}

fn shown(node: &Node) -> Side {
    node.words().into()
}

#[derive(PartialEq)]
enum Type<'n> {
    Any,
    IntOrString,
    Is(&'n str),
}

impl<'n> Type<'n> {
    fn of(node: &'n Node) -> Self {
        match &node.type_ {
            _ if node.int_or_string => Self::IntOrString,
            Some(type_) => Self::Is(type_),
            None => Self::Any,
        }
    }
}

fn members(log: &mut Log, path: &str, old: &Node, new: &Node) {
    items(log, path, old, new);
    let has_map = old.values.is_some() || new.values.is_some();
    if !has_map || entries(log, path, old, new) {
        properties(log, path, old, new);
        required(log, path, old, new);
    }
}

fn items(log: &mut Log, path: &str, old: &Node, new: &Node) {
    let anything = Box::default();
    let (from, to) = (&old.items, &new.items);
    if from.is_some() || to.is_some() {
        let (from, to) = (
            from.as_ref().unwrap_or(&anything),
            to.as_ref().unwrap_or(&anything),
        );
        compare(log, &format!("{path}{ITEMS}"), from, to, Null::of_item(to));
    }
}

/// Compares the values of two maps. If only one of the two schemas is a map, reports the change and
/// returns false, because properties and map values cannot be compared.
fn entries(log: &mut Log, path: &str, old: &Node, new: &Node) -> bool {
    let words = |node: &Node| Some(node.words().into());
    match (old.entries(), new.entries()) {
        (Some(from), Some(to)) => {
            compare(log, &format!("{path}{VALUES}"), &from, &to, Null::Accepted);
            return true;
        }
        (Some(_), _) => log.breaks(kinds::MAP_BECAME_OBJECT, path, words(old), words(new)),
        (None, _) => {
            let held = !old.properties.is_empty();
            log.breaks_if(held, kinds::OBJECT_BECAME_MAP, path, words(old), words(new));
        }
    }
    false
}

fn properties(log: &mut Log, path: &str, old: &Node, new: &Node) {
    for (name, property) in &old.properties {
        let path = member(path, name);
        match new.properties.get(name) {
            Some(same) => {
                let null = Null::of_member(new, name, same);
                compare(log, &path, property, same, null);
            }
            None => {
                let words = Some(property.words().into());
                log.breaks_if(!new.keeps_unknown, kinds::FIELD_REMOVED, &path, words, None);
            }
        }
    }
    for (name, property) in &new.properties {
        if !old.properties.contains_key(name) {
            let words = Some(property.words().into());
            let path = member(path, name);
            if new.required.contains(name)
                && property.default.is_none()
                && !old.required.contains(name)
            {
                log.breaks(kinds::REQUIRED_FIELD_ADDED, &path, None, words);
            } else {
                let checked = old.keeps_unknown && !property.is_anything();
                log.breaks_if(checked, kinds::FIELD_ADDED, &path, None, words);
            }
        }
    }
}

fn required(log: &mut Log, path: &str, old: &Node, new: &Node) {
    for name in new.required.difference(&old.required) {
        let property = new.properties.get(name);
        let added = property.is_some() && !old.properties.contains_key(name);
        if !added {
            let filled_in = property.is_some_and(|property| property.default.is_some());
            log.breaks_if(
                !filled_in,
                kinds::FIELD_NOW_REQUIRED,
                &member(path, name),
                None,
                None,
            );
        }
    }
    for name in old.required.difference(&new.required) {
        let removed = old.properties.contains_key(name) && !new.properties.contains_key(name);
        if !removed {
            log.notes(kinds::FIELD_NOW_OPTIONAL, &member(path, name), None, None);
        }
    }
}

fn topology(log: &mut Log, path: &str, old: &Node, new: &Node) {
    match (old.keeps_unknown, new.keeps_unknown) {
        // `entries` reports what changes if either schema is a map.
        _ if old.values.is_some() || new.values.is_some() => {}
        (true, false) => log.breaks(kinds::UNKNOWN_FIELDS_NOW_PRUNED, path, None, None),
        (false, true) => log.notes(kinds::UNKNOWN_FIELDS_NOW_KEPT, path, None, None),
        _ => {}
    }
    match (old.embedded_resource, new.embedded_resource) {
        (true, false) => log.breaks(kinds::EMBEDDED_RESOURCE_REMOVED, path, None, None),
        (false, true) => log.breaks(kinds::EMBEDDED_RESOURCE_ADDED, path, None, None),
        _ => {}
    }
    if old.list_type != new.list_type {
        let (old, new) = (
            named(&old.list_type, "atomic"),
            named(&new.list_type, "atomic"),
        );
        log.breaks(kinds::LIST_TYPE_CHANGED, path, old, new);
    } else if old.list_map_keys != new.list_map_keys {
        let (old, new) = (
            merge_keys(&old.list_map_keys),
            merge_keys(&new.list_map_keys),
        );
        log.breaks(kinds::LIST_MAP_KEYS_CHANGED, path, old, new);
    }
    if old.map_type != new.map_type {
        let (old, new) = (
            named(&old.map_type, "granular"),
            named(&new.map_type, "granular"),
        );
        log.breaks(kinds::MAP_TYPE_CHANGED, path, old, new);
    }
}

/// The list type or map type, or the API server's default if the schema does not set it.
fn named(topology: &Option<String>, default: &str) -> Option<Side> {
    Some(topology.as_deref().unwrap_or(default).into())
}

fn merge_keys(keys: &BTreeSet<String>) -> Option<Side> {
    Some(json!(keys).into())
}
