//! Validation errors for a field of an object, with the API server's wording
//! (k8s.io/apimachinery/pkg/util/validation/field).

use std::fmt;

use crate::go::{self, json, quoted};
use serde_json::Value;

/// A validation error for a field, as in `details.causes` of the API server's response
/// (k8s.io/apimachinery/pkg/util/validation/field, errors.go).
///
/// ```
/// use genclient_apimachinery::field;
/// use serde_json::json;
///
/// let error = field::Error::invalid("spec.replicas", &json!(11), "must be at most 10");
/// assert_eq!(
///     error.to_string(),
///     "spec.replicas: Invalid value: 11: must be at most 10"
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// Path of the field; `<nil>` for the whole object.
    pub field: String,
    /// Machine-readable reason, such as `FieldValueInvalid`.
    pub reason: &'static str,
    /// Message: the type of error, then the value and details, if any.
    pub message: String,
}

/// Validation errors of an object.
pub type ErrorList = Vec<Error>;

impl Error {
    /// Creates the error for a missing required field.
    pub fn required(field: impl Into<String>, detail: &str) -> Self {
        Self::new(field, "FieldValueRequired", "Required value", None, detail)
    }

    /// Creates the error for a value that is malformed or out of bounds.
    pub fn invalid(field: impl Into<String>, value: &Value, detail: &str) -> Self {
        let value = printed(value);
        Self::new(
            field,
            "FieldValueInvalid",
            "Invalid value",
            Some(value),
            detail,
        )
    }

    /// Like [`Error::invalid`], for a value that is already formatted.
    pub fn invalid_text(field: impl Into<String>, printed: &str, detail: &str) -> Self {
        let (reason, mistake) = ("FieldValueInvalid", "Invalid value");
        Self::new(field, reason, mistake, Some(printed.to_owned()), detail)
    }

    /// Like [`Error::invalid`], for a list or an object: the message omits the value.
    pub fn invalid_part(field: impl Into<String>, detail: &str) -> Self {
        Self::new(field, "FieldValueInvalid", "Invalid value", None, detail)
    }

    /// Creates the error for a value of the wrong type.
    pub fn type_invalid(field: impl Into<String>, value: &Value, detail: &str) -> Self {
        let value = printed(value);
        Self::new(
            field,
            "FieldValueTypeInvalid",
            "Invalid value",
            Some(value),
            detail,
        )
    }

    /// Creates the error for an unsupported value of an enumerated field.
    pub fn not_supported(field: impl Into<String>, value: &Value, supported: &[&str]) -> Self {
        let quoted: Vec<_> = supported.iter().map(|one| quoted(one)).collect();
        let detail = match &*quoted {
            [] => String::new(),
            quoted => format!("supported values: {}", quoted.join(", ")),
        };
        let value = printed(value);
        Self::new(
            field,
            "FieldValueNotSupported",
            "Unsupported value",
            Some(value),
            &detail,
        )
    }

    /// Creates the error for a duplicate of a value that must be unique.
    pub fn duplicate(field: impl Into<String>, value: &Value) -> Self {
        let value = printed(value);
        Self::new(
            field,
            "FieldValueDuplicate",
            "Duplicate value",
            Some(value),
            "",
        )
    }

    /// Like [`Error::duplicate`], for a list or an object: the message omits the value.
    pub fn duplicate_part(field: impl Into<String>) -> Self {
        Self::new(field, "FieldValueDuplicate", "Duplicate value", None, "")
    }

    /// Creates the error for a reference to something that does not exist.
    pub fn not_found(field: impl Into<String>, value: &Value) -> Self {
        let value = printed(value);
        Self::new(field, "FieldValueNotFound", "Not found", Some(value), "")
    }

    /// Creates the error for a value that is valid in itself but not permitted in its context.
    pub fn forbidden(field: impl Into<String>, detail: &str) -> Self {
        Self::new(field, "FieldValueForbidden", "Forbidden", None, detail)
    }

    /// Creates the error for a validation that could not be carried out.
    pub fn internal(field: impl Into<String>, detail: &str) -> Self {
        Self::new(field, "InternalError", "Internal error", None, detail)
    }

    /// Creates the error for a value of more than `most` bytes.
    pub fn too_long(field: impl Into<String>, most: u64) -> Self {
        let bytes = if most == 1 { "byte" } else { "bytes" };
        let detail = format!("may not be more than {most} {bytes}");
        Self::new(field, "FieldValueTooLong", "Too long", None, &detail)
    }

    /// Creates the error for a list with more than `most` items.
    pub fn too_many(field: impl Into<String>, items: usize, most: u64) -> Self {
        let noun = if most == 1 { "item" } else { "items" };
        let detail = format!("must have at most {most} {noun}");
        let value = items.to_string();
        Self::new(field, "FieldValueTooMany", "Too many", Some(value), &detail)
    }

    fn new(
        field: impl Into<String>,
        reason: &'static str,
        mistake: &str,
        value: Option<String>,
        detail: &str,
    ) -> Self {
        let value = value.map(|value| format!(": {value}")).unwrap_or_default();
        let detail = match detail {
            "" => String::new(),
            detail => format!(": {detail}"),
        };
        Self {
            field: field.into(),
            reason,
            message: format!("{mistake}{value}{detail}"),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.message)
    }
}

/// Formats a value as Go's `field.Error` does.
#[must_use]
pub fn printed(value: &Value) -> String {
    match value {
        Value::String(text) => quoted(text),
        Value::Number(number) => go::printed_number(number),
        value => json(value),
    }
}
