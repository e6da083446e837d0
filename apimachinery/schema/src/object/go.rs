//! Parts of error messages in the form of Go and its Kubernetes libraries: paths, values, types.

use serde_json::Value;

use genclient_apimachinery::go::float;

/// Appends a member to a path: `.name` for a field, `[name]` for a map key.
pub(super) fn enter(path: &mut String, name: &str, is_field: bool) {
    if !is_field {
        path.push_str(&format!("[{name}]"));
        return;
    }
    if !path.is_empty() {
        path.push('.');
    }
    path.push_str(name);
}

/// Returns the error of `unstructured.NestedString` and similar functions for a value of the wrong
/// type.
pub(super) fn accessor_error(fields: &[&str], found: &Value, expected: &str) -> String {
    let (path, value, type_) = (fields.join("."), value(found), type_of(found));
    format!(".{path} accessor error: {value} is of the type {type_}, expected {expected}")
}

/// Returns the error of `schema.ParseGroupVersion` for an `apiVersion`.
pub(super) fn group_version_error(api_version: &str) -> Option<String> {
    let is_wrong = api_version != "/" && api_version.matches('/').count() > 1;
    is_wrong.then(|| format!("unexpected GroupVersion string: {api_version}"))
}

/// Formats a value as Go's `%v` does.
pub(super) fn value(value: &Value) -> String {
    match value {
        Value::Null => "<nil>".to_owned(),
        Value::Bool(bool) => bool.to_string(),
        Value::Number(number) if number.is_i64() => number.to_string(),
        Value::Number(number) => float(number.as_f64().unwrap_or_default()),
        Value::String(text) => text.clone(),
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(self::value).collect();
            format!("[{}]", items.join(" "))
        }
        Value::Object(members) => {
            let member = |(name, member)| format!("{name}:{}", self::value(member));
            let members: Vec<_> = members.iter().map(member).collect();
            format!("map[{}]", members.join(" "))
        }
    }
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "<nil>",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_i64() => "int64",
        Value::Number(_) => "float64",
        Value::String(_) => "string",
        Value::Array(_) => "[]interface {}",
        Value::Object(_) => "map[string]interface {}",
    }
}
