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
use super::pointer::{
    MISSING, OperationError, add_value, find_container, find_container_for, get_value,
    missing_value_error, parse_index, remove_value,
};

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
    let operations = parse_client_patch(patch)?;
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
    let operations = parse_webhook_patch(patch)?;
    apply_all(document, &operations).map_err(|OperationError(reason)| reason)
}

/// Returns the number of operations in the JSON patch of a webhook.
///
/// # Errors
///
/// The message of Go's decoder, if the patch cannot be decoded.
pub fn count_operations(patch: &[u8]) -> Result<usize, String> {
    parse_webhook_patch(patch).map(|operations| operations.len())
}

/// Parses the operations of a webhook's patch, with the errors of Go's decoder.
fn parse_webhook_patch(patch: &[u8]) -> Result<Vec<PatchOperation<'_>>, String> {
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

fn apply_all(document: &Value, operations: &[PatchOperation<'_>]) -> Result<Value, OperationError> {
    let mut document = Node::from_value(document);
    let mut copied = 0;
    for operation in operations {
        apply_operation(&mut document, operation, &mut copied)?;
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
fn parse_client_patch(patch: &[u8]) -> Result<Vec<PatchOperation<'_>>, PatchError> {
    let whole: Value = serde_json::from_slice(patch).map_err(|error| {
        let error = go::json_error(&error, patch);
        PatchError::bad_request(format!("error decoding patch: {error}"))
    })?;
    let operations = match &whole {
        Value::Null => return Ok(Vec::new()),
        Value::Array(operations) => operations,
        other => return Err(wrong_type_error(other, "value", "[]handlers.jsonPatchOp")),
    };
    for operation in operations {
        match operation {
            Value::Object(members) => {
                for name in ["op", "path", "from"] {
                    match members.get(name) {
                        None | Some(Value::Null | Value::String(_)) => {}
                        Some(other) => {
                            let field = format!("struct field jsonPatchOp.{name}");
                            return Err(wrong_type_error(other, &field, "string"));
                        }
                    }
                }
            }
            Value::Null => {}
            other => return Err(wrong_type_error(other, "value", "handlers.jsonPatchOp")),
        }
    }
    let texts: Vec<Option<PatchOperation<'_>>> = serde_json::from_slice(patch)
        .map_err(|error| PatchError::bad_request(error.to_string()))?;
    Ok(texts.into_iter().map(Option::unwrap_or_default).collect())
}

fn wrong_type_error(value: &Value, into: &str, type_: &str) -> PatchError {
    let found = go::kind(value);
    PatchError::bad_request(format!(
        "error decoding patch: json: cannot unmarshal {found} into Go {into} of type {type_}"
    ))
}

/// Applies one operation (`Patch.ApplyIndent`). `copied` counts the bytes that `copy` has added.
fn apply_operation(
    document: &mut Node,
    operation: &PatchOperation<'_>,
    copied: &mut usize,
) -> Result<(), OperationError> {
    // An operation without a valid `op` is of the kind `unknown` (`Operation.Kind`).
    match &*string_member(operation, "op").unwrap_or_else(|_| "unknown".to_owned()) {
        "add" => {
            let path = path_member(operation, "add")?;
            if !has_parent(document, &path) {
                let reason = "operation does not apply: doc is missing path";
                return Err(OperationError(format!(
                    "add {reason}: \"{path}\": {MISSING}"
                )));
            }
            add_value(document, &path, value_member(operation)?)
                .map_err(|error| error.within(&format!("error in add for path: '{path}'")))
        }
        "remove" => {
            let path = path_member(operation, "remove")?;
            if !has_parent(document, &path) {
                let reason = "operation does not apply: doc is missing path";
                return Err(OperationError(format!(
                    "remove {reason}: \"{path}\": {MISSING}"
                )));
            }
            let removed = remove_value(document, &path)
                .map_err(|error| error.within(&format!("error in remove for path: '{path}'")));
            removed.map(|_| ())
        }
        "replace" => {
            let path = path_member(operation, "replace")?;
            if !path.is_empty() && !has_parent(document, &path) {
                let reason = "operation does not apply: doc is missing path";
                return Err(OperationError(format!(
                    "replace {reason}: {path}: {MISSING}"
                )));
            }
            replace_value(document, &path, operation)
        }
        "move" => move_value(document, operation),
        "test" => {
            let path = path_member(operation, "test")?;
            if !path.is_empty() && !has_parent(document, &path) {
                let reason = "test operation does not apply: is missing path";
                return Err(OperationError(format!("{reason}: {path}: {MISSING}")));
            }
            test_value(document, &path, operation)
        }
        "copy" => copy_value(document, operation, copied),
        other => Err(OperationError(format!("Unexpected kind: {other}"))),
    }
}

fn move_value(document: &mut Node, operation: &PatchOperation<'_>) -> Result<(), OperationError> {
    let from = source_path(operation, "move", document)?;
    let key = from.rsplit('/').next().unwrap_or_default();
    let within = |error: OperationError| error.within(&format!("error in move for path: '{key}'"));
    let value = get_value(document, &from).map_err(within)?.cloned();
    remove_value(document, &from).map_err(within)?;
    let path = destination_path(operation, "move", document)?;
    add_value(document, &path, value.unwrap_or(Node::Null))
        .map_err(|error| error.within(&format!("error in move for path: '{path}'")))
}

/// Copies a value. `copied` is the size of all values that the patch has copied so far.
fn copy_value(
    document: &mut Node,
    operation: &PatchOperation<'_>,
    copied: &mut usize,
) -> Result<(), OperationError> {
    let from = source_path(operation, "copy", document)?;
    let value = get_value(document, &from)
        .map_err(|error| error.within(&format!("error in copy for from: '{from}'")))?
        .cloned()
        .unwrap_or(Node::Null);
    let path = destination_path(operation, "copy", document)?;
    // A null of the document has no raw message, and so no size (`deepCopy`).
    if !matches!(value, Node::Null) {
        *copied += value.size();
    }
    if *copied > MAX_COPIED_BYTES {
        return Err(OperationError(format!(
            "Unable to complete the copy, the accumulated size increase of copy is {copied}, \
             exceeding the limit {MAX_COPIED_BYTES}"
        )));
    }
    add_value(document, &path, value)
        .map_err(|error| error.within("error while adding value during copy"))
}

/// Returns whether the object or list that contains the target of a path exists.
fn has_parent(document: &mut Node, path: &str) -> bool {
    find_container(document, path).is_ok()
}

fn path_member(operation: &PatchOperation<'_>, name: &str) -> Result<String, OperationError> {
    let what = format!("{name} operation failed to decode path");
    string_member(operation, "path").map_err(|error| error.within(&what))
}

/// Returns the member `from`, whose container must exist.
fn source_path(
    operation: &PatchOperation<'_>,
    name: &str,
    document: &mut Node,
) -> Result<String, OperationError> {
    let what = format!("{name} operation failed to decode from");
    let from = string_member(operation, "from").map_err(|error| error.within(&what))?;
    if has_parent(document, &from) {
        Ok(from)
    } else {
        Err(OperationError(format!(
            "{name} operation does not apply: doc is missing from path: {from}: {MISSING}"
        )))
    }
}

/// Returns the member `path`, whose container must exist.
fn destination_path(
    operation: &PatchOperation<'_>,
    name: &str,
    document: &mut Node,
) -> Result<String, OperationError> {
    let path = path_member(operation, name)?;
    if has_parent(document, &path) {
        Ok(path)
    } else {
        Err(OperationError(format!(
            "{name} operation does not apply: doc is missing destination path: {path}: {MISSING}"
        )))
    }
}

fn string_member(operation: &PatchOperation<'_>, name: &str) -> Result<String, OperationError> {
    let text = operation.get(name).ok_or_else(missing_value_error)?;
    serde_json::from_str(text.get()).map_err(|_| missing_value_error())
}

/// Returns the value of an operation: [`Node::PatchedNull`] if the member `value` is `null`, and
/// [`Node::Null`] if it is absent.
fn value_member(operation: &PatchOperation<'_>) -> Result<Node, OperationError> {
    match operation.get("value") {
        None => Ok(Node::Null),
        Some(text) if text.get() == "null" => Ok(Node::PatchedNull),
        Some(text) => Node::parse(text).ok_or_else(missing_value_error),
    }
}

/// Replaces the value at a path. A missing member is added.
fn replace_value(
    document: &mut Node,
    path: &str,
    operation: &PatchOperation<'_>,
) -> Result<(), OperationError> {
    let value = value_member(operation)?;
    if path.is_empty() {
        // The document as a whole can only become an object or a list.
        return match value {
            Node::Object(_) | Node::Array(_) => {
                *document = value;
                Ok(())
            }
            _ => Err(missing_value_error()),
        };
    }
    let (container, key) = find_container_for(document, path, &value)?;
    match container {
        Node::Object(members) => {
            members.insert(key, value);
        }
        Node::Array(items) => {
            let at = parse_index(&key, items.len()).map_err(|_| {
                let reason = "replace operation does not apply: doc is missing key";
                OperationError(format!("{reason}: {path}: {MISSING}"))
            })?;
            items[at] = value;
        }
        _ => return Err(missing_value_error()),
    }
    Ok(())
}

/// Returns an error unless the value at a path equals that of the operation (`Patch.test`).
fn test_value(
    document: &mut Node,
    path: &str,
    operation: &PatchOperation<'_>,
) -> Result<(), OperationError> {
    let expected = value_member(operation)?;
    let passes = if path.is_empty() {
        document.equals(&expected)
    } else {
        match get_value(document, path)? {
            // Go's nil node stands for both: a missing member, and a null of the document.
            None | Some(Node::Null) => expected.is_null(),
            Some(_) if matches!(expected, Node::Null) => false,
            Some(node) => node.equals(&expected),
        }
    };
    if passes {
        Ok(())
    } else {
        Err(OperationError(format!(
            "testing value {path} failed: test failed"
        )))
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
