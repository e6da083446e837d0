//! Validation of label selectors (k8s.io/apimachinery/pkg/apis/meta/v1/validation).

use genclient_apimachinery::field;
use genclient_apimachinery::unstructured::{list_field, str_field};
use genclient_apimachinery::validation;
use serde_json::Value;

use crate::findings::IMMUTABLE;
use crate::names;

/// Validates a label selector (`ValidateLabelSelector`).
pub(crate) fn validate_selector(selector: &Value, path: &str, out: &mut field::ErrorList) {
    validate_labels(
        &selector["matchLabels"],
        &format!("{path}.matchLabels"),
        out,
    );
    for (at, expression) in list_field(selector, "matchExpressions").iter().enumerate() {
        validate_requirement(expression, &format!("{path}.matchExpressions[{at}]"), out);
    }
}

fn validate_requirement(expression: &Value, path: &str, out: &mut field::ErrorList) {
    let values = list_field(expression, "values");
    let operator = str_field(expression, "operator");
    match operator {
        "In" | "NotIn" if values.is_empty() => {
            let detail = "must be specified when `operator` is 'In' or 'NotIn'";
            out.push(field::Error::required(format!("{path}.values"), detail));
        }
        "Exists" | "DoesNotExist" if !values.is_empty() => {
            let detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
            out.push(field::Error::forbidden(format!("{path}.values"), detail));
        }
        "In" | "NotIn" | "Exists" | "DoesNotExist" => {}
        _ => {
            let field = format!("{path}.operator");
            let detail = "not a valid selector operator";
            out.push(field::Error::invalid(field, &operator.into(), detail));
        }
    }
    let key = str_field(expression, "key");
    names::report_name_errors(&format!("{path}.key"), key, validation::label_key(key), out);
    for (at, value) in values.iter().enumerate() {
        let value = value.as_str().unwrap_or_default();
        let field = format!("{path}.values[{at}]");
        names::report_name_errors(&field, value, validation::label_value(value), out);
    }
}

/// Validates the keys and values of labels. Every finding has `path`, the path of the whole map.
pub(crate) fn validate_labels(labels: &Value, path: &str, out: &mut field::ErrorList) {
    for (key, value) in labels.as_object().into_iter().flatten() {
        let value = value.as_str().unwrap_or_default();
        names::report_name_errors(path, key, validation::label_key(key), out);
        names::report_name_errors(path, value, validation::label_value(value), out);
    }
}

/// Formats a selector as JSON with the labels before the expressions, as Go's `field.Error` prints
/// the struct.
pub(crate) fn format_selector(selector: &Value) -> String {
    if selector.is_null() {
        return "null".to_owned();
    }
    let members = ["matchLabels", "matchExpressions"]
        .into_iter()
        .filter_map(|name| {
            let member = selector.get(name)?;
            Some(format!("\"{name}\":{member}"))
        });
    format!("{{{}}}", members.collect::<Vec<_>>().join(","))
}

/// Checks that a selector is unchanged. `field` is its path.
pub(crate) fn validate_unchanged(
    field: &str,
    new: &Value,
    old: &Value,
    out: &mut field::ErrorList,
) {
    if new != old {
        out.push(field::Error::invalid_text(
            field,
            &format_selector(new),
            IMMUTABLE,
        ));
    }
}
