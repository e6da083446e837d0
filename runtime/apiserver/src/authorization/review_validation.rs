//! Validation of access reviews, and errors in their selectors (pkg/apis/authorization/validation).

use genclient_apimachinery::field;
use genclient_apimachinery::fields::FieldSelector;
use genclient_apimachinery::go::json_struct;
use genclient_apimachinery::labels;
use genclient_apimachinery::validation;
use genclient_builtins::types::quoted;
use serde_json::{Value, json};

/// Returns the errors of an access review (`ValidateSubjectAccessReview`,
/// `ValidateSelfSubjectAccessReview` and `ValidateLocalSubjectAccessReview`).
pub(super) fn validate_access_review(kind: &str, review: &Value) -> field::ErrorList {
    let spec = &review["spec"];
    let (resource, other) = (&spec["resourceAttributes"], &spec["nonResourceAttributes"]);
    let is_local = kind == "LocalSubjectAccessReview";
    let mut causes = Vec::new();
    match (resource.is_object(), other.is_object()) {
        (true, true) => {
            let detail = "cannot be specified in combination with resourceAttributes";
            causes.push(path_attributes_error(other, detail));
        }
        (false, false) => {
            let field = "spec.resourceAttributes";
            let detail = "exactly one of nonResourceAttributes or resourceAttributes must be \
                          specified";
            causes.push(field::Error::invalid(field, &Value::Null, detail));
        }
        _ => {}
    }
    let is_empty = |field: &str| match &spec[field] {
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        _ => true,
    };
    if kind != "SelfSubjectAccessReview" && is_empty("user") && is_empty("groups") {
        let detail = "at least one of user or group must be specified";
        causes.push(field::Error::invalid("spec.user", &json!(""), detail));
    }
    validate_selectors(resource, &mut causes);
    validate_metadata(review, is_local, &mut causes);
    if is_local {
        validate_local_review(review, &mut causes);
    }
    causes
}

fn path_attributes_error(attributes: &Value, detail: &str) -> field::Error {
    let text = |field: &str| quoted(attributes[field].as_str().unwrap_or_default());
    let printed = json_struct([("Path", text("path")), ("Verb", text("verb"))]);
    field::Error::invalid_text("spec.nonResourceAttributes", &printed, detail)
}

/// Fields of `ObjectMeta` in the order of Go's struct. Fields that are removed before the
/// validation, such as `uid`, are left out.
const OBJECT_META_FIELDS: &[&str] = &[
    "name",
    "generateName",
    "namespace",
    "resourceVersion",
    "generation",
    "labels",
    "annotations",
    "ownerReferences",
    "finalizers",
    "managedFields",
];

/// Fields of `ManagedFieldsEntry` in the order of Go's struct.
const MANAGED_FIELDS_ENTRY_FIELDS: &[&str] = &[
    "manager",
    "operation",
    "apiVersion",
    "time",
    "fieldsType",
    "fieldsV1",
];

fn validate_metadata(review: &Value, is_local: bool, causes: &mut field::ErrorList) {
    let metadata = &review["metadata"];
    let is_ignored = |field: &str| field == "managedFields" || is_local && field == "namespace";
    let is_set = |field: &&str| !metadata[*field].is_null() && !is_ignored(field);
    if !OBJECT_META_FIELDS.iter().any(is_set) {
        return;
    }
    let detail = if is_local {
        "must be empty except for namespace"
    } else {
        "must be empty"
    };
    let printed = print_ordered(metadata, OBJECT_META_FIELDS, &|field, value| match value {
        Value::Array(entries) if field == "managedFields" => {
            let entries = entries.iter().map(|it| {
                print_ordered(it, MANAGED_FIELDS_ENTRY_FIELDS, &|_, value| {
                    value.to_string()
                })
            });
            format!("[{}]", entries.collect::<Vec<_>>().join(","))
        }
        value => value.to_string(),
    });
    causes.push(field::Error::invalid_text("metadata", &printed, detail));
}

/// Prints an object as JSON with its fields in the order of `fields`.
fn print_ordered(
    object: &Value,
    fields: &[&str],
    print: &dyn Fn(&str, &Value) -> String,
) -> String {
    let set = fields.iter().filter(|field| !object[**field].is_null());
    json_struct(set.map(|field| (*field, print(field, &object[*field]))))
}

