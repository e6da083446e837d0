//! JSON patch (RFC 6902), as evanphx/json-patch v4 applies it.
//!
//! Beside the RFC: `replace` of a missing member adds it, a value that is left out is null, and
//! negative indices count from the end.

use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::value::RawValue;

use super::PatchError;
use super::node::Node;
use crate::types::quoted;

/// How many operations a patch may have.
const MOST_OPERATIONS: usize = 10_000;

/// How many bytes the `copy` operations of a patch may add (`--max-json-patch-copy-bytes`).
const MOST_COPIED: usize = 3 * 1024 * 1024;

/// How deep a document may get, so that no later step overflows its stack.
const DEEPEST: usize = 500;

/// An operation: the texts of its members.
type PatchOperation<'a> = BTreeMap<String, &'a RawValue>;

/// The operation does not apply. The server does not tell the client why.
struct Failed;

/// Applies a JSON patch.
///
/// # Errors
///
/// 400 if the patch is no list of objects, 413 if it has more than 10,000 operations, 422 if an
/// operation does not apply.
///
/// ```
/// use genclient_apiserver::patch::json_patch;
/// use serde_json::json;
///
/// let patch = br#"[{"op": "add", "path": "/a/-1", "value": 3}]"#;
/// assert_eq!(json_patch(&json!({"a": [1, 2]}), patch).unwrap(), json!({"a": [1, 2, 3]}));
/// ```
pub fn json_patch(document: &Value, patch: &[u8]) -> Result<Value, PatchError> {
    let operations = parse(patch)?;
    if operations.len() > MOST_OPERATIONS {
        return Err(PatchError::too_large(&format!(
            "The allowed maximum operations in a JSON patch is {MOST_OPERATIONS}, got {}",
            operations.len()
        )));
    }
    let mut document = Node::of(document);
    let mut copied = 0;
    for operation in &operations {
        apply(&mut document, operation, &mut copied)
            .map_err(|Failed| PatchError::unprocessable())?;
    }
    Ok(document.into_value())
}

/// What strict decoding finds in a JSON patch: members that no operation has, as a warning, or an
/// error for those who ask for strictness.
#[must_use]
pub fn unknown_members(patch: &[u8]) -> Vec<String> {
    let operations: Vec<Option<PatchOperation<'_>>> =
        serde_json::from_slice(patch).unwrap_or_default();
    let mut out = Vec::new();
    for (at, operation) in operations.iter().enumerate() {
        let names = operation.iter().flat_map(BTreeMap::keys);
        for name in names.filter(|name| !["op", "path", "from", "value"].contains(&name.as_str())) {
            let path = quoted(&format!("[{at}].{name}"));
            out.push(format!("json patch unknown field {path}"));
        }
    }
    out
}

/// Reads the operations; errors are those of Go's decoder.
fn parse(patch: &[u8]) -> Result<Vec<PatchOperation<'_>>, PatchError> {
    let whole: Value = serde_json::from_slice(patch)
        .map_err(|error| PatchError::bad_request(format!("error decoding patch: {error}")))?;
    let operations = match &whole {
        Value::Null => return Ok(Vec::new()),
        Value::Array(operations) => operations,
        other => return Err(wrong_type(other, "value", "[]handlers.jsonPatchOp")),
    };
    for operation in operations {
        match operation {
            Value::Object(members) => {
                for name in ["op", "path", "from"] {
                    match members.get(name) {
                        None | Some(Value::Null | Value::String(_)) => {}
                        Some(other) => {
                            let field = format!("struct field jsonPatchOp.{name}");
                            return Err(wrong_type(other, &field, "string"));
                        }
                    }
                }
            }
            Value::Null => {}
            other => return Err(wrong_type(other, "value", "handlers.jsonPatchOp")),
        }
    }
    let texts: Vec<Option<PatchOperation<'_>>> = serde_json::from_slice(patch)
        .map_err(|error| PatchError::bad_request(error.to_string()))?;
    Ok(texts.into_iter().map(Option::unwrap_or_default).collect())
}

