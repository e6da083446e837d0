//! JSON patch (RFC 6902), with the semantics of evanphx/json-patch v4.
//!
//! Differences from the RFC: `replace` adds a member that does not exist, an operation without
//! `value` has the value null, and negative indices count from the end.

use std::collections::BTreeMap;

use genclient_apimachinery::go::{self, quoted};
use serde_json::Value;
use serde_json::value::RawValue;

use super::PatchError;
use super::node::Node;
use super::pointer::{Failed, MISSING, add, get, index, missing, parent, parent_of_new, remove};

/// Maximum number of operations in a patch.
const MAX_OPERATIONS: usize = 10_000;

/// Maximum number of bytes that `copy` operations of a patch add (`JSONPatchMaxCopyBytes`).
const MAX_COPIED_BYTES: usize = 3 * 1024 * 1024;

/// Operation of a patch. The values of its members are unparsed JSON.
type PatchOperation<'a> = BTreeMap<String, &'a RawValue>;

/// Applies a JSON patch.
///
/// # Errors
///
/// 400 if the patch cannot be decoded, 413 if it has more than 10,000 operations, 422 if an
/// operation cannot be applied.
///
/// ```
/// use genclient_merge::patch::json_patch;
/// use serde_json::json;
///
/// let patch = br#"[{"op": "add", "path": "/a/-1", "value": 3}]"#;
/// assert_eq!(json_patch(&json!({"a": [1, 2]}), patch).unwrap(), json!({"a": [1, 2, 3]}));
/// ```
pub fn json_patch(document: &Value, patch: &[u8]) -> Result<Value, PatchError> {
    let operations = parse(patch)?;
    if operations.len() > MAX_OPERATIONS {
        return Err(PatchError::too_large(&format!(
            "The allowed maximum operations in a JSON patch is {MAX_OPERATIONS}, got {}",
            operations.len()
        )));
    }
    let patched = apply_all(document, &operations);
    patched.map_err(|_reason| PatchError::unprocessable())
}

/// Applies the JSON patch of a webhook. The number of operations is not limited.
///
/// # Errors
///
/// Go's message, if the patch cannot be decoded or an operation cannot be applied.
pub fn json_patch_of_webhook(document: &Value, patch: &[u8]) -> Result<Value, String> {
    let operations = operations(patch)?;
    apply_all(document, &operations).map_err(|Failed(reason)| reason)
}

/// Returns the number of operations in the JSON patch of a webhook.
///
/// # Errors
///
/// The message of Go's decoder, if the patch cannot be decoded.
pub fn count_operations(patch: &[u8]) -> Result<usize, String> {
    operations(patch).map(|operations| operations.len())
}

/// Parses the operations of a webhook's patch, with the errors of Go's decoder.
fn operations(patch: &[u8]) -> Result<Vec<PatchOperation<'_>>, String> {
    let whole: Value =
        serde_json::from_slice(patch).map_err(|error| go::json_error(&error, patch))?;
    let wrong = |found: &Value, type_: &str| {
        let found = go::kind(found);
        format!("json: cannot unmarshal {found} into Go value of type jsonpatch.{type_}")
    };
    match &whole {
        Value::Array(items) => {
            let mut items = items.iter();
            if let Some(found) = items.find(|it| !it.is_object() && !it.is_null()) {
                return Err(wrong(found, "Operation"));
            }
        }
        Value::Null => {}
        found => return Err(wrong(found, "Patch")),
    }
    let texts: Option<Vec<Option<PatchOperation<'_>>>> =
        serde_json::from_slice(patch).map_err(|error| error.to_string())?;
    let texts = texts.unwrap_or_default();
    Ok(texts.into_iter().map(Option::unwrap_or_default).collect())
}

fn apply_all(document: &Value, operations: &[PatchOperation<'_>]) -> Result<Value, Failed> {
    let mut document = Node::of(document);
    let mut copied = 0;
    for operation in operations {
        apply(&mut document, operation, &mut copied)?;
    }
    Ok(document.into_value())
}

/// Returns a message for each unknown member of an operation. The server sends these messages as
/// warnings or, with strict field validation, as errors.
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

/// Parses the operations of a client's patch, with the errors of Go's decoder.
fn parse(patch: &[u8]) -> Result<Vec<PatchOperation<'_>>, PatchError> {
    let whole: Value = serde_json::from_slice(patch).map_err(|error| {
        let error = go::json_error(&error, patch);
        PatchError::bad_request(format!("error decoding patch: {error}"))
    })?;
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
    let found = go::kind(value);
    PatchError::bad_request(format!(
        "error decoding patch: json: cannot unmarshal {found} into Go {into} of type {type_}"
    ))
}

fn apply(
    document: &mut Node,
    operation: &PatchOperation<'_>,
    copied: &mut usize,
) -> Result<(), Failed> {
    match &*text(operation, "op").unwrap_or_else(|_| "unknown".to_owned()) {
        "add" => {
            let path = path_of(operation, "add")?;
            if !has_parent(document, &path) {
                let reason = "operation does not apply: doc is missing path";
                return Err(Failed(format!("add {reason}: \"{path}\": {MISSING}")));
            }
            add(document, &path, value(operation)?)
                .map_err(|error| error.within(&format!("error in add for path: '{path}'")))
        }
        "remove" => {
            let path = path_of(operation, "remove")?;
            if !has_parent(document, &path) {
                let reason = "operation does not apply: doc is missing path";
                return Err(Failed(format!("remove {reason}: \"{path}\": {MISSING}")));
            }
            let removed = remove(document, &path)
                .map_err(|error| error.within(&format!("error in remove for path: '{path}'")));
            removed.map(|_| ())
        }
        "replace" => {
            let path = path_of(operation, "replace")?;
            if !path.is_empty() && !has_parent(document, &path) {
                let reason = "operation does not apply: doc is missing path";
                return Err(Failed(format!("replace {reason}: {path}: {MISSING}")));
            }
            replace(document, &path, operation)
        }
        "move" => move_value(document, operation),
        "test" => {
            let path = path_of(operation, "test")?;
            if !path.is_empty() && !has_parent(document, &path) {
                let reason = "test operation does not apply: is missing path";
                return Err(Failed(format!("{reason}: {path}: {MISSING}")));
            }
            test(document, &path, operation)
        }
        "copy" => copy(document, operation, copied),
        other => Err(Failed(format!("Unexpected kind: {other}"))),
    }
}

