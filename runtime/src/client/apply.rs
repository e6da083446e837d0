//! Server-side apply: the verbs, and the request body without null fields.

use std::fmt::Write as _;

use kube::{Error, Resource};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::{PatchParams, Result, TypedClient};

impl<K> TypedClient<K>
where
    K: Resource + Clone + DeserializeOwned + Send + 'static,
{
    /// Applies `object` by server-side apply. If the object does not exist, it is created.
    /// Otherwise the fields in `object` are set. A field that the manager applied earlier and that
    /// `object` lacks is removed, unless another manager owns it.
    ///
    /// `object` may be a complete object or a part of one, for example from `serde_json::json!`.
    /// The API server requires `apiVersion`, `kind` and `metadata.name`, so they are added if
    /// absent. Null fields are left out, since the API server would set them to null.
    /// `metadata.managedFields` is left out, since the API server would reject it. So an object
    /// that was read can be applied unchanged.
    ///
    /// The field manager is taken from `params`, or else from the
    /// [connection](super::ClientBuilder::field_manager). If neither has one, it is the user agent
    /// up to the first `/`, as the API server sets it for other writes.
    ///
    /// # Errors
    ///
    /// See [`TypedClient`]; `Conflict` if another manager owns a field with another value, unless
    /// `params.force`; `Invalid` if `params` names no field manager and the connection was not made
    /// by [`builder`](super::builder) or [`connect`](super::connect).
    pub async fn apply(
        &self,
        name: &str,
        object: &impl Serialize,
        params: &PatchParams,
    ) -> Result<K> {
        let body = add_type_meta_and_name::<K>(self.types(), name, object)?;
        self.apply_as(name, None, &body, params).await
    }

    /// Like [`TypedClient::apply`], but applies only the status, through the status subresource.
    ///
    /// # Errors
    ///
    /// See [`TypedClient::apply`]; `NotFound` if the object does not exist.
    pub async fn apply_status(
        &self,
        name: &str,
        object: &impl Serialize,
        params: &PatchParams,
    ) -> Result<K> {
        let body = add_type_meta_and_name::<K>(self.types(), name, object)?;
        self.apply_as(name, Some("status"), &body, params).await
    }
}

/// Returns `object` as JSON, with `apiVersion`, `kind` and `metadata.name` added if absent.
fn add_type_meta_and_name<K: Resource>(
    types: &K::DynamicType,
    name: &str,
    object: &impl Serialize,
) -> Result<Value> {
    let mut body = serde_json::to_value(object).map_err(Error::SerdeError)?;
    if let Value::Object(members) = &mut body {
        set_if_absent(members, "apiVersion", || K::api_version(types).into());
        set_if_absent(members, "kind", || K::kind(types).into());
        set_if_absent(members, "metadata", || Value::Object(Map::new()));
    }
    if let Some(Value::Object(metadata)) = body.get_mut("metadata") {
        set_if_absent(metadata, "name", || name.into());
    }
    Ok(body)
}

fn set_if_absent(members: &mut Map<String, Value>, member: &str, value: impl FnOnce() -> Value) {
    let found = members.entry(member).or_insert(Value::Null);
    if found.is_null() {
        *found = value();
    }
}

/// Returns `input` as JSON for a server-side apply: without null fields and without
/// `metadata.managedFields`.
pub(super) fn build_apply_body(input: &(impl Serialize + ?Sized)) -> Result<Value> {
    let mut body = serde_json::to_value(input).map_err(Error::SerdeError)?;
    if let Some(Value::Object(metadata)) = body.get_mut("metadata") {
        metadata.remove("managedFields");
    }
    remove_null_members(&mut body);
    Ok(body)
}

/// Escapes JSON so that a YAML parser reads it as a JSON parser does.
///
/// The API server parses the body of an apply as YAML. In YAML, some characters end a line even
/// between quotes, and others are forbidden. JSON has such characters only in strings, where they
/// can be written as `\u` escapes.
pub(super) fn escape_for_yaml(json: Vec<u8>) -> Vec<u8> {
    let Ok(text) = std::str::from_utf8(&json) else {
        return json;
    };
    if !text.contains(is_special_to_yaml) {
        return json;
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if is_special_to_yaml(character) {
            // Writing to a string cannot fail.
            let _ = write!(escaped, "\\u{:04x}", u32::from(character));
        } else {
            escaped.push(character);
        }
    }
    escaped.into_bytes()
}

/// Whether YAML reads `character` in a string differently from JSON: line ends, the byte order
/// mark, and characters that YAML 1.1 does not count as printable. Characters below U+0020 are
/// missing here, since serde_json escapes them.
fn is_special_to_yaml(character: char) -> bool {
    matches!(
        character,
        '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
    )
}

/// Removes null fields of objects. Null items of lists stay, since their removal would change the
/// index of later items.
fn remove_null_members(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|_, member| !member.is_null());
            members.values_mut().for_each(remove_null_members);
        }
        Value::Array(items) => items.iter_mut().for_each(remove_null_members),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_special_to_yaml_are_escaped() {
        for (text, expected) in [
            (
                "plain, \t, \n, \u{e9}, \u{1f600}",
                r#""plain, \t, \n, é, 😀""#,
            ),
            ("\u{85}", r#""\u0085""#),
            ("a\u{2028}b\u{2029}c", r#""a\u2028b\u2029c""#),
            (
                "\u{7f}\u{80}\u{9f}\u{a0}",
                "\"\\u007f\\u0080\\u009f\u{a0}\"",
            ),
            (
                "\u{feff}\u{fffd}\u{fffe}\u{ffff}",
                "\"\\ufeff\u{fffd}\\ufffe\\uffff\"",
            ),
        ] {
            let json = serde_json::to_vec(text).unwrap();
            let written = escape_for_yaml(json);
            assert_eq!(String::from_utf8_lossy(&written), expected);
            assert_eq!(serde_json::from_slice::<String>(&written).unwrap(), text);
        }
    }
}
