//! Selectable fields: the texts that field selectors compare.

use std::collections::BTreeMap;

use serde_json::Value;

use super::go;
use crate::json_path::JsonPath;

/// Returns the fields of a custom resource by which it can be selected, beside `metadata.name` and
/// `metadata.namespace`: by the paths of `selectableFields`, without their first dot. What is
/// absent is empty.
///
/// # Errors
///
/// What client-go says of a path.
pub fn selectable_fields<'p>(
    paths: impl IntoIterator<Item = &'p str>,
    object: &Value,
) -> Result<BTreeMap<&'p str, String>, String> {
    let mut fields = BTreeMap::new();
    for path in paths {
        let found = JsonPath::parse(path)?.find(object)?;
        let text = match &found[..] {
            [] => String::new(),
            [value] if value.is_null() => String::new(),
            [value] => go::value(value),
            _ => return Err("unexpectedly received more than one JSON path result".to_owned()),
        };
        fields.insert(path.strip_prefix('.').unwrap_or(path), text);
    }
    Ok(fields)
}
