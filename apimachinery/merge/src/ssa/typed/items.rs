//! Identity of list items: the path element of an item in a list of type `set` or `map`.

use std::sync::Arc;

use genclient_apimachinery::fieldpath::PathElement;
use genclient_apimachinery::go;
use serde_json::Value;

use super::super::types::{Keys, List, ListMerge, Types};

/// Returns the path element of an item in a list of type `set` or `map`.
///
/// # Errors
///
/// If the list is atomic or the item has no identity. The message is that of structured-merge-diff.
///
/// Source: structured-merge-diff, typed/helpers.go, `listItemToPathElement`.
pub(super) fn identify_item(
    types: &Types,
    list: &List,
    item: &Value,
) -> Result<PathElement, String> {
    match &list.merge {
        ListMerge::Atomic => Err("invalid indexing of non-associative list".to_owned()),
        ListMerge::Set => identify_set_item(item),
        ListMerge::Map(keys) if keys.names.is_empty() => identify_set_item(item),
        ListMerge::Map(keys) => identify_map_item(types, list, keys, item),
    }
}

fn identify_set_item(item: &Value) -> Result<PathElement, String> {
    Err(match item {
        Value::Object(_) => "associative list without keys has an element that's a map type",
        Value::Array(_) => "not supported: associative list with lists as elements",
        Value::Null => "associative list without keys has an element that's an explicit null",
        scalar => return Ok(PathElement::Value(Arc::new(scalar.clone()))),
    }
    .to_owned())
}

/// Returns the identity of a map in a list: the values of its keys, or their defaults.
fn identify_map_item(
    types: &Types,
    list: &List,
    keys: &Keys,
    item: &Value,
) -> Result<PathElement, String> {
    let item = match item {
        Value::Object(item) => item,
        Value::Null => return Err("associative list with keys may not have a null element".into()),
        _ => return Err("associative list with keys may not have non-map elements".into()),
    };
    let mut found = Vec::with_capacity(keys.sorted.len());
    for key in &keys.sorted {
        let value = item.get(&*key.name);
        if value.is_none() && types.atom(list.items).map.is_none() {
            return Err(format!(
                "couldn't find default value for {}: associative list may not have non-map types",
                key.name
            ));
        }
        if let Some(value) = value.or(key.default.as_ref()) {
            found.push((Arc::clone(&key.name), value.clone()));
        }
    }
    if found.is_empty() {
        let names: Vec<_> = keys.names.iter().map(|name| go::quoted(name)).collect();
        return Err(format!(
            "associative list with keys has an element that omits all key fields [{}] (and \
             doesn't have default values for any key fields)",
            names.join(" ")
        ));
    }
    Ok(PathElement::ListKey(found.into()))
}
