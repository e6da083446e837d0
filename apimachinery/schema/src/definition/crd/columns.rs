//! Validation of printer columns, scale paths and selectable fields of a CustomResourceDefinition.

use std::collections::BTreeSet;

use genclient_apimachinery::field;
use genclient_apimachinery::go::json;
use genclient_apimachinery::unstructured::str_field;
use serde_json::{Map, Value};

use super::cel::{Notation, find_field};
use super::internal::VersionParts;
use super::json_schema_props::JsonSchemaProps;
use super::structural;

const TYPES: [&str; 5] = ["boolean", "date", "integer", "number", "string"];
const FORMATS: [&str; 8] = [
    "byte",
    "date",
    "date-time",
    "double",
    "float",
    "int32",
    "int64",
    "password",
];

/// Maximum number of selectable fields of a version.
const SELECTABLE: usize = 8;

/// Checks name, type, format and path of each printer column
/// (`ValidateCustomResourceColumnDefinition`).
pub(super) fn validate_columns(columns: Option<&Value>, path: &str) -> field::ErrorList {
    let columns = columns.and_then(Value::as_array).into_iter().flatten();
    let mut causes = Vec::new();
    for (at, column) in columns.enumerate() {
        let path = format!("{path}[{at}]");
        if str_field(column, "name").is_empty() {
            causes.push(field::Error::required(format!("{path}.name"), ""));
        }
        let type_ = str_field(column, "type");
        let one_of = |known: &[&str]| format!("must be one of {}", known.join(","));
        let field = format!("{path}.type");
        if type_.is_empty() {
            causes.push(field::Error::required(field, &one_of(&TYPES)));
        } else if !TYPES.contains(&type_) {
            causes.push(field::Error::invalid(field, &type_.into(), &one_of(&TYPES)));
        }
        let format = str_field(column, "format");
        if !format.is_empty() && !FORMATS.contains(&format) {
            let field = format!("{path}.format");
            causes.push(field::Error::invalid(
                field,
                &format.into(),
                &one_of(&FORMATS),
            ));
        }
        let json_path = str_field(column, "jsonPath");
        let field = format!("{path}.JSONPath");
        if json_path.is_empty() {
            causes.push(field::Error::required(field, ""));
        } else {
            causes.extend(validate_simple_path(json_path, field));
        }
    }
    causes
}

/// Checks the paths of the scale subresource (`ValidateCustomResourceDefinitionSubresources`).
pub(super) fn validate_subresources(subresources: Option<&Value>, path: &str) -> field::ErrorList {
    let scale = subresources.and_then(|it| it.get("scale"));
    let Some(scale) = scale.filter(|scale| scale.is_object()) else {
        return Vec::new();
    };
    let mut causes = Vec::new();
    for (name, below) in [
        ("specReplicasPath", ".spec"),
        ("statusReplicasPath", ".status"),
    ] {
        let (value, field) = (str_field(scale, name), format!("{path}.scale.{name}"));
        let mut wrong = validate_simple_path(value, field.clone());
        if value.is_empty() {
            wrong = Some(field::Error::required(field, ""));
        } else if wrong.is_none() && !value.starts_with(&format!("{below}.")) {
            let detail = format!("should be a json path under {below}");
            wrong = Some(field::Error::invalid(field, &value.into(), &detail));
        }
        causes.extend(wrong);
    }
    let selector = str_field(scale, "labelSelectorPath");
    if !selector.is_empty() {
        let field = format!("{path}.scale.labelSelectorPath");
        let is_below = [".spec.", ".status."]
            .iter()
            .any(|it| selector.starts_with(it));
        let wrong = validate_simple_path(selector, field.clone());
        causes.extend(wrong.or_else(|| {
            // A pointer in Go, which `field.Error` prints as JSON, not quoted.
            let printed = json(&selector.into());
            let detail = "should be a json path under either .spec or .status";
            (!is_below).then(|| field::Error::invalid_text(field, &printed, detail))
        }));
    }
    causes
}

fn validate_simple_path(path: &str, field: String) -> Option<field::Error> {
    let is_wrong = !path.is_empty() && !path.starts_with('.');
    let detail = "must be a simple json path starting with .";
    is_wrong.then(|| field::Error::invalid(field, &path.into(), detail))
}

/// Checks the paths of selectable fields (`ValidateCustomResourceSelectableFields`).
/// `allow_too_many` is set if the old definition has too many already.
pub(super) fn validate_selectable_fields(
    fields: &Value,
    parts: VersionParts<'_>,
    path: &str,
    allow_too_many: bool,
) -> field::ErrorList {
    let mut causes = Vec::new();
    let mut known = BTreeSet::new();
    let nothing = Value::Object(Map::new());
    let schema = parts.open_api();
    if let Some(error) = schema.and_then(structural::conversion_error) {
        let spec = path.trim_end_matches(".selectableFields");
        let field = format!("{spec}.schema.openAPIV3Schema");
        causes.push(field::Error::invalid(field, &"".into(), &error));
    }
    // If the schema cannot be converted into a structural one, every path is reported as invalid.
    // The API server panics in this case.
    let schema = schema.filter(|schema| structural::conversion_error(*schema).is_none());
    let Some(schema) = schema.or_else(|| JsonSchemaProps::from_value(&nothing)) else {
        return causes;
    };
    for (at, field) in fields.as_array().into_iter().flatten().enumerate() {
        let json_path = str_field(field, "jsonPath");
        let field = format!("{path}[{at}].jsonPath");
        if json_path.is_empty() {
            causes.push(field::Error::required(field, ""));
            continue;
        }
        let value = json_path.into();
        let found = match find_field(json_path, schema, Notation::Dots) {
            Ok(found) => found,
            Err(error) => {
                let detail = format!("is an invalid path: {error}");
                causes.push(field::Error::invalid(field, &value, &detail));
                continue;
            }
        };
        if found.root == "metadata" {
            let detail = "must not point to fields in metadata";
            causes.push(field::Error::invalid(&*field, &value, detail));
        }
        if !["string", "boolean", "integer"].contains(&found.schema.type_()) {
            causes.push(field::Error::invalid(
                &*field,
                &value,
                "must point to a field of type string, boolean or integer. Enum string fields and \
                 strings with formats are allowed.",
            ));
        }
        if !known.insert(found.path) {
            causes.push(field::Error::duplicate(field, &value));
        }
    }
    if known.len() > SELECTABLE && !allow_too_many {
        causes.push(field::Error::too_many(path, known.len(), SELECTABLE as u64));
    }
    causes
}
