//! Comparison of pruning, embedded resources, and list and map types of server-side apply.

use std::collections::BTreeSet;

use serde_json::json;

use super::super::change::{Log, Side};
use super::super::kinds;
use super::super::schema::Node;

pub(super) fn compare(log: &mut Log, path: &str, old: &Node, new: &Node) {
    match (old.keeps_unknown, new.keeps_unknown) {
        // The comparison of the map's values covers this.
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
        let (old, new) = (keys(&old.list_map_keys), keys(&new.list_map_keys));
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

/// The topology, or the API server's default if the schema has none.
fn named(topology: &Option<String>, default: &str) -> Option<Side> {
    Some(topology.as_deref().unwrap_or(default).into())
}

fn keys(keys: &BTreeSet<String>) -> Option<Side> {
    Some(json!(keys).into())
}
