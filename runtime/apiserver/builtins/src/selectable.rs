//! Values of the fields that field selectors of built-in kinds support.
//!
//! Source: `AddFieldLabelConversionFunc` in pkg/apis/*/conversion.go and `ToSelectableFields` in
//! pkg/registry/*/strategy.go of Kubernetes.

use serde_json::Value;

/// Field whose value for selectors is not just the text at its own path.
#[derive(Debug)]
pub struct SpecialField {
    /// Name of the field in selectors.
    pub name: &'static str,
    /// Path of the value in the object. An empty path leads to no value.
    pub path: &'static str,
    /// Text of an unset field, as Go formats the zero value.
    pub unset: &'static str,
}

/// Returns the value of a field. `special` are the special fields of the kind.
pub(crate) fn selected_value(special: &[SpecialField], object: &Value, field: &str) -> String {
    let special = special.iter().find(|it| it.name == field);
    let path = special.map_or(field, |it| it.path);
    match text_at(object, path) {
        text if text.is_empty() => special.map_or("", |it| it.unset).to_owned(),
        text => text,
    }
}

/// Returns the value at a path as text, or an empty text if there is none.
pub fn text_at(object: &Value, path: &str) -> String {
    let found = path
        .split('.')
        .try_fold(object, |value, name| value.get(name));
    match found {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}
