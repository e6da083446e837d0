//! Converter of the result of a strategic merge patch to its Go type. Unlike
//! [`decode`](super::decode()), it accepts floats without a fraction as integers, and has other
//! error messages.
//!
//! Source: k8s.io/apimachinery/pkg/runtime, converter.go.

use serde_json::{Map, Value};

use super::{DecodeError, DecodedObject, Field, GoKind, GoType, decode};

const MAX_DEPTH: usize = 500;

/// Converts the result of a strategic merge patch to the Go type of its object.
///
/// # Errors
///
/// [`DecodeError`] if a member has another type than in Go, cannot be parsed or is too deep.
/// The server responds with 422 and a cause for the field `patch`. The message of the cause
/// contains the patch as [`printed`](genclient_apimachinery::go::printed) formats it.
///
/// ```
/// use genclient_builtins::types::{GoType, convert};
/// use serde_json::json;
///
/// let config_map = GoType::of_kind("", "v1", "ConfigMap").unwrap();
/// let error = convert(&json!({"data": {"a": 1}}), config_map).unwrap_err();
/// assert_eq!(error.to_string(), "cannot convert int64 to string");
/// ```
pub fn convert(value: &Value, type_: GoType) -> Result<DecodedObject, DecodeError> {
    let mut decoded = decode(&convert_at(value, type_, 0)?, type_)?;
    decoded.unknown.sort();
    Ok(decoded)
}

/// Converts a value at a nesting depth.
fn convert_at(value: &Value, type_: GoType, depth: usize) -> Result<Value, DecodeError> {
    if depth > MAX_DEPTH {
        return Err(DecodeError("exceeded max depth".to_owned()));
    }
    let found = reflect_kind(value);
    match (type_.kind(), value) {
        (_, Value::Null) => Ok(Value::Null),
        (GoKind::Any, value) => Ok(value.clone()),
        (GoKind::Custom(_), value) => decode(value, type_).map(|_| value.clone()),
        (GoKind::Pointer(inner), value) => convert_at(value, inner, depth + 1),
        (GoKind::Struct(fields), Value::Object(members)) => convert_struct(members, fields, depth),
        (GoKind::Struct(_), _) => decode_error(format!("cannot restore struct from: {found}")),
        (GoKind::Map(inner), Value::Object(members)) => {
            let mut out = Map::new();
            for (key, member) in members {
                out.insert(key.clone(), convert_at(member, inner, depth + 1)?);
            }
            Ok(Value::Object(out))
        }
        (GoKind::Map(_), _) => decode_error(format!("cannot restore map from {found}")),
        (GoKind::Bytes, Value::String(_)) => decode(value, type_)
            .map(|_| value.clone())
            .map_err(|DecodeError(text)| DecodeError(format!("error decoding from json: {text}"))),
        (GoKind::Slice(inner), Value::Array(items)) => {
            let items = items.iter().map(|item| convert_at(item, inner, depth + 1));
            Ok(Value::Array(items.collect::<Result<_, _>>()?))
        }
        (GoKind::Bytes, Value::Array(_)) => Ok(value.clone()),
        (GoKind::Slice(_) | GoKind::Bytes, _) => {
            decode_error(format!("cannot restore slice from {found}"))
        }
        (kind, value) => convert_scalar(value, kind, type_),
    }
}

/// Converts the fields of a struct. Other members stay; `decode` reports them.
fn convert_struct(
    members: &Map<String, Value>,
    fields: &'static [Field],
    depth: usize,
) -> Result<Value, DecodeError> {
    // Go converts in the order of the struct's fields and reports only the first error.
    let mut out = members.clone();
    for field in fields {
        if let Some(member) = members.get(field.name) {
            out.insert(
                field.name.to_owned(),
                convert_at(member, field.type_, depth + 1)?,
            );
        }
    }
    Ok(Value::Object(out))
}