fn validate_local_review(review: &Value, causes: &mut field::ErrorList) {
    let spec = &review["spec"];
    let namespace = review["metadata"]["namespace"].as_str().unwrap_or_default();
    let resource = &spec["resourceAttributes"];
    let found = resource["namespace"].as_str().unwrap_or_default();
    if resource.is_object() && found != namespace {
        let field = "spec.resourceAttributes.namespace";
        causes.push(field::Error::invalid(
            field,
            &json!(found),
            "must match metadata.namespace",
        ));
    }
    let other = &spec["nonResourceAttributes"];
    if other.is_object() {
        causes.push(path_attributes_error(
            other,
            "disallowed on this kind of request",
        ));
    }
}

fn validate_selectors(resource: &Value, causes: &mut field::ErrorList) {
    for name in ["fieldSelector", "labelSelector"] {
        let (selector, path) = (&resource[name], format!("spec.resourceAttributes.{name}"));
        if !selector.is_object() {
            continue;
        }
        let raw = selector["rawSelector"].as_str().unwrap_or_default();
        let requirements = requirements_of(selector);
        match (raw.is_empty(), requirements.is_empty()) {
            (false, false) => {
                let detail = "may not specified at the same time as requirements";
                let field = format!("{path}.rawSelector");
                causes.push(field::Error::invalid(field, &json!(raw), detail));
            }
            (true, true) => {
                let detail =
                    format!("when {path} is specified, requirements or rawSelector is required");
                causes.push(field::Error::required(
                    format!("{path}.requirements"),
                    &detail,
                ));
            }
            _ => {}
        }
        for (index, requirement) in requirements.iter().enumerate() {
            let path = format!("{path}.requirements[{index}]");
            validate_requirement(requirement, &path, name == "labelSelector", causes);
        }
    }
}

fn requirements_of(selector: &Value) -> &[Value] {
    let requirements = selector["requirements"].as_array();
    requirements.map(Vec::as_slice).unwrap_or_default()
}

fn values_of(requirement: &Value) -> &[Value] {
    requirement["values"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default()
}

fn validate_requirement(
    requirement: &Value,
    path: &str,
    is_label: bool,
    causes: &mut field::ErrorList,
) {
    let key = requirement["key"].as_str().unwrap_or_default();
    if !is_label && key.is_empty() {
        causes.push(field::Error::required(
            format!("{path}.key"),
            "must be specified",
        ));
    }
    let values = values_of(requirement);
    let field = format!("{path}.values");
    match requirement["operator"].as_str().unwrap_or_default() {
        "In" | "NotIn" if values.is_empty() => {
            let detail = "must be specified when `operator` is 'In' or 'NotIn'";
            causes.push(field::Error::required(field, detail));
        }
        "Exists" | "DoesNotExist" if !values.is_empty() => {
            let detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
            causes.push(field::Error::forbidden(field, detail));
        }
        _ => {}
    }
    if !is_label {
        return;
    }
    for error in validation::label_key(key) {
        causes.push(field::Error::invalid(
            format!("{path}.key"),
            &json!(key),
            &error,
        ));
    }
    for (index, value) in values.iter().enumerate() {
        for error in validation::label_value(value.as_str().unwrap_or_default()) {
            causes.push(field::Error::invalid(
                format!("{path}.values[{index}]"),
                value,
                &error,
            ));
        }
    }
}

/// Returns `evaluationError` for a review. It names the selectors that are ignored, or partly
/// ignored, because of a parse error.
pub(super) fn evaluation_error(resource: &Value) -> String {
    let mut errors = Vec::new();
    for name in ["fieldSelector", "labelSelector"] {
        let selector = &resource[name];
        let is_label = name == "labelSelector";
        let raw = selector["rawSelector"].as_str().unwrap_or_default();
        let is_unreadable = !raw.is_empty()
            && if is_label {
                labels::Selector::parse(raw).is_err()
            } else {
                FieldSelector::parse(raw).is_err()
            };
        let known = requirements_of(selector)
            .iter()
            .filter(|one| is_known(one, is_label));
        let (known, all) = (known.count(), requirements_of(selector).len());
        if is_unreadable || known < all {
            let how = if known > 0 {
                "partially ignored"
            } else {
                "ignored"
            };
            let field = format!("spec.resourceAttributes.{name}");
            errors.push(format!("{field} {how} due to parse error"));
        }
    }
    errors.join("; ")
}

/// Returns whether the server can evaluate a requirement of a selector. Other requirements are
/// ignored.
fn is_known(requirement: &Value, is_label: bool) -> bool {
    match requirement["operator"].as_str().unwrap_or_default() {
        "In" | "NotIn" => is_label || values_of(requirement).len() == 1,
        "Exists" | "DoesNotExist" => is_label,
        _ => false,
    }
}
