//! Decoder of a JSON value to a Go type, which returns the value as the server stores it.
//!
//! In the result, empty members that Go omits are removed, members that Go always writes are added,
//! and quantities and times have their canonical form. Errors are those of sigs.k8s.io/json. Of
//! several type errors, the first in the order of the struct's fields is reported, whereas Go
//! reports the first in the document.

use genclient_apimachinery::go;
use genclient_apimachinery::meta;
use genclient_apimachinery::resource::Quantity;
use serde_json::{Map, Number, Value};

use super::base64::{canonical_base64, encode_base64};
use super::decode_error::DecodePosition;
use super::{DecodeError, Field, GoKind, GoType, quoted};

const MAX_DEPTH: usize = 500;

/// Limit on the number of unknown fields that are reported.
const MAX_UNKNOWN: usize = 100;

/// Result of decoding a value to a Go type.
#[derive(Clone, Debug, PartialEq)]
pub struct DecodedObject {
    /// The decoded value, as Go encodes it.
    pub value: Value,
    /// A message for each field that the Go type does not have: `unknown field "spec.zzz"`. At
    /// most 100 messages.
    pub unknown: Vec<String>,
}

/// Decodes a value to a Go type.
///
/// # Errors
///
/// [`DecodeError`] if a member has another type than in Go, cannot be parsed or is too deep.
///
/// ```
/// use genclient_builtins::types::{GoType, decode};
/// use serde_json::json;
///
/// let deployment = GoType::of_kind("apps", "v1", "Deployment").unwrap();
/// let error = decode(&json!({"spec": {"replicas": "1"}}), deployment).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type \
///      int32"
/// );
/// ```
pub fn decode(value: &Value, type_: GoType) -> Result<DecodedObject, DecodeError> {
    run_decoder(value, type_, false)
}

/// Decodes a value as `runtime.DefaultUnstructuredConverter` does at the end of an apply. Unlike
/// [`decode`], it truncates integers to the number of bits of their type.
///
/// # Errors
///
/// [`DecodeError`] if a member has another type than in Go, cannot be parsed or is too deep.
pub fn decode_converted(value: &Value, type_: GoType) -> Result<DecodedObject, DecodeError> {
    run_decoder(value, type_, true)
}

/// Runs the decoder. `cuts_integers` tells whether integers that are too large for their type lose
/// their high bits.
fn run_decoder(
    value: &Value,
    type_: GoType,
    cuts_integers: bool,
) -> Result<DecodedObject, DecodeError> {
    let mut decoder = Decoder {
        cuts_integers,
        position: DecodePosition::default(),
        saved: None,
        unknown: Vec::new(),
        depth: 0,
    };
    let value = decoder.value(value, type_)?;
    match decoder.saved {
        Some(error) => Err(error),
        None => Ok(DecodedObject {
            value,
            unknown: decoder.unknown,
        }),
    }
}

struct Decoder {
    /// Whether integers are truncated to the number of bits of their type.
    cuts_integers: bool,
    position: DecodePosition,
    /// First type error. Decoding continues, because a later parse error, such as that of a time,
    /// takes precedence.
    saved: Option<DecodeError>,
    unknown: Vec<String>,
    depth: usize,
}

impl Decoder {
    fn value(&mut self, value: &Value, type_: GoType) -> Result<Value, DecodeError> {
        if self.depth > MAX_DEPTH {
            return Err(DecodeError("exceeded max depth".to_owned()));
        }
        self.depth += 1;
        let decoded = self.of_kind(value, type_);
        self.depth -= 1;
        decoded
    }

    /// Decodes a value by the structure of its type.
    fn of_kind(&mut self, value: &Value, type_: GoType) -> Result<Value, DecodeError> {
        match (type_.kind(), value) {
            (GoKind::Any, value) => Ok(value.clone()),
            (GoKind::Custom(_), Value::Null) => Ok(zero_value(type_, 0)),
            (GoKind::Custom(name), value) => self.custom_value(value, name),
            (_, Value::Null) => Ok(zero_value(type_, 0)),
            (GoKind::Pointer(inner), value) => self.value(value, inner),
            (GoKind::Slice(inner), Value::Array(items)) => self.slice(items, inner),
            (GoKind::Map(inner), Value::Object(members)) => self.map(members, inner),
            (GoKind::Struct(fields), Value::Object(members)) => {
                self.structure(members, fields, type_.bare_name())
            }
            (GoKind::Bytes, Value::String(text)) => self.bytes(text),
            (GoKind::Bytes, Value::Array(items)) => Ok(self.byte_list(items)),
            (GoKind::Integer(bits), Value::Number(number)) if self.cuts_integers => {
                truncate_integer(number, bits).map(Value::from)
            }
            (GoKind::Integer(bits), Value::Number(number)) => {
                let fits = number
                    .as_i64()
                    .is_some_and(|number| bits == 64 || i32::try_from(number).is_ok());
                if fits {
                    return Ok(value.clone());
                }
                Ok(self.wrong(&format!("number {number}"), type_))
            }
            (GoKind::Bool, Value::Bool(_))
            | (GoKind::Float, Value::Number(_))
            | (GoKind::String, Value::String(_)) => Ok(value.clone()),
            (_, value) => Ok(self.wrong(go::kind(value), type_)),
        }
    }

