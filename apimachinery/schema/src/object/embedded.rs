//! Validation of embedded resources (`schemaobjectmeta.Validate`).

use genclient_apimachinery::field;
use genclient_apimachinery::validation::{NameRule, label_1035};
use serde_json::{Map, Value};

use super::go;
use crate::Schema;
use crate::meta::{self, Metadata};

/// Returns the errors in the embedded resources of a value. `path` is the path of the value, empty
/// for a whole object.
pub fn embedded_causes(schema: &Schema, value: &Value, path: &str) -> field::ErrorList {
    let mut causes = Vec::new();
    below(schema, value, &mut path.to_owned(), &mut causes);
    causes
}

fn below(schema: &Schema, value: &Value, path: &mut String, causes: &mut field::ErrorList) {
    match value {
        Value::Object(members) => {
            if schema.embedded_resource {
                resource(members, path, causes);
            }
            for (name, member) in members {
                if let Some(of_member) = schema.declared_member(name) {
                    let length = path.len();
                    go::enter(path, name, schema.properties.contains_key(name));
                    below(of_member, member, path, causes);
                    path.truncate(length);
                }
            }
        }
        Value::Array(items) => {
            let Some(schema) = &schema.items else { return };
            for (at, item) in items.iter().enumerate() {
                let length = path.len();
                path.push_str(&format!("[{at}]"));
                below(schema, item, path, causes);
                path.truncate(length);
            }
        }
        _ => {}
    }
}

fn resource(members: &Map<String, Value>, path: &str, causes: &mut field::ErrorList) {
    let field = |name: &str| {
        let mut field = path.to_owned();
        go::enter(&mut field, name, true);
        field
    };
    for name in ["apiVersion", "kind"] {
        let wrong = match members.get(name) {
            None => field::Error::required(field(name), ""),
            Some(Value::String(text)) => match type_error(name, text) {
                Some(detail) => field::Error::invalid(field(name), &text.as_str().into(), &detail),
                None => continue,
            },
            Some(other) => field::Error::invalid(field(name), other, "must be a string"),
        };
        causes.push(wrong);
    }
    let Some(metadata) = members.get("metadata") else {
        return;
    };
    let path = field("metadata");
    match meta::decode(metadata) {
        Err(error) => causes.push(field::Error::invalid(path, metadata, &error)),
        Ok(decoded) => {
            let mut metadata = decoded.metadata;
            metadata.entry("name").or_insert_with(|| "fakename".into());
            let metadata = Metadata::new(&metadata);
            let namespaced = !metadata.text("namespace").is_empty();
            let rule = NameRule::PathSegment;
            causes.extend(meta::validate(metadata, namespaced, rule, &path));
        }
    }
}

fn type_error(name: &str, text: &str) -> Option<String> {
    if text.is_empty() {
        return Some("must not be empty".to_owned());
    }
    if name == "apiVersion" {
        return go::group_version_error(text);
    }
    let errors = label_1035(&text.to_lowercase());
    let errors = (!errors.is_empty()).then(|| errors.join(","));
    errors.map(|errors| format!("may have mixed case, but should otherwise match: {errors}"))
}
