//! Rust types of values that need no declaration: scalars, and values of any type.

use genclient_codegen::{JsonType, Schema};

use super::declared::RustType;
use crate::import::constraints;

pub(super) fn path(path: &str, base: Schema) -> (RustType, Schema) {
    (RustType::Path(path.to_owned()), base)
}

pub(super) fn int_or_string() -> (RustType, Schema) {
    let base = Schema {
        any_of: vec![
            Schema::typed(JsonType::Integer),
            Schema::typed(JsonType::String),
        ],
        int_or_string: true,
        ..Schema::default()
    };
    path(
        "k8s_openapi::apimachinery::pkg::util::intstr::IntOrString",
        base,
    )
}

pub(super) fn any() -> (RustType, Schema) {
    path(
        "serde_json::Value",
        genclient_schema::kubernetes::anything(),
    )
}

pub(super) fn open_object() -> (RustType, Schema) {
    let base = genclient_schema::kubernetes::open_object();
    path(
        "k8s_openapi::apimachinery::pkg::runtime::RawExtension",
        base,
    )
}

pub(super) fn integer(format: Option<&str>) -> (RustType, Schema) {
    let (name, format) = match format {
        Some("int32") => ("i32", "int32"),
        _ => ("i64", "int64"),
    };
    path(name, constraints::scalar(JsonType::Integer, Some(format)))
}

pub(super) fn number(format: Option<&str>) -> (RustType, Schema) {
    let (name, format) = match format {
        Some("float") => ("f32", "float"),
        _ => ("f64", "double"),
    };
    path(name, constraints::scalar(JsonType::Number, Some(format)))
}

pub(super) fn string(schema: &Schema) -> (RustType, Schema) {
    if schema.format.as_deref() == Some("date-time") {
        let base = constraints::scalar(JsonType::String, Some("date-time"));
        return path("k8s_openapi::apimachinery::pkg::apis::meta::v1::Time", base);
    }
    path("String", constraints::scalar(JsonType::String, None))
}

/// The values of `enum`; `None` if there are none, or if they are not distinct strings.
pub(super) fn strings(schema: &Schema) -> Option<Vec<String>> {
    let values: Vec<_> = schema
        .enum_
        .iter()
        .map(|value| value.as_str().map(str::to_owned))
        .collect::<Option<_>>()?;
    let mut seen = std::collections::BTreeSet::new();
    let is_enum = !values.is_empty() && values.iter().all(|value| seen.insert(value.clone()));
    is_enum.then_some(values)
}