    /// Saves a type error if it is the first one, and returns the type's zero value.
    fn wrong(&mut self, found: &str, type_: GoType) -> Value {
        if self.saved.is_none() {
            self.saved = Some(self.position.wrong_type(found, type_));
        }
        zero_value(type_, 0)
    }

    /// Decodes a list.
    fn slice(&mut self, items: &[Value], inner: GoType) -> Result<Value, DecodeError> {
        let mut out = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            let before = self.position.enter_index(index);
            out.push(self.value(item, inner)?);
            self.position.path.truncate(before);
        }
        // An empty list is stored like an absent one.
        Ok(if out.is_empty() {
            Value::Null
        } else {
            Value::Array(out)
        })
    }

    /// Decodes a map.
    fn map(&mut self, members: &Map<String, Value>, inner: GoType) -> Result<Value, DecodeError> {
        let mut out = Map::new();
        for (key, member) in members {
            let before = self.position.enter(key);
            let value = match (self.value(member, inner)?, inner.kind()) {
                // Null is stored as empty bytes.
                (Value::Null, GoKind::Bytes) => Value::from(""),
                (value, _) => value,
            };
            out.insert(key.clone(), value);
            self.position.path.truncate(before);
        }
        Ok(if out.is_empty() {
            Value::Null
        } else {
            Value::Object(out)
        })
    }

    /// Decodes a struct: reports unknown members, then decodes the fields in their order.
    fn structure(
        &mut self,
        members: &Map<String, Value>,
        fields: &'static [Field],
        owner: &'static str,
    ) -> Result<Value, DecodeError> {
        for key in members.keys() {
            if !fields.iter().any(|field| field.name == key) {
                self.unknown_field(key);
            }
        }
        let mut out = Map::new();
        for field in fields {
            let value = match members.get(field.name) {
                None => zero_value(field.type_, 0),
                Some(member) => self.field(member, field, owner)?,
            };
            if !is_omitted(&value, field) {
                out.insert(field.name.to_owned(), value);
            }
        }
        Ok(Value::Object(out))
    }

    /// Decodes a field of a struct, unless Go would not write it.
    fn field(
        &mut self,
        member: &Value,
        field: &'static Field,
        owner: &'static str,
    ) -> Result<Value, DecodeError> {
        let depth = self.position.fields.len();
        // Go's errors name the innermost struct.
        let outer = std::mem::replace(&mut self.position.owner, owner);
        if !field.embedded.is_empty() {
            self.position.fields.push(field.embedded.to_owned());
        }
        self.position.fields.push(field.name.to_owned());
        let before = self.position.enter(field.name);
        let value = self.value(member, field.type_);
        // After an error, the position remains for its message.
        if value.is_ok() {
            self.position.path.truncate(before);
            self.position.fields.truncate(depth);
            self.position.owner = outer;
        }
        value
    }

    fn unknown_field(&mut self, key: &str) {
        if self.unknown.len() < MAX_UNKNOWN {
            let path = self.position.member(key);
            self.unknown
                .push(format!("unknown field {}", quoted(&path)));
        }
    }

    fn bytes(&mut self, text: &str) -> Result<Value, DecodeError> {
        match canonical_base64(text) {
            Ok(canonical) => Ok(Value::String(canonical)),
            Err(at) => {
                if self.saved.is_none() {
                    let error = format!("illegal base64 data at input byte {at}");
                    self.saved = Some(DecodeError(error));
                }
                Ok(Value::Null)
            }
        }
    }

    /// Decodes bytes that are written as a list of numbers, which Go accepts.
    fn byte_list(&mut self, items: &[Value]) -> Value {
        let mut out = Vec::with_capacity(items.len());
        for item in items {
            match item {
                Value::Null => out.push(0),
                Value::Number(number) => match number.as_u64().and_then(|n| u8::try_from(n).ok()) {
                    Some(byte) => out.push(byte),
                    None => self.wrong_byte(&format!("number {number}")),
                },
                item => self.wrong_byte(go::kind(item)),
            }
        }
        encode_base64(&out).into()
    }

    fn wrong_byte(&mut self, found: &str) {
        if self.saved.is_none() {
            self.saved = Some(self.position.wrong(found, "uint8"));
        }
    }

    /// Decodes a value of a type that has its own `UnmarshalJSON` in Go.
    fn custom_value(&mut self, value: &Value, name: &str) -> Result<Value, DecodeError> {
        match name {
            "meta/v1.Time" | "meta/v1.MicroTime" => {
                let Value::String(text) = value else {
                    return Err(self.position.wrong(go::kind(value), "string"));
                };
                let micro = name.ends_with("MicroTime");
                let time = if micro {
                    meta::parse_micro_time(text)
                        .map(|(seconds, micros)| meta::format_micro_time(seconds, micros))
                } else {
                    meta::parse_time(text).map(meta::format_time)
                };
                time.map(Value::String).map_err(DecodeError)
            }
            "resource.Quantity" => decode_quantity(value),
            "intstr.IntOrString" => match value {
                Value::String(_) => Ok(value.clone()),
                Value::Number(number) => {
                    let fits = number
                        .as_i64()
                        .is_some_and(|number| i32::try_from(number).is_ok());
                    if fits {
                        Ok(value.clone())
                    } else {
                        Err(self.position.wrong(&format!("number {number}"), "int32"))
                    }
                }
                value => Err(self.position.wrong(go::kind(value), "int32")),
            },
            _ => Ok(value.clone()),
        }
    }
}

