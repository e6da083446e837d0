//! Conversion of an object's data into CEL values by schema (k8s.io/apiserver/pkg/cel/common,
//! `UnstructuredToVal`).

use std::rc::Rc;

use genclient_apimachinery::strfmt;
use serde_json::{Map as JsonMap, Value as Json};

use super::shape::{Fields, ItemMerge, Shape, ShapeKind, TextFormat};
use super::value::{List, MapValue, Native, Text, TypedList, Value};
use crate::names;
use crate::names::RESERVED;

impl Shape {
    /// Converts data of this shape to a CEL value.
    pub(super) fn value<'a>(&'a self, data: Native<'a>) -> Value<'a> {
        if let Native::Nil = data {
            return if self.nullable {
                Value::Null
            } else {
                Value::error("invalid data, got null for schema with nullable=false")
            };
        }
        match &self.kind {
            ShapeKind::IntOrString => match data {
                Native::Text(_) | Native::Int(_) => data.value(),
                _ => Value::error(
                    "invalid data, expected XIntOrString value to be either a string or integer",
                ),
            },
            ShapeKind::Object(fields) => match data {
                Native::Object(members) => Value::Map(MapValue::Typed(members, fields)),
                _ => Value::error(
                    "invalid data, expected a map for the provided schema with type=object",
                ),
            },
            ShapeKind::Array(items, merge) => convert_list(items.as_deref(), merge, data),
            ShapeKind::Text(format) => match data {
                Native::Text(text) => convert_text(format, text),
                other => type_mismatch("string", &other),
            },
            ShapeKind::Number => match data {
                #[expect(clippy::cast_precision_loss, reason = "converted as Go does")]
                Native::Int(value) => Value::Double(value as f64),
                Native::Double(value) => Value::Double(value),
                other => type_mismatch("float", &other),
            },
            ShapeKind::Integer => match data {
                Native::Int(value) => Value::Int(value),
                other => type_mismatch("int", &other),
            },
            ShapeKind::Boolean => match data {
                Native::Bool(value) => Value::Bool(value),
                other => type_mismatch("bool", &other),
            },
            ShapeKind::Preserved => Value::Preserved(Rc::new(data)),
            ShapeKind::Unknown => Value::error(
                "invalid type, expected object, array, number, integer, boolean or string, or no \
                 type with x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields is \
                 true, got ",
            ),
        }
    }
}

fn type_mismatch<'a>(expected: &str, data: &Native<'a>) -> Value<'a> {
    let found = data.go_type();
    Value::error(format!("invalid data, expected {expected}, got {found}"))
}

/// Converts a list, whose items are converted when they are read.
fn convert_list<'a>(items: Option<&'a Shape>, merge: &'a ItemMerge, data: Native<'a>) -> Value<'a> {
    let elements = match data {
        Native::Array(elements) => elements,
        _ => {
            return Value::error(
                "invalid data, expected an array for the provided schema with type=array",
            );
        }
    };
    let Some(items) = items else {
        return Value::error("invalid array type, expected Items with a non-empty Schema");
    };
    Value::List(List::Typed(match merge {
        ItemMerge::Atomic => TypedList::atomic(elements, items),
        ItemMerge::Set => TypedList::set(elements, items),
        ItemMerge::Map(keys) => TypedList::map(elements, items, keys),
    }))
}

/// Converts a string by its format.
fn convert_text<'a>(format: &TextFormat, text: Text<'a>) -> Value<'a> {
    match format {
        TextFormat::Plain => Value::Text(text),
        TextFormat::Duration => match strfmt::parse_duration(&text) {
            Ok(duration) => Value::Duration(duration),
            Err(error) => Value::error(format!("Invalid duration {}: {error}", &*text)),
        },
        TextFormat::Date => match strfmt::parse_date(&text) {
            Ok(date) => Value::Timestamp(date),
            Err(error) => {
                Value::error(format!("Invalid date formatted string {}: {error}", &*text))
            }
        },
        TextFormat::DateTime => match strfmt::parse_date_time(&text) {
            Ok(time) => Value::Timestamp(time),
            Err(error) => Value::error(format!(
                "Invalid date-time formatted string {}: {error}",
                &*text
            )),
        },
        TextFormat::Byte => match decode_base64_url(&text) {
            Ok(bytes) => Value::Bytes(Rc::from(bytes)),
            Err(at) => Value::error(format!(
                "Invalid byte formatted string {}: illegal base64 data at input byte {at}",
                &*text
            )),
        },
    }
}

