//! [`FieldError`]: validation error of a field, with the API server's messages.

use std::fmt;

use genclient::k8s_openapi::apimachinery::pkg::apis::meta::v1::StatusCause;
use serde::Serialize;
use serde_json::Value;

/// Validation error of a field: a cause of a [denial](crate::webhook::Denied::invalid).
///
/// Reasons and messages are those of Kubernetes' own validation
/// (k8s.io/apimachinery/pkg/util/validation/field, errors.go).
///
/// ```
/// use genclient_controller::webhook::FieldError;
///
/// let error = FieldError::invalid("spec.replicas", 11, "must be at most 10");
/// assert_eq!(
///     error.to_string(),
///     "spec.replicas: Invalid value: 11: must be at most 10"
/// );
/// let error = FieldError::not_supported("spec.tier", "gold", &["basic", "premium"]);
/// assert_eq!(
///     error.to_string(),
///     r#"spec.tier: Unsupported value: "gold": supported values: "basic", "premium""#
/// );
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct FieldError {
    field: String,
    type_: ErrorType,
    value: Option<Value>,
    detail: String,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum ErrorType {
    Required,
    Invalid,
    NotSupported,
    Duplicate,
    NotFound,
    Forbidden,
    TooLong,
    TooMany,
}

impl FieldError {
    /// The field has no value and needs one.
    pub fn required(field: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::new(field, ErrorType::Required, None, detail)
    }

    /// The value is malformed or out of bounds.
    pub fn invalid(
        field: impl Into<String>,
        value: impl Serialize,
        detail: impl Into<String>,
    ) -> Self {
        Self::new(field, ErrorType::Invalid, Some(to_json(value)), detail)
    }

    /// The value of an enumerated field is not supported.
    pub fn not_supported(
        field: impl Into<String>,
        value: impl Serialize,
        supported: &[&str],
    ) -> Self {
        let quoted: Vec<_> = supported.iter().map(|one| format!("{one:?}")).collect();
        let detail = match &*quoted {
            [] => String::new(),
            quoted => format!("supported values: {}", quoted.join(", ")),
        };
        Self::new(field, ErrorType::NotSupported, Some(to_json(value)), detail)
    }

    /// The value has to be unique, and is not.
    pub fn duplicate(field: impl Into<String>, value: impl Serialize) -> Self {
        Self::new(field, ErrorType::Duplicate, Some(to_json(value)), "")
    }

    /// The value names something that does not exist.
    pub fn not_found(field: impl Into<String>, value: impl Serialize) -> Self {
        Self::new(field, ErrorType::NotFound, Some(to_json(value)), "")
    }

    /// The value is valid, but not permitted here or now.
    pub fn forbidden(field: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::new(field, ErrorType::Forbidden, None, detail)
    }

    /// The value of an immutable field was changed.
    pub fn immutable(field: impl Into<String>, value: impl Serialize) -> Self {
        Self::invalid(field, value, "field is immutable")
    }

    /// The text is longer than `most` bytes.
    pub fn too_long(field: impl Into<String>, most: usize) -> Self {
        let bytes = if most == 1 { "byte" } else { "bytes" };
        let detail = format!("may not be more than {most} {bytes}");
        Self::new(field, ErrorType::TooLong, None, detail)
    }

    /// The list has more than `most` items.
    pub fn too_many(field: impl Into<String>, items: usize, most: usize) -> Self {
        let noun = if most == 1 { "item" } else { "items" };
        let detail = format!("must have at most {most} {noun}");
        Self::new(field, ErrorType::TooMany, Some(to_json(items)), detail)
    }

    fn new(
        field: impl Into<String>,
        type_: ErrorType,
        value: Option<Value>,
        detail: impl Into<String>,
    ) -> Self {
        Self {
            field: field.into(),
            type_,
            value,
            detail: detail.into(),
        }
    }

    /// Returns the message without the field: `Invalid value: 11: must be at most 10`.
    fn body(&self) -> String {
        let mut body = self.type_.as_str().to_owned();
        if let Some(value) = &self.value {
            body.push_str(": ");
            body.push_str(&value.to_string());
        }
        if !self.detail.is_empty() {
            body.push_str(": ");
            body.push_str(&self.detail);
        }
        body
    }

    /// Returns the entry in `details.causes` of a Status.
    pub(super) fn cause(&self) -> StatusCause {
        StatusCause {
            field: Some(self.field.clone()),
            message: Some(self.body()),
            reason: Some(self.type_.name().to_owned()),
        }
    }
}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.body())
    }
}

/// Returns a value as JSON, or null if it cannot be serialized.
fn to_json(value: impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}

impl ErrorType {
    fn as_str(self) -> &'static str {
        match self {
            Self::Required => "Required value",
            Self::Invalid => "Invalid value",
            Self::NotSupported => "Unsupported value",
            Self::Duplicate => "Duplicate value",
            Self::NotFound => "Not found",
            Self::Forbidden => "Forbidden",
            Self::TooLong => "Too long",
            Self::TooMany => "Too many",
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Required => "FieldValueRequired",
            Self::Invalid => "FieldValueInvalid",
            Self::NotSupported => "FieldValueNotSupported",
            Self::Duplicate => "FieldValueDuplicate",
            Self::NotFound => "FieldValueNotFound",
            Self::Forbidden => "FieldValueForbidden",
            Self::TooLong => "FieldValueTooLong",
            Self::TooMany => "FieldValueTooMany",
        }
    }
}
