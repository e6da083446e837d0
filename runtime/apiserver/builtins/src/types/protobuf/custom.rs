//! Decoder of the protobuf form of types with a custom JSON encoding, such as `Time`
//! (k8s.io/apimachinery, pkg/apis/meta/v1, time_proto.go and micro_time_proto.go).

use genclient_apimachinery::meta::{format_micro_time, format_time};
use serde_json::Value;

use super::wire::{ProtobufError, WireReader};
use crate::types::GoType;

const NANOS_PER_MICRO: i64 = 1000;

/// Returns whether a list type has a message around its items, as `ExtraValue` does.
pub(super) fn is_custom_message(type_: GoType) -> bool {
    type_.name().ends_with(".ExtraValue")
}

/// Decodes the items of a list type that has a message around them.
pub(super) fn decode_extra_value(bytes: &[u8]) -> Result<Value, ProtobufError> {
    let mut items = Vec::new();
    let mut reader = WireReader::new(bytes);
    while let Some((_, wire)) = reader.next()? {
        items.push(Value::String(wire.into_text()?));
    }
    Ok(items.into())
}

/// Decodes a value of a type with a custom JSON encoding. Returns `None` for
/// `JSONSchemaPropsOrBool`, `…OrArray` and `…OrStringArray`, which the caller decodes.
pub(super) fn decode_custom(name: &str, bytes: &[u8]) -> Result<Option<Value>, ProtobufError> {
    let value = match name {
        "meta/v1.Time" | "meta/v1.MicroTime" => decode_time(bytes, name == "meta/v1.MicroTime")?,
        "resource.Quantity" => match first_bytes(bytes)? {
            Some(text) => String::from_utf8_lossy(text).into(),
            None => "0".into(),
        },
        "intstr.IntOrString" => decode_int_or_string(bytes)?,
        "runtime.RawExtension" | "meta/v1.FieldsV1" | "apiextensions/v1.JSON" => {
            parse_json(first_bytes(bytes)?.unwrap_or_default())?
        }
        _ => return Ok(None),
    };
    Ok(Some(value))
}

/// Parses the JSON text in a message. An empty text is null.
fn parse_json(text: &[u8]) -> Result<Value, ProtobufError> {
    match text {
        b"" => Ok(Value::Null),
        // Invalid UTF-8 becomes U+FFFD, as in Go.
        text => serde_json::from_str(&String::from_utf8_lossy(text))
            .map_err(|error| ProtobufError::new(error.to_string())),
    }
}

/// Returns the bytes of field 1, or `None` if the message does not have it.
fn first_bytes(bytes: &[u8]) -> Result<Option<&[u8]>, ProtobufError> {
    let mut reader = WireReader::new(bytes);
    while let Some((number, wire)) = reader.next()? {
        if number == 1 {
            return wire.bytes().map(Some);
        }
    }
    Ok(None)
}

/// Decodes a time, encoded as seconds since 1970 and nanoseconds. An empty message is Go's zero
/// time, which is null in JSON.
fn decode_time(bytes: &[u8], is_micro: bool) -> Result<Value, ProtobufError> {
    /// Range of the seconds for which the year has four digits, as RFC 3339 requires.
    const YEARS: std::ops::Range<i64> = -62_135_596_800..253_402_300_800;
    if bytes.is_empty() {
        return Ok(Value::Null);
    }
    let (mut seconds, mut nanos) = (0, 0);
    let mut reader = WireReader::new(bytes);
    while let Some((number, wire)) = reader.next()? {
        match number {
            1 => seconds = wire.integer()?,
            2 => nanos = wire.integer()?,
            _ => {}
        }
    }
    if !YEARS.contains(&seconds) {
        return Err(ProtobufError::new("a time is out of range"));
    }
    // A `Timestamp` has at most 999,999,999 nanoseconds (generated.proto). Other numbers would be
    // carried over by Go's `time.Unix`; here they are cut.
    let micros = u32::try_from(nanos / NANOS_PER_MICRO)
        .unwrap_or_default()
        .min(999_999);
    Ok(if is_micro {
        format_micro_time(seconds, micros).into()
    } else {
        format_time(seconds).into()
    })
}

/// Decodes an `IntOrString`: its type, and a field for each of the two.
fn decode_int_or_string(bytes: &[u8]) -> Result<Value, ProtobufError> {
    let (mut is_text, mut integer, mut text) = (false, 0, String::new());
    let mut reader = WireReader::new(bytes);
    while let Some((number, wire)) = reader.next()? {
        match number {
            1 => is_text = wire.integer()? == 1,
            2 => integer = wire.integer()?,
            3 => text = wire.into_text()?,
            _ => {}
        }
    }
    Ok(if is_text {
        text.into()
    } else {
        i32::try_from(integer).unwrap_or_default().into()
    })
}