fn move_value(document: &mut Node, operation: &PatchOperation<'_>) -> Result<(), Failed> {
    let from = from_of(operation, "move", document)?;
    let key = from.rsplit('/').next().unwrap_or_default();
    let within = |error: Failed| error.within(&format!("error in move for path: '{key}'"));
    let value = get(document, &from).map_err(within)?.cloned();
    remove(document, &from).map_err(within)?;
    let path = destination(operation, "move", document)?;
    add(document, &path, value.unwrap_or(Node::Null))
        .map_err(|error| error.within(&format!("error in move for path: '{path}'")))
}

fn copy(
    document: &mut Node,
    operation: &PatchOperation<'_>,
    copied: &mut usize,
) -> Result<(), Failed> {
    let from = from_of(operation, "copy", document)?;
    let value = get(document, &from)
        .map_err(|error| error.within(&format!("error in copy for from: '{from}'")))?
        .cloned()
        .unwrap_or(Node::Null);
    let path = destination(operation, "copy", document)?;
    if !matches!(value, Node::Null) {
        *copied += value.size();
    }
    if *copied > MAX_COPIED_BYTES {
        return Err(Failed(format!(
            "Unable to complete the copy, the accumulated size increase of copy is {copied}, \
             exceeding the limit {MAX_COPIED_BYTES}"
        )));
    }
    add(document, &path, value)
        .map_err(|error| error.within("error while adding value during copy"))
}

/// Returns whether the object or list that contains the target of a path exists.
fn has_parent(document: &mut Node, path: &str) -> bool {
    parent(document, path).is_ok()
}

fn path_of(operation: &PatchOperation<'_>, name: &str) -> Result<String, Failed> {
    let what = format!("{name} operation failed to decode path");
    text(operation, "path").map_err(|error| error.within(&what))
}

fn from_of(
    operation: &PatchOperation<'_>,
    name: &str,
    document: &mut Node,
) -> Result<String, Failed> {
    let what = format!("{name} operation failed to decode from");
    let from = text(operation, "from").map_err(|error| error.within(&what))?;
    if has_parent(document, &from) {
        Ok(from)
    } else {
        Err(Failed(format!(
            "{name} operation does not apply: doc is missing from path: {from}: {MISSING}"
        )))
    }
}

fn destination(
    operation: &PatchOperation<'_>,
    name: &str,
    document: &mut Node,
) -> Result<String, Failed> {
    let path = path_of(operation, name)?;
    if has_parent(document, &path) {
        Ok(path)
    } else {
        Err(Failed(format!(
            "{name} operation does not apply: doc is missing destination path: {path}: {MISSING}"
        )))
    }
}

fn text(operation: &PatchOperation<'_>, name: &str) -> Result<String, Failed> {
    let text = operation.get(name).ok_or_else(missing)?;
    serde_json::from_str(text.get()).map_err(|_| missing())
}

/// Returns the value of an operation: [`Node::PatchedNull`] if the member `value` is `null`, and
/// [`Node::Null`] if it is absent.
fn value(operation: &PatchOperation<'_>) -> Result<Node, Failed> {
    match operation.get("value") {
        None => Ok(Node::Null),
        Some(text) if text.get() == "null" => Ok(Node::PatchedNull),
        Some(text) => Node::parse(text).ok_or_else(missing),
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
            _ => Err(missing()),
        };
    }
    let (container, key) = parent_of_new(document, path, &value)?;
    match container {
        Node::Object(members) => {
            members.insert(key, value);
        }
        Node::Array(items) => {
            let at = index(&key, items.len()).map_err(|_| {
                let reason = "replace operation does not apply: doc is missing key";
                Failed(format!("{reason}: {path}: {MISSING}"))
            })?;
            items[at] = value;
        }
        _ => return Err(missing()),
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
    if passes {
        Ok(())
    } else {
        Err(Failed(format!("testing value {path} failed: test failed")))
    }
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
    fn json_patch_copies_are_limited_in_size_and_depth() {
        let double = r#"{"op":"copy","from":"/a","path":"/a/b"},"#.repeat(600);
        let patch = format!("[{}]", double.trim_end_matches(','));
        assert!(json_patch(&json!({"a": {}}), patch.as_bytes()).is_err());
        let large = json!({"a": "x".repeat(1 << 20)});
        let copies = r#"{"op":"copy","from":"/a","path":"/b"},"#.repeat(3);
        let patch = format!("[{}]", copies.trim_end_matches(','));
        assert!(json_patch(&large, patch.as_bytes()).is_err());
    }

    #[test]
    fn unknown_json_patch_fields_are_reported() {
        let patch = br#"[{"op":"add"},{"op":"add","foo":1}]"#;
        assert_eq!(
            unknown_members(patch),
            [r#"json patch unknown field "[1].foo""#]
        );
    }
}