fn wrong_type(value: &Value, into: &str, type_: &str) -> PatchError {
    let found = match value {
        Value::Array(_) => "array",
        Value::Object(_) => "object",
        Value::String(_) => "string",
        Value::Bool(_) => "bool",
        Value::Number(_) | Value::Null => "number",
    };
    PatchError::bad_request(format!(
        "error decoding patch: json: cannot unmarshal {found} into Go {into} of type {type_}"
    ))
}

fn apply(
    document: &mut Node,
    operation: &PatchOperation<'_>,
    copied: &mut usize,
) -> Result<(), Failed> {
    match &*text(operation, "op")? {
        "add" => add(document, &text(operation, "path")?, value(operation)?),
        "remove" => remove(document, &text(operation, "path")?).map(|_| ()),
        "replace" => replace(document, &text(operation, "path")?, operation),
        "move" => {
            let from = text(operation, "from")?;
            let value = get(document, &from)?.cloned().unwrap_or(Node::Null);
            remove(document, &from)?;
            add(document, &text(operation, "path")?, value)
        }
        "test" => test(document, &text(operation, "path")?, operation),
        "copy" => {
            let value = get(document, &text(operation, "from")?)?.cloned();
            let value = value.unwrap_or(Node::Null);
            let path = text(operation, "path")?;
            parent(document, &path)?;
            if !matches!(value, Node::Null) {
                *copied += value.size();
            }
            if *copied > MOST_COPIED {
                return Err(Failed);
            }
            add(document, &path, value)
        }
        _ => Err(Failed),
    }
}

fn text(operation: &PatchOperation<'_>, name: &str) -> Result<String, Failed> {
    let text = operation.get(name).ok_or(Failed)?;
    serde_json::from_str(text.get()).map_err(|_| Failed)
}

/// The value of an operation; none is null, but another null than one that is written.
fn value(operation: &PatchOperation<'_>) -> Result<Node, Failed> {
    match operation.get("value") {
        None => Ok(Node::Null),
        Some(text) if text.get() == "null" => Ok(Node::PatchedNull),
        Some(text) => Node::parse(text).ok_or(Failed),
    }
}

/// The tokens of a path. What stands before the first slash is not looked at.
fn tokens(path: &str) -> Option<Vec<String>> {
    let (_, path) = path.split_once('/')?;
    let decoded = |token: &str| {
        // In one pass, so that `~01` is `~1`.
        let parts = token.split("~1").map(|part| part.replace("~0", "~"));
        parts.collect::<Vec<_>>().join("/")
    };
    Some(path.split('/').map(decoded).collect())
}

/// The container that holds the last token of a path, that token, and how deep it is.
fn parent<'a>(document: &'a mut Node, path: &str) -> Result<(&'a mut Node, String, usize), Failed> {
    let mut tokens = tokens(path).ok_or(Failed)?;
    let key = tokens.pop().ok_or(Failed)?;
    let depth = tokens.len() + 1;
    let mut container = document;
    for token in tokens {
        container = match container {
            Node::Object(members) => members.get_mut(&token).ok_or(Failed)?,
            Node::Array(items) => {
                let at = index(&token, items.len())?;
                items.get_mut(at).ok_or(Failed)?
            }
            _ => return Err(Failed),
        };
    }
    match container {
        Node::Object(_) | Node::Array(_) => Ok((container, key, depth)),
        _ => Err(Failed),
    }
}

/// An existing index, which may be negative.
fn index(token: &str, length: usize) -> Result<usize, Failed> {
    let index = offset(token, length)?;
    if index < length {
        Ok(index)
    } else {
        Err(Failed)
    }
}

/// An index as `strconv.Atoi` reads it; a negative one counts from `length`.
fn offset(token: &str, length: usize) -> Result<usize, Failed> {
    let number: i64 = token.parse().map_err(|_| Failed)?;
    match usize::try_from(number) {
        Ok(number) => Ok(number),
        Err(_) => {
            let back = usize::try_from(number.unsigned_abs()).map_err(|_| Failed)?;
            length.checked_sub(back).ok_or(Failed)
        }
    }
}

/// What is at a path; an object that lacks the member has nothing there.
fn get<'a>(document: &'a mut Node, path: &str) -> Result<Option<&'a Node>, Failed> {
    let (container, key, _) = parent(document, path)?;
    match container {
        Node::Object(members) => Ok(members.get(&key)),
        Node::Array(items) => {
            let at = index(&key, items.len())?;
            Ok(items.get(at))
        }
        _ => Err(Failed),
    }
}