impl Fields {
    /// Returns the value of a property by its escaped name, or that of a map entry by its key.
    pub(super) fn find<'a>(
        &'a self,
        members: &'a JsonMap<String, Json>,
        name: &str,
    ) -> Option<Value<'a>> {
        match self {
            Self::Properties(properties) => {
                let name = unescape_property(name)?;
                let member = members.get(&name)?;
                if member.is_null() {
                    return None;
                }
                Some(properties.get(&name)?.value(Native::from(member)))
            }
            Self::Values(values) => Some(values.value(Native::from(members.get(name)?))),
            Self::None => None,
        }
    }

    /// Returns the keys in iteration order: declared keys, then a null for each undeclared key. The
    /// API server allocates a key for each member, but sets only the declared ones.
    pub(super) fn keys<'a>(&self, members: &'a JsonMap<String, Json>) -> Vec<Value<'a>> {
        let written = |name: &'a String| match self {
            Self::Properties(_) => match names::escape(name) {
                Some(escaped) if escaped != *name => Value::text(escaped),
                _ => Value::Text(Text::Borrowed(name)),
            },
            _ => Value::Text(Text::Borrowed(name)),
        };
        let declared = members.keys().filter(|name| self.declares(name));
        let mut keys: Vec<_> = declared.map(written).collect();
        keys.resize_with(members.len(), || Value::Null);
        keys
    }
}

/// Returns the property name for an escaped name (k8s.io/apiserver/pkg/cel, `Unescape`).
fn unescape_property(name: &str) -> Option<String> {
    if !name.contains("__") {
        return Some(name.to_owned());
    }
    let (mut out, mut rest) = (String::new(), name);
    while let Some(start) = rest.find("__") {
        let inner = &rest[start + 2..];
        let word = inner.find('_').unwrap_or(inner.len());
        let Some(after) = inner[word..].strip_prefix("__").filter(|_| word > 0) else {
            out.push_str(&rest[..=start]);
            rest = &rest[start + 1..];
            continue;
        };
        out.push_str(&rest[..start]);
        let whole = word + 4 == name.len();
        out.push_str(match &inner[..word] {
            "underscores" => "__",
            "dot" => ".",
            "dash" => "-",
            "slash" => "/",
            reserved if whole && RESERVED.contains(&reserved) => reserved,
            _ => return None,
        });
        rest = after;
    }
    out.push_str(rest);
    Some(out)
}

/// Decodes URL-safe base64 with padding and ignores line breaks.
///
/// # Errors
///
/// Returns the byte index in Go's error, `base64.CorruptInputError`.
fn decode_base64_url(text: &str) -> Result<Vec<u8>, usize> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let mut quantum: Vec<u8> = Vec::with_capacity(4);
    let mut bytes = text
        .bytes()
        .enumerate()
        .filter(|(_, byte)| !matches!(byte, b'\r' | b'\n'));
    while let Some((at, byte)) = bytes.next() {
        if byte == b'=' {
            if quantum.len() < 2 {
                return Err(at);
            }
            if quantum.len() == 2 {
                match bytes.next() {
                    None => return Err(text.len()),
                    Some((_, b'=')) => {}
                    Some((at, _)) => return Err(at),
                }
            }
            if let Some((at, _)) = bytes.next() {
                return Err(at);
            }
            push_bytes(&mut out, &quantum);
            return Ok(out);
        }
        quantum.push(base64_digit(byte).ok_or(at)?);
        if quantum.len() == 4 {
            push_bytes(&mut out, &quantum);
            quantum.clear();
        }
    }
    if quantum.is_empty() {
        Ok(out)
    } else {
        Err(text.len() - quantum.len())
    }
}

fn base64_digit(byte: u8) -> Option<u8> {
    Some(match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'-' => 62,
        b'_' => 63,
        _ => return None,
    })
}

fn push_bytes(out: &mut Vec<u8>, quantum: &[u8]) {
    let digit = |place: usize| u32::from(quantum.get(place).copied().unwrap_or_default());
    let bits = digit(0) << 18 | digit(1) << 12 | digit(2) << 6 | digit(3);
    let [_, bytes @ ..] = bits.to_be_bytes();
    out.extend_from_slice(&bytes[..quantum.len().saturating_sub(1).min(3)]);
}
