//! Comparison of schemas: the type first, then topology and constraints, then properties and items.

use std::collections::BTreeSet;

use serde_json::json;

use super::constraints;
use super::log::Log;
use super::nulls::Null;
use crate::change::Side;
use crate::kinds;
use crate::path::{ITEMS_SUFFIX, VALUES_SUFFIX, append_property};
use crate::schema::Node;

/// Compares the schemas of whole objects in two versions.
pub(super) fn compare_roots(log: &mut Log, old: &Node, new: &Node) {
    compare_nodes(log, "", old, new, Null::Refused);
}

fn compare_nodes(log: &mut Log, path: &str, old: &Node, new: &Node, null: Null) {
    if old == new {
        return;
    }
    let common = compare_types(log, path, old, new);
    if common != Common::Nothing {
        constraints::compare_constraints(log, path, old, new, null);
    }
    if common == Common::Members {
        compare_topology(log, path, old, new);
        compare_members(log, path, old, new);
    }
}

/// The parts of two schemas that can be compared, given their types.
#[derive(PartialEq)]
enum Common {
    Nothing,
    Constraints,
    Members,
}

fn compare_types(log: &mut Log, path: &str, old: &Node, new: &Node) -> Common {
    let (from, to) = (Some(type_side(old)), Some(type_side(new)));
    match (Type::from_node(old), Type::from_node(new)) {
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

fn type_side(node: &Node) -> Side {
    node.words().into()
}

#[derive(PartialEq)]
enum Type<'n> {
    Any,
    IntOrString,
    Is(&'n str),
}

impl<'n> Type<'n> {
    fn from_node(node: &'n Node) -> Self {
        match &node.type_ {
            _ if node.int_or_string => Self::IntOrString,
            Some(type_) => Self::Is(type_),
            None => Self::Any,
        }
    }
}

fn compare_members(log: &mut Log, path: &str, old: &Node, new: &Node) {
    compare_items(log, path, old, new);
    let has_map = old.values.is_some() || new.values.is_some();
    if !has_map || compare_entries(log, path, old, new) {
        compare_properties(log, path, old, new);
        compare_required(log, path, old, new);
    }
}

fn compare_items(log: &mut Log, path: &str, old: &Node, new: &Node) {
    let anything = Box::default();
    let (from, to) = (&old.items, &new.items);
    if from.is_some() || to.is_some() {
        let (from, to) = (
            from.as_ref().unwrap_or(&anything),
            to.as_ref().unwrap_or(&anything),
        );
        compare_nodes(
            log,
            &format!("{path}{ITEMS_SUFFIX}"),
            from,
            to,
            Null::of_item(to),
        );
    }
}

/// Compares the values of two maps. If only one of the two schemas is a map, reports the change and
/// returns false, because properties and map values cannot be compared.
fn compare_entries(log: &mut Log, path: &str, old: &Node, new: &Node) -> bool {
    let words = |node: &Node| Some(node.words().into());
    match (old.entries(), new.entries()) {
        (Some(from), Some(to)) => {
            compare_nodes(
                log,
                &format!("{path}{VALUES_SUFFIX}"),
                &from,
                &to,
                Null::Accepted,
            );
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

fn compare_properties(log: &mut Log, path: &str, old: &Node, new: &Node) {
    for (name, property) in &old.properties {
        let path = append_property(path, name);
        match new.properties.get(name) {
            Some(same) => {
                let null = Null::of_member(new, name, same);
                compare_nodes(log, &path, property, same, null);
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
            let path = append_property(path, name);
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

fn compare_required(log: &mut Log, path: &str, old: &Node, new: &Node) {
    for name in new.required.difference(&old.required) {
        let property = new.properties.get(name);
        // `compare_properties` reports an added property that is required.
        let added = property.is_some() && !old.properties.contains_key(name);
        if !added {
            // Defaults are set before validation, so no object lacks the property.
            let filled_in = property.is_some_and(|property| property.default.is_some());
            log.breaks_if(
                !filled_in,
                kinds::FIELD_NOW_REQUIRED,
                &append_property(path, name),
                None,
                None,
            );
        }
    }
    for name in old.required.difference(&new.required) {
        // `compare_properties` reports a removed property.
        let removed = old.properties.contains_key(name) && !new.properties.contains_key(name);
        if !removed {
            log.notes(
                kinds::FIELD_NOW_OPTIONAL,
                &append_property(path, name),
                None,
                None,
            );
        }
    }
}

fn compare_topology(log: &mut Log, path: &str, old: &Node, new: &Node) {
    match (old.keeps_unknown, new.keeps_unknown) {
        // `compare_entries` reports what changes if either schema is a map.
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
            topology_or_default(&old.list_type, "atomic"),
            topology_or_default(&new.list_type, "atomic"),
        );
        log.breaks(kinds::LIST_TYPE_CHANGED, path, old, new);
    } else if old.list_map_keys != new.list_map_keys {
        let (old, new) = (
            merge_keys_side(&old.list_map_keys),
            merge_keys_side(&new.list_map_keys),
        );
        log.breaks(kinds::LIST_MAP_KEYS_CHANGED, path, old, new);
    }
    if old.map_type != new.map_type {
        let (old, new) = (
            topology_or_default(&old.map_type, "granular"),
            topology_or_default(&new.map_type, "granular"),
        );
        log.breaks(kinds::MAP_TYPE_CHANGED, path, old, new);
    }
}

/// The list type or map type, or the API server's default if the schema does not set it.
fn topology_or_default(topology: &Option<String>, default: &str) -> Option<Side> {
    Some(topology.as_deref().unwrap_or(default).into())
}

fn merge_keys_side(keys: &BTreeSet<String>) -> Option<Side> {
    Some(json!(keys).into())
}