fn add(document: &mut Node, path: &str, value: Node) -> Result<(), Failed> {
    let (container, key, depth) = parent(document, path)?;
    if depth + value.depth() > DEEPEST {
        return Err(Failed);
    }
    match container {
        Node::Object(members) => {
            members.insert(key, value);
        }
        Node::Array(items) => {
            let at = match &*key {
                "-" => items.len(),
                key => offset(key, items.len() + 1)?,
            };
            if at > items.len() {
                return Err(Failed);
            }
            items.insert(at, value);
        }
        _ => return Err(Failed),
    }
    Ok(())
}

fn remove(document: &mut Node, path: &str) -> Result<Node, Failed> {
    let (container, key, _) = parent(document, path)?;
    match container {
        Node::Object(members) => members.remove(&key).ok_or(Failed),
        Node::Array(items) => {
            let at = index(&key, items.len())?;
            Ok(items.remove(at))
        }
        _ => Err(Failed),
    }
}

fn replace(document: &mut Node, path: &str, operation: &PatchOperation<'_>) -> Result<(), Failed> {
    let value = value(operation)?;
    if path.is_empty() {
        return match value {
            Node::Object(_) | Node::Array(_) => {
                *document = value;
                Ok(())
            }
            _ => Err(Failed),
        };
    }
    let (container, key, depth) = parent(document, path)?;
    if depth + value.depth() > DEEPEST {
        return Err(Failed);
    }
    match container {
        Node::Object(members) => {
            members.insert(key, value);
        }
        Node::Array(items) => {
            let at = index(&key, items.len())?;
            items[at] = value;
        }
        _ => return Err(Failed),
    }
    Ok(())
}

fn test(document: &mut Node, path: &str, operation: &PatchOperation<'_>) -> Result<(), Failed> {
    let expected = value(operation)?;
    let passes = if path.is_empty() {
        document.equals(&expected)
    } else {
        match get(document, path)? {
            None | Some(Node::Null) => expected.is_null(),
            Some(_) if matches!(expected, Node::Null) => false,
            Some(node) => node.equals(&expected),
        }
    };
    if passes { Ok(()) } else { Err(Failed) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn refused(patch: &[u8]) -> String {
        let error = json_patch(&json!({"a": 1}), patch).unwrap_err();
        format!("{} {error}", error.code)
    }

    #[test]
    fn malformed_patches_are_400_and_long_ones_413() {
        let object = "400 error decoding patch: json: cannot unmarshal object into Go value of \
             type []handlers.jsonPatchOp";
        assert_eq!(refused(b"{}"), object);
        let path = "400 error decoding patch: json: cannot unmarshal number into Go struct field \
             jsonPatchOp.path of type string";
        assert_eq!(refused(br#"[{"op":"add","path":1}]"#), path);
        let one = r#"{"op":"test","path":"/a","value":1},"#.repeat(10_001);
        let long = format!("[{}]", one.trim_end_matches(','));
        let expected = "413 Request entity too large: The allowed maximum operations in a JSON \
             patch is 10000, got 10001";
        assert_eq!(refused(long.as_bytes()), expected);
        assert!(
            refused(br#"[{"op":"remove","path":"/b"}]"#).starts_with("422 the server rejected")
        );
    }

    #[test]
    fn copies_are_bounded_in_size_and_depth() {
        let double = r#"{"op":"copy","from":"/a","path":"/a/b"},"#.repeat(600);
        let patch = format!("[{}]", double.trim_end_matches(','));
        assert!(json_patch(&json!({"a": {}}), patch.as_bytes()).is_err());
        let large = json!({"a": "x".repeat(1 << 20)});
        let copies = r#"{"op":"copy","from":"/a","path":"/b"},"#.repeat(3);
        let patch = format!("[{}]", copies.trim_end_matches(','));
        assert!(json_patch(&large, patch.as_bytes()).is_err());
    }

    #[test]
    fn members_that_no_operation_has_are_named() {
        let patch = br#"[{"op":"add"},{"op":"add","foo":1}]"#;
        assert_eq!(
            unknown_members(patch),
            [r#"json patch unknown field "[1].foo""#]
        );
    }
}
