//! Decoder of Kubernetes' protobuf, in which client-go's typed clients send built-in kinds.
//!
//! A body consists of four magic bytes and a `runtime.Unknown`, which contains the object's type
//! and its message. Field numbers are in `data/protobuf.tsv`. The types of the fields are in
//! `data/types.tsv`, as for JSON.

mod custom;
mod fields;
mod wire;

use serde_json::{Map, Value};

use self::fields::{MessageField, message_fields};
pub use self::wire::ProtobufError;
use self::wire::{Wire, WireReader};
use super::base64::encode_base64;
use super::{GoKind, GoType};

const MAGIC: &[u8] = b"k8s\0";

const MAX_DEPTH: usize = 100;

/// Returns whether bytes start with the magic bytes of Kubernetes' protobuf.
#[must_use]
pub fn is_protobuf(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// Decodes an object of a built-in kind or `DeleteOptions`, and adds its `apiVersion` and `kind`. A
/// body that names no type is decoded as `expected`.
///
/// # Errors
///
/// If the bytes are not a valid message, or name an unknown type.
///
/// ```
/// use genclient_builtins::types::{GoType, decode_protobuf};
///
/// let secret = GoType::of_kind("", "v1", "Secret").unwrap();
/// let metadata = b"\x0a\x03\x0a\x01a";
/// let body = [b"k8s\0\x0a\x0c\x0a\x02v1\x12\x06Secret\x12\x05".as_slice(), metadata].concat();
/// let object = decode_protobuf(&body, secret).unwrap();
/// assert_eq!(object["kind"], "Secret");
/// assert_eq!(object["metadata"]["name"], "a");
/// ```
pub fn decode_protobuf(bytes: &[u8], expected: GoType) -> Result<Value, ProtobufError> {
    let Some(unknown) = bytes.strip_prefix(MAGIC) else {
        return Err(ProtobufError::new(
            "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]",
        ));
    };
    let (mut api_version, mut kind, mut raw) = (String::new(), String::new(), &[][..]);
    let mut reader = WireReader::new(unknown);
    while let Some((number, wire)) = reader.next()? {
        match (number, wire) {
            (1, Wire::Bytes(meta)) => {
                let mut meta = WireReader::new(meta);
                while let Some((number, wire)) = meta.next()? {
                    match number {
                        1 => api_version = wire.into_text()?,
                        2 => kind = wire.into_text()?,
                        _ => {}
                    }
                }
            }
            (2, Wire::Bytes(message)) => raw = message,
            _ => {}
        }
    }
    let (group, version) = api_version.split_once('/').unwrap_or(("", &api_version));
    let type_ = match &*kind {
        "" => Some(expected),
        "DeleteOptions" => GoType::named("meta/v1.DeleteOptions"),
        kind => GoType::of_kind(group, version, kind),
    };
    let type_ = type_.ok_or_else(|| {
        ProtobufError::new(format!(
            "no kind \"{kind}\" is registered for version \"{api_version}\""
        ))
    })?;
    let mut object = decode_message(raw, type_, 0)?;
    for (field, text) in [("apiVersion", api_version), ("kind", kind)] {
        if !text.is_empty() {
            object[field] = text.into();
        }
    }
    Ok(object)
}

/// Decodes a message as the struct `type_`.
fn decode_message(bytes: &[u8], type_: GoType, depth: usize) -> Result<Value, ProtobufError> {
    let mut members = Map::new();
    read_message(bytes, type_, type_.pointed().name(), depth, &mut members)?;
    Ok(Value::Object(members))
}

/// Adds the fields of a message to `members`. `numbers` is the name of the struct that the message
/// encodes: `type_`, or a struct embedded in it. An embedded struct is a message of its own in
/// protobuf, with its own field numbers. In JSON, its fields are members of the outer object.
fn read_message(
    bytes: &[u8],
    type_: GoType,
    numbers: &str,
    depth: usize,
    members: &mut Map<String, Value>,
) -> Result<(), ProtobufError> {
    if depth > MAX_DEPTH {
        return Err(ProtobufError::new("exceeded max depth"));
    }
    let numbers = message_fields(numbers);
    let mut reader = WireReader::new(bytes);
    while let Some((number, wire)) = reader.next()? {
        let field = numbers.iter().find(|field| field.number() == number);
        match field {
            Some(MessageField::Inline(_, struct_)) => {
                read_message(wire.bytes()?, type_, struct_, depth + 1, members)?;
            }
            Some(MessageField::Named(_, name)) => {
                if let Some(field) = type_.field(name) {
                    add_field(members, name, field.type_, wire, depth)?;
                }
            }
            None => {}
        }
    }
    Ok(())
}

/// Adds one occurrence of a field to an object. A list or map has one occurrence for each item.
fn add_field(
    members: &mut Map<String, Value>,
    name: &str,
    type_: GoType,
    wire: Wire<'_>,
    depth: usize,
) -> Result<(), ProtobufError> {
    match type_.kind() {
        GoKind::Slice(inner) if !custom::is_custom_message(type_) => {
            let items = members
                .entry(name)
                .or_insert_with(|| Value::Array(Vec::new()));
            let Value::Array(items) = items else {
                return Ok(());
            };
            match (inner.kind(), wire) {
                // A list of numbers may be packed into one occurrence.
                (GoKind::Integer(_), Wire::Bytes(packed)) => {
                    let mut packed = WireReader::new(packed);
                    while !packed.is_empty() {
                        items.push(packed.integer()?.into());
                    }
                }
                _ => items.push(decode_value(inner, wire, depth)?),
            }
        }
        GoKind::Map(inner) => {
            let entries = members.entry(name).or_insert_with(|| Map::new().into());
            let (mut key, mut found) = (String::new(), None);
            let mut entry = WireReader::new(wire.bytes()?);
            while let Some((number, wire)) = entry.next()? {
                match number {
                    1 => key = wire.into_text()?,
                    2 => found = Some(decode_value(inner, wire, depth)?),
                    _ => {}
                }
            }
            let found = match found {
                Some(found) => found,
                None => decode_value(inner, Wire::Bytes(&[]), depth)?,
            };
            entries[&key] = found;
        }
        GoKind::Pointer(inner) => {
            members.insert(name.to_owned(), decode_value(inner, wire, depth)?);
        }
        _ => {
            let found = decode_value(type_, wire, depth)?;
            // Go sends every field that is not a pointer, so a zero value means an unset field.
            let is_zero = match (&found, type_.kind()) {
                (Value::Null, _) => true,
                (_, GoKind::Custom(_)) => false,
                (Value::Bool(bool), _) => !bool,
                (Value::Number(number), _) => number.as_f64() == Some(0.0),
                (Value::String(text), _) => text.is_empty(),
                _ => false,
            };
            if !is_zero {
                members.insert(name.to_owned(), found);
            }
        }
    }
    Ok(())
}

/// Decodes one occurrence of a field.
fn decode_value(type_: GoType, wire: Wire<'_>, depth: usize) -> Result<Value, ProtobufError> {
    if custom::is_custom_message(type_) {
        return custom::decode_extra_value(wire.bytes()?);
    }
    Ok(match type_.kind() {
        GoKind::Pointer(inner) => return decode_value(inner, wire, depth + 1),
        GoKind::Custom(name) => match custom::decode_custom(name, wire.bytes()?)? {
            Some(value) => value,
            None => decode_schema_or(name, wire.bytes()?, depth + 1)?,
        },
        GoKind::Struct(_) => return decode_message(wire.bytes()?, type_, depth + 1),
        GoKind::Bool => (wire.integer()? != 0).into(),
        GoKind::Integer(32) => i32::try_from(wire.integer()?).unwrap_or_default().into(),
        GoKind::Integer(_) => wire.integer()?.into(),
        GoKind::Float => wire.float()?.into(),
        GoKind::String => wire.into_text()?.into(),
        GoKind::Bytes => encode_base64(wire.bytes()?).into(),
        GoKind::Slice(_) | GoKind::Map(_) | GoKind::Any => {
            return Err(ProtobufError::new(
                "a nested list, a nested map or an untyped value cannot be decoded",
            ));
        }
    })
}

/// Decodes a `JSONSchemaPropsOrBool`, `…OrArray` or `…OrStringArray`. Returns the schema in it, or
/// else the boolean or list. Instead of an empty list, returns an empty schema (`{}`).
fn decode_schema_or(name: &str, bytes: &[u8], depth: usize) -> Result<Value, ProtobufError> {
    let Some(type_) = GoType::named("apiextensions/v1.JSONSchemaProps") else {
        return Ok(Value::Null);
    };
    let (mut schema, mut allows, mut items) = (None, false, Vec::new());
    let mut reader = WireReader::new(bytes);
    while let Some((number, wire)) = reader.next()? {
        match (name, number) {
            ("apiextensions/v1.JSONSchemaPropsOrBool", 1) => allows = wire.integer()? != 0,
            ("apiextensions/v1.JSONSchemaPropsOrBool", 2) | (_, 1) => {
                schema = Some(decode_message(wire.bytes()?, type_, depth)?);
            }
            ("apiextensions/v1.JSONSchemaPropsOrStringArray", 2) => {
                items.push(Value::String(wire.into_text()?));
            }
            (_, 2) => items.push(decode_message(wire.bytes()?, type_, depth)?),
            _ => {}
        }
    }
    Ok(match (schema, name) {
        (Some(schema), _) => schema,
        (None, "apiextensions/v1.JSONSchemaPropsOrBool") => allows.into(),
        (None, _) if items.is_empty() => Map::new().into(),
        (None, _) => items.into(),
    })
}
