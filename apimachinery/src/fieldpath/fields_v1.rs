//! `fieldsV1`: JSON encoding of path sets in managed field entries.

use std::sync::Arc;

use serde_json::{Map, Number, Value};

use super::element::PathElement;
use super::print::{self, comma};
use super::set::{Set, SetNode};

/// Maximum nesting depth. `fieldsV1` with deeper paths is rejected.
const MAX_DEPTH: usize = 256;

/// Decodes `fieldsV1`. Keys with an unknown prefix are ignored.
///
/// # Errors
///
/// If a key cannot be parsed, a value is neither an object nor null, or the nesting is too deep.
///
/// ```
/// use genclient_apimachinery::fieldpath::{decode_set, format_path};
///
/// let port = serde_json::json!({ "k:{\"port\":80}": { "f:name": {} } });
/// let paths = decode_set(&serde_json::json!({ "f:spec": { "f:ports": port } }))?.paths();
/// assert_eq!(format_path(&paths[0]), ".spec.ports[port=80].name");
/// # Ok::<(), String>(())
/// ```
///
/// Source: structured-merge-diff, fieldpath/serialize.go, `FromJSON`.
pub fn decode_set(fields: &Value) -> Result<Set, String> {
    decode_level(fields, MAX_DEPTH).map(|(set, _)| set)
}

/// Decodes the value of one key. Returns the paths below the key, and whether the key itself is a
/// member.
fn decode_level(fields: &Value, depth: usize) -> Result<(Set, bool), String> {
    let fields = match fields {
        Value::Object(fields) => fields,
        Value::Null => return Ok((Set::default(), true)),
        _ => return Err("expected an object".to_owned()),
    };
    let depth = depth.checked_sub(1).ok_or("nested too deeply")?;
    let mut member = fields.contains_key(".");
    let mut nodes = Vec::with_capacity(fields.len());
    for (key, below) in fields.iter().filter(|(key, _)| *key != ".") {
        if let Some(element) = decode_element(key)? {
            let (children, member) = decode_level(below, depth)?;
            nodes.push(SetNode {
                element,
                member,
                children,
            });
        }
    }
    // `{}` is a leaf, as is `{".": {}}`.
    if nodes.is_empty() {
        member = true;
    }
    if !nodes.is_sorted_by(|a, b| a.element < b.element) {
        nodes.sort_by(|a, b| a.element.cmp(&b.element));
        nodes.dedup_by(|later, kept| later.element == kept.element && merge_duplicate(kept, later));
    }
    Ok((nodes.into_iter().collect(), member))
}

/// Merges two nodes whose keys decode to the same element, such as `v:1` and `v:1.0`. If `later`
/// has children, they replace those of `kept`. Returns true, so that `dedup_by` removes `later`.
fn merge_duplicate(kept: &mut SetNode, later: &SetNode) -> bool {
    kept.member |= later.member;
    if !later.children.is_empty() {
        kept.children = later.children.clone();
    }
    true
}

/// Parses a key such as `f:spec`. Returns `None` if its prefix is unknown.
fn decode_element(key: &str) -> Result<Option<PathElement>, String> {
    let kind = key.as_bytes().first_chunk::<2>();
    let [kind, b':'] = kind.ok_or("key must be 2 characters long:")? else {
        return Err(format!("missing colon: {key}"));
    };
    let text = &key[2..];
    Ok(Some(match kind {
        b'f' => PathElement::field(text),
        b'v' => PathElement::Value(Arc::new(parse_json_as_doubles(text)?)),
        b'k' => match parse_json_as_doubles(text)? {
            Value::Object(keys) => {
                let keys = keys
                    .into_iter()
                    .map(|(name, value)| (Arc::from(name), value));
                PathElement::ListKey(keys.collect())
            }
            Value::Null => PathElement::ListKey(Arc::default()),
            _ => return Err(format!("expected an object: {key}")),
        },
        b'i' => PathElement::Index(text.parse().map_err(|_| format!("no index: {key}"))?),
        _ => return Ok(None),
    }))
}

/// Parses JSON and turns all numbers into doubles. Empty text is null.
fn parse_json_as_doubles(text: &str) -> Result<Value, String> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter();
    match values.next() {
        Some(Ok(value)) => Ok(convert_to_doubles(value)),
        Some(Err(error)) => Err(error.to_string()),
        None => Ok(Value::Null),
    }
}

/// Turns all numbers in a value into doubles.
fn convert_to_doubles(value: Value) -> Value {
    match value {
        Value::Number(number) => {
            let float = number.as_f64().and_then(Number::from_f64);
            Value::Number(float.unwrap_or(number))
        }
        Value::Array(items) => items.into_iter().map(convert_to_doubles).collect(),
        Value::Object(members) => {
            let members = members.into_iter();
            members
                .map(|(name, value)| (name, convert_to_doubles(value)))
                .collect()
        }
        other => other,
    }
}

/// Encodes a set as a `fieldsV1` object.
///
/// # Errors
///
/// If the set contains [`PathElement::Invalid`].
pub fn encode_set(set: &Set) -> Result<Value, InvalidElement> {
    let mut fields = Map::new();
    for node in &set.nodes {
        let mut below = match encode_set(&node.children)? {
            Value::Object(below) => below,
            _ => Map::new(),
        };
        if node.member && !below.is_empty() {
            below.insert(".".to_owned(), Value::Object(Map::new()));
        }
        fields.insert(encode_element(&node.element)?, Value::Object(below));
    }
    Ok(Value::Object(fields))
}

/// Encodes a set as `fieldsV1` text, with keys in the order of the path elements. kube-apiserver
/// stores this text for built-in kinds.
///
/// # Errors
///
/// If the set contains [`PathElement::Invalid`].
pub fn encode_set_text(set: &Set) -> Result<String, InvalidElement> {
    let mut out = String::new();
    write_set(set, false, &mut out)?;
    Ok(out)
}

/// Writes a set. `member` tells whether the path of the set itself is a member (`"."`).
fn write_set(set: &Set, member: bool, out: &mut String) -> Result<(), InvalidElement> {
    out.push('{');
    let marked = member && !set.is_empty();
    if marked {
        out.push_str("\".\":{}");
    }
    for (at, node) in set.nodes.iter().enumerate() {
        comma(at + usize::from(marked), out);
        print::json_text(&encode_element(&node.element)?, false, out);
        out.push(':');
        write_set(&node.children, node.member, out)?;
    }
    out.push('}');
    Ok(())
}

/// Error: the set contains [`PathElement::Invalid`], which `fieldsV1` cannot encode.
#[derive(Debug, PartialEq, Eq)]
pub struct InvalidElement;

/// Encodes an element as a key, such as `f:spec` (`SerializePathElement`).
fn encode_element(element: &PathElement) -> Result<String, InvalidElement> {
    let mut out = String::new();
    match element {
        PathElement::Field(name) => {
            out.reserve_exact(name.len() + 2);
            out.push_str("f:");
            out.push_str(name);
        }
        PathElement::ListKey(keys) => {
            out.push_str("k:{");
            for (at, (name, value)) in keys.iter().enumerate() {
                comma(at, &mut out);
                print::json_text(name, false, &mut out);
                out.push(':');
                print::json(value, &mut out);
            }
            out.push('}');
        }
        PathElement::Value(value) => {
            out.push_str("v:");
            print::json(value, &mut out);
        }
        PathElement::Index(index) => out = format!("i:{index}"),
        PathElement::Invalid => return Err(InvalidElement),
    }
    Ok(out)
}
