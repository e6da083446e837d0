//! JSON pointers (RFC 6901), with the semantics of evanphx/json-patch v4.

use genclient_apimachinery::go::quoted;

use super::node::Node;

/// Maximum nesting depth of a patched document, so that recursion does not overflow the stack.
const MAX_DEPTH: usize = 500;

/// Message of evanphx/json-patch for a missing path, and for an invalid index in a `replace`.
pub(super) const MISSING: &str = "missing value";
const INVALID_INDEX: &str = "invalid index referenced";

/// Reason why an operation cannot be applied. Clients see it only for the patch of a webhook.
pub(super) struct OperationError(pub(super) String);

impl OperationError {
    pub(super) fn within(self, what: &str) -> Self {
        Self(format!("{what}: {}", self.0))
    }
}

pub(super) fn missing_value_error() -> OperationError {
    OperationError(MISSING.to_owned())
}

/// Splits a JSON pointer into tokens. Text before the first slash is ignored.
fn split_pointer(path: &str) -> Option<Vec<String>> {
    let (_, path) = path.split_once('/')?;
    let decoded = |token: &str| {
        // `~1` is decoded before `~0`, so that `~01` becomes `~1` and not `/`.
        let parts = token.split("~1").map(|part| part.replace("~0", "~"));
        parts.collect::<Vec<_>>().join("/")
    };
    Some(path.split('/').map(decoded).collect())
}

/// Returns the object or list that contains the target of a path, the last token of the path, and
/// the number of tokens.
pub(super) fn find_container<'a>(
    document: &'a mut Node,
    path: &str,
) -> Result<(&'a mut Node, String, usize), OperationError> {
    let mut tokens = split_pointer(path).ok_or_else(missing_value_error)?;
    let key = tokens.pop().ok_or_else(missing_value_error)?;
    let depth = tokens.len() + 1;
    let mut container = document;
    for token in tokens {
        container = match container {
            Node::Object(members) => members.get_mut(&token).ok_or_else(missing_value_error)?,
            Node::Array(items) => {
                let at = parse_index(&token, items.len())?;
                items.get_mut(at).ok_or_else(missing_value_error)?
            }
            _ => return Err(missing_value_error()),
        };
    }
    match container {
        Node::Object(_) | Node::Array(_) => Ok((container, key, depth)),
        _ => Err(missing_value_error()),
    }
}

/// Parses the index of an existing item. A negative index counts from the end.
pub(super) fn parse_index(token: &str, length: usize) -> Result<usize, OperationError> {
    let index = parse_offset(token, length)?;
    if index < length {
        Ok(index)
    } else {
        Err(out_of_range_error(token))
    }
}

/// Parses an index as `strconv.Atoi` does. A negative index counts back from `length`.
fn parse_offset(token: &str, length: usize) -> Result<usize, OperationError> {
    let number: i64 = token.parse().map_err(|_| {
        let token = quoted(token);
        OperationError(format!("strconv.Atoi: parsing {token}: invalid syntax"))
    })?;
    match usize::try_from(number) {
        Ok(number) => Ok(number),
        Err(_) => {
            let back =
                usize::try_from(number.unsigned_abs()).map_err(|_| out_of_range_error(token))?;
            length
                .checked_sub(back)
                .ok_or_else(|| out_of_range_error(token))
        }
    }
}

fn out_of_range_error(token: &str) -> OperationError {
    OperationError(format!(
        "Unable to access invalid index: {token}: {INVALID_INDEX}"
    ))
}

/// Returns the value at a path, or `None` if the parent object exists but lacks the member.
pub(super) fn get_value<'a>(
    document: &'a mut Node,
    path: &str,
) -> Result<Option<&'a Node>, OperationError> {
    let (container, key, _) = find_container(document, path)?;
    match container {
        Node::Object(members) => Ok(members.get(&key)),
        Node::Array(items) => {
            let at = parse_index(&key, items.len())?;
            Ok(items.get(at))
        }
        _ => Err(missing_value_error()),
    }
}

/// As [`find_container`], for a path at which `value` is going to be. The document may become too
/// deep.
pub(super) fn find_container_for<'a>(
    document: &'a mut Node,
    path: &str,
    value: &Node,
) -> Result<(&'a mut Node, String), OperationError> {
    let (container, key, depth) = find_container(document, path)?;
    if depth + value.depth() > MAX_DEPTH {
        return Err(missing_value_error());
    }
    Ok((container, key))
}

/// Sets a member, or inserts an item before the one at the index; `-` appends.
pub(super) fn add_value(
    document: &mut Node,
    path: &str,
    value: Node,
) -> Result<(), OperationError> {
    let (container, key) = find_container_for(document, path, &value)?;
    match container {
        Node::Object(members) => {
            members.insert(key, value);
        }
        Node::Array(items) => {
            let at = match &*key {
                "-" => items.len(),
                key => parse_offset(key, items.len() + 1)?,
            };
            if at > items.len() {
                return Err(out_of_range_error(&key));
            }
            items.insert(at, value);
        }
        _ => return Err(missing_value_error()),
    }
    Ok(())
}

/// Removes a member or item.
pub(super) fn remove_value(document: &mut Node, path: &str) -> Result<Node, OperationError> {
    let (container, key, _) = find_container(document, path)?;
    match container {
        Node::Object(members) => members.remove(&key).ok_or_else(|| {
            OperationError(format!(
                "Unable to remove nonexistent key: {key}: {MISSING}"
            ))
        }),
        Node::Array(items) => {
            let at = parse_index(&key, items.len())?;
            Ok(items.remove(at))
        }
        _ => Err(missing_value_error()),
    }
}
