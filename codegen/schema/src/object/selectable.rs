//! Selectable fields of a custom resource, as strings for field selectors.

use std::collections::BTreeMap;

use serde_json::Value;

use super::go;
use crate::json_path::JsonPath;

/// Returns the selectable fields of a custom resource besides `metadata.name` and
/// `metadata.namespace`. The keys are the paths of `selectableFields` without the leading dot. An
/// absent field is an empty string.
///
/// # Errors
///
/// Returns client-go's message for an invalid path.
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