/// Converts a scalar, with the errors of Go's converter.
fn convert_scalar(value: &Value, kind: GoKind, type_: GoType) -> Result<Value, DecodeError> {
    let cannot = || {
        decode_error(format!(
            "cannot convert {} to {}",
            reflect_kind(value),
            type_.printed()
        ))
    };
    let name = match kind {
        GoKind::Bool => "bool",
        GoKind::Float => "float64",
        GoKind::Integer(32) => "int32",
        GoKind::Integer(_) => "int64",
        _ => "string",
    };
    match (kind, value) {
        (GoKind::Bool, Value::Bool(_)) | (GoKind::String, Value::String(_)) => Ok(value.clone()),
        (GoKind::Float, Value::Number(_)) => Ok(value.clone()),
        (GoKind::Integer(bits), Value::Number(number)) => {
            match (number.as_i64(), number.as_f64()) {
                (Some(whole), _) if bits == 64 => Ok(whole.into()),
                // Go truncates the number to 32 bits.
                #[expect(clippy::cast_possible_truncation, reason = "as in the original")]
                (Some(whole), _) => Ok((whole as i32).into()),
                #[expect(clippy::cast_possible_truncation, reason = "as in the original")]
                (None, Some(float)) if float.fract() == 0.0 => Ok((float as i64).into()),
                _ => cannot(),
            }
        }
        (GoKind::String, Value::Number(number)) if number.is_i64() => cannot(),
        _ => decode_error(format!("unrecognized type: {name}")),
    }
}

fn decode_error<T>(text: String) -> Result<T, DecodeError> {
    Err(DecodeError(text))
}

/// Returns Go's `reflect.Kind` of a decoded value, as in error messages.
fn reflect_kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "invalid",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_i64() => "int64",
        Value::Number(_) => "float64",
        Value::String(_) => "string",
        Value::Array(_) => "slice",
        Value::Object(_) => "map",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn type_errors_match_kube_apiserver() {
        let pod = GoType::of_kind("", "v1", "Pod").unwrap();
        for (body, expected) in CASES {
            let body: Value = serde_json::from_str(body).unwrap();
            let text = match convert(&body, pod) {
                Ok(_) => String::new(),
                Err(error) => error.to_string(),
            };
            assert_eq!(text, *expected, "{body}");
        }
        let whole = convert(&json!({"spec": {"priority": 2.0}}), pod).unwrap();
        assert_eq!(whole.value["spec"]["priority"], 2);
    }

    const CASES: &[(&str, &str)] = &[
        (
            r#"{"metadata": {"labels": ["x"]}}"#,
            r#"cannot restore map from slice"#,
        ),
        (
            r#"{"metadata": {"labels": {"a": 1}}}"#,
            r#"cannot convert int64 to string"#,
        ),
        (r#"{"metadata": 5}"#, r#"cannot restore struct from: int64"#),
        (
            r#"{"spec": {"hostNetwork": "x"}}"#,
            r#"unrecognized type: bool"#,
        ),
        (
            r#"{"spec": {"hostNetwork": 1}}"#,
            r#"unrecognized type: bool"#,
        ),
        (
            r#"{"spec": {"priority": "x"}}"#,
            r#"unrecognized type: int32"#,
        ),
        (
            r#"{"spec": {"priority": 1.5}}"#,
            r#"cannot convert float64 to int32"#,
        ),
        (
            r#"{"spec": {"restartPolicy": 1}}"#,
            r#"cannot convert int64 to v1.RestartPolicy"#,
        ),
        (
            r#"{"spec": {"restartPolicy": 1.5}}"#,
            r#"unrecognized type: string"#,
        ),
        (
            r#"{"spec": {"restartPolicy": true}}"#,
            r#"unrecognized type: string"#,
        ),
        (
            r#"{"spec": {"tolerations": {"a": 1}}}"#,
            r#"cannot restore slice from map"#,
        ),
        (
            r#"{"spec": {"tolerations": ["x"]}}"#,
            r#"cannot restore struct from: string"#,
        ),
        (
            r#"{"spec": {"activeDeadlineSeconds": []}}"#,
            r#"unrecognized type: int64"#,
        ),
        (
            r#"{"spec": {"overhead": {"cpu": "x"}}}"#,
            r#"quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"#,
        ),
        (
            r#"{"spec": {"overhead": {"cpu": true}}}"#,
            r#"quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"#,
        ),
        (
            r#"{"metadata": {"creationTimestamp": "x"}}"#,
            r#"parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006""#,
        ),
        (
            r#"{"metadata": {"creationTimestamp": 5}}"#,
            r#"json: cannot unmarshal number into Go value of type string"#,
        ),
        (
            r#"{"metadata": {"finalizers": "x"}}"#,
            r#"cannot restore slice from string"#,
        ),
        (
            r#"{"spec": {"securityContext": "x"}}"#,
            r#"cannot restore struct from: string"#,
        ),
        (
            r#"{"spec": {"dnsConfig": {"nameservers": [1]}}}"#,
            r#"cannot convert int64 to string"#,
        ),
        (
            r#"{"spec": {"readinessGates": [[]]}}"#,
            r#"cannot restore struct from: slice"#,
        ),
    ];
}
