//! ConfigMaps (pkg/apis/core/validation). Secrets share the limit and the immutability.

use genclient_apimachinery::field;
use genclient_apimachinery::validation;
use serde_json::{Value, json};

use crate::accessors::member_count;
use crate::names;
use crate::row::Row;
use crate::strategy::{FinalizerRule, Strategy};

/// Limit on the size of all data in a ConfigMap or Secret, in bytes.
pub(crate) const MAX_BYTES: u64 = 1024 * 1024;

const IMMUTABLE_ONCE_SET: &str = "field is immutable when `immutable` is set";

/// Strategy of ConfigMaps (pkg/registry/core/configmap, strategy.go).
#[derive(Debug)]
pub(crate) struct ConfigMapStrategy;

impl Strategy for ConfigMapStrategy {
    fn finalizer_rule(&self) -> FinalizerRule {
        FinalizerRule::QualifiedTwice
    }

    fn validate(&self, object: &Value, out: &mut field::ErrorList) {
        let mut size = 0;
        for (key, value) in data_members(object, "data") {
            let field = format!("data[{key}]");
            names::report_name_errors(&field, key, validation::config_key(key), out);
            if object["binaryData"].get(key).is_some() {
                let message = "duplicate of key present in binaryData";
                out.push(field::Error::invalid(field, &key.as_str().into(), message));
            }
            size += value.as_str().map_or(0, str::len);
        }
        for (key, value) in data_members(object, "binaryData") {
            names::report_name_errors(
                &format!("binaryData[{key}]"),
                key,
                validation::config_key(key),
                out,
            );
            size += decoded_length(value);
        }
        if size as u64 > MAX_BYTES {
            out.push(field::Error::too_long("[]", MAX_BYTES));
        }
    }

    fn validate_update(&self, new: &Value, old: &Value, out: &mut field::ErrorList) {
        validate_immutable(new, old, &["data", "binaryData"], out);
        self.validate(new, out);
    }

    fn cells(&self, row: Row<'_>) -> Option<Vec<Value>> {
        let data = &row.object["data"];
        let count = member_count(data) + member_count(&row.object["binaryData"]);
        Some(vec![row.name(), json!(count), row.age()])
    }
}

/// If the old object is `immutable`, checks that the new object is `immutable`, too, and has the
/// same `fields`.
pub(crate) fn validate_immutable(
    new: &Value,
    old: &Value,
    fields: &[&str],
    out: &mut field::ErrorList,
) {
    if old["immutable"] != Value::Bool(true) {
        return;
    }
    if new["immutable"] != Value::Bool(true) {
        out.push(field::Error::forbidden("immutable", IMMUTABLE_ONCE_SET));
    }
    for field in fields {
        if new[*field] != old[*field] {
            out.push(field::Error::forbidden(*field, IMMUTABLE_ONCE_SET));
        }
    }
}

pub(crate) fn data_members<'a>(
    object: &'a Value,
    name: &str,
) -> impl Iterator<Item = (&'a String, &'a Value)> {
    object[name].as_object().into_iter().flatten()
}

/// Returns the number of bytes that a base64 text decodes to.
pub(crate) fn decoded_length(value: &Value) -> usize {
    let text = value.as_str().unwrap_or_default();
    let padding = text.bytes().rev().take_while(|byte| *byte == b'=').count();
    (text.len() / 4 * 3).saturating_sub(padding)
}
