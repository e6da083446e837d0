//! Structs of a kind that the API server merges field by field and sets defaults in.

use crate::model::{MapType, Schema};

/// Returns the paths of the structs that contain a default, sorted. A segment is the name of a
/// field, or `None` for any key of a map.
///
/// After an apply of an empty struct, such a struct is not empty. Fields in the items of a list do
/// not count: their owners are recorded below the item.
pub(super) fn granular_paths(schema: &Schema) -> Vec<Vec<Option<String>>> {
    let mut found = Vec::new();
    for (name, property) in &schema.properties {
        if !["apiVersion", "kind", "metadata"].contains(&name.as_str()) {
            collect(property, &mut vec![Some(name.clone())], &mut found);
        }
    }
    found.sort();
    found
}

/// Collects the paths at and below `path`. Returns true if the schema contains a default.
fn collect(
    schema: &Schema,
    path: &mut Vec<Option<String>>,
    found: &mut Vec<Vec<Option<String>>>,
) -> bool {
    if schema.map_type == Some(MapType::Atomic) {
        return false;
    }
    let fields = schema.properties.iter();
    let members = fields.map(|(name, property)| (Some(name.clone()), property));
    let values = schema.additional_properties.iter();
    let mut contains = false;
    for (segment, member) in members.chain(values.map(|value| (None, value))) {
        path.push(segment);
        contains |= collect(member, path, found) | member.default.is_some();
        path.pop();
    }
    if contains && !schema.properties.is_empty() {
        found.push(path.clone());
    }
    contains
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::granular_paths;
    use crate::model::Schema;

    #[test]
    fn structs_with_defaults_are_granular_unless_atomic() {
        let schema = json!({ "properties": {
            "metadata": { "properties": { "labels": { "default": {} } } },
            "spec": { "properties": {
                "port": { "type": "integer", "default": 80 },
                "tls": { "properties": { "mode": { "type": "string" } } },
                "pods": { "additionalProperties": { "properties": { "image": { "default": "a" } } } },
                "ports": { "items": { "properties": { "protocol": { "default": "TCP" } } } },
                "fixed": {
                    "x-kubernetes-map-type": "atomic",
                    "properties": { "size": { "default": 1 } },
                },
            } },
            "status": { "properties": { "ready": { "type": "boolean" } } },
        } });
        let schema: Schema = serde_json::from_value(schema).unwrap();
        let paths: Vec<_> = granular_paths(&schema)
            .into_iter()
            .map(|path| {
                let segments = path.into_iter();
                let shown = segments.map(|segment| segment.unwrap_or_else(|| "*".to_owned()));
                shown.collect::<Vec<_>>().join(".")
            })
            .collect();
        assert_eq!(paths, ["spec", "spec.pods.*"]);
    }
}
