//! Tests that the definitions of each case's `crds.rs` equal its YAML.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

/// A field that `CustomResourceDefinition` lacks, or has with another type, would be lost or
/// refused.
#[test]
#[cfg(feature = "extra")]
fn compiled_definitions_equal_the_yaml() {
    for (case, all) in compiled::DEFINITIONS {
        let found: BTreeSet<String> = all()
            .iter()
            .map(|definition| text(serde_json::to_value(definition).unwrap()))
            .collect();
        let dir = Path::new("../golden")
            .join(case)
            .join("expected/config/crd");
        let written: BTreeSet<String> = fs::read_dir(&dir)
            .into_iter()
            .flatten()
            .map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap())
            .map(|yaml| text(serde_saphyr::from_str(&yaml).unwrap()))
            .collect();
        assert_eq!(found, written, "{case}");
    }
}

/// Returns the value as text with all numbers as floats, since bounds are floats in
/// `JSONSchemaProps`.
fn text(mut value: Value) -> String {
    fn widen(value: &mut Value) {
        match value {
            Value::Number(number) => *value = number.as_f64().into(),
            Value::Array(items) => items.iter_mut().for_each(widen),
            Value::Object(members) => members.values_mut().for_each(widen),
            _ => {}
        }
    }
    widen(&mut value);
    value.to_string()
}