/// Truncates an integer to `bits` bits. A number with a fraction is an error.
#[expect(clippy::cast_possible_truncation, reason = "Go truncates, too")]
fn truncate_integer(number: &Number, bits: u32) -> Result<i64, DecodeError> {
    let whole = match (number.as_i64(), number.as_f64()) {
        (Some(whole), _) => whole,
        (None, Some(double)) if double.fract() != 0.0 => {
            let error = format!("cannot convert float64 to int{bits}");
            return Err(DecodeError(error));
        }
        // An applied configuration is read as YAML, where a double without a fraction becomes an
        // integer if it fits into `i64`. This double does not fit. On amd64, Go converts it to the
        // smallest integer.
        _ => i64::MIN,
    };
    Ok(match bits {
        64 => whole,
        _ => i64::from(whole as i32),
    })
}

fn decode_quantity(value: &Value) -> Result<Value, DecodeError> {
    let text = match value {
        Value::String(text) => text.trim().to_owned(),
        value => value.to_string(),
    };
    let quantity = Quantity::parse(&text).map_err(|error| DecodeError(error.to_string()))?;
    Ok(Value::String(quantity.canonical()))
}

/// Returns whether Go does not write a value of this field (`omitempty`, `omitzero`).
fn is_omitted(value: &Value, field: &Field) -> bool {
    if field.omit_zero && *value == zero_value(field.type_, 0) {
        return true;
    }
    if !field.omit_empty {
        return false;
    }
    match field.type_.kind() {
        GoKind::Struct(_) | GoKind::Custom(_) => false,
        GoKind::Pointer(_) => value.is_null(),
        _ => match value {
            Value::Null | Value::Bool(false) => true,
            Value::Number(number) => number.as_f64() == Some(0.0),
            Value::String(text) => text.is_empty(),
            Value::Array(items) => items.is_empty(),
            Value::Object(members) => members.is_empty(),
            Value::Bool(true) => false,
        },
    }
}

/// Returns the zero value of a type as Go encodes it.
fn zero_value(type_: GoType, depth: usize) -> Value {
    match type_.kind() {
        GoKind::Struct(fields) if depth < MAX_DEPTH => {
            let mut out = Map::new();
            for field in fields {
                let value = zero_value(field.type_, depth + 1);
                if !is_omitted(&value, field) {
                    out.insert(field.name.to_owned(), value);
                }
            }
            Value::Object(out)
        }
        GoKind::Custom("resource.Quantity") => Value::from("0"),
        GoKind::Custom("intstr.IntOrString") | GoKind::Integer(_) | GoKind::Float => Value::from(0),
        GoKind::Bool => Value::from(false),
        GoKind::String => Value::from(""),
        _ => Value::Null,
    }
}

#[cfg(test)]
mod tests;
