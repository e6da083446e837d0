//! Validation of ConfigMaps, Secrets and Namespaces (pkg/apis/core/validation).

use genclient_schema::Cause;
use serde_json::Value;

use crate::builtins::findings::{Causes, items, text};
use crate::builtins::names;

/// Limit on the size of all data in a ConfigMap or Secret, in bytes.
const MAX_BYTES: u64 = 1024 * 1024;

const FROZEN: &str = "field is immutable when `immutable` is set";

pub(crate) fn config_map(object: &Value, out: &mut Causes) {
    let mut size = 0;
    for (key, value) in members(object, "data") {
        let field = format!("data[{key}]");
        names::report(&field, key, names::config_key(key), out);
        if object["binaryData"].get(key).is_some() {
            let message = "duplicate of key present in binaryData";
            out.push(Cause::invalid(field, &key.as_str().into(), message));
        }
        size += value.as_str().map_or(0, str::len);
    }
    for (key, value) in members(object, "binaryData") {
        names::report(
            &format!("binaryData[{key}]"),
            key,
            names::config_key(key),
            out,
        );
        size += decoded_length(value);
    }
    if size as u64 > MAX_BYTES {
        out.push(Cause::too_long("[]", MAX_BYTES));
    }
}

/// If the old object is `immutable`, checks that the new object is `immutable`, too, and has the
/// same `fields`.
pub(crate) fn immutable(new: &Value, old: &Value, fields: &[&str], out: &mut Causes) {
    if old["immutable"] != Value::Bool(true) {
        return;
    }
    if new["immutable"] != Value::Bool(true) {
        out.push(Cause::forbidden("immutable", FROZEN));
    }
    for field in fields {
        if new[*field] != old[*field] {
            out.push(Cause::forbidden(*field, FROZEN));
        }
    }
}

fn members<'a>(object: &'a Value, name: &str) -> impl Iterator<Item = (&'a String, &'a Value)> {
    object[name].as_object().into_iter().flatten()
}

/// Returns the number of bytes that a base64 text decodes to.
fn decoded_length(value: &Value) -> usize {
    let text = value.as_str().unwrap_or_default();
    let padding = text.bytes().rev().take_while(|byte| *byte == b'=').count();
    (text.len() / 4 * 3).saturating_sub(padding)
}

pub(crate) fn secret(object: &Value, out: &mut Causes) {
    let mut size = 0;
    for (key, value) in members(object, "data") {
        names::report(&format!("data[{key}]"), key, names::config_key(key), out);
        size += decoded_length(value);
    }
    if size as u64 > MAX_BYTES {
        out.push(Cause::too_long("data", MAX_BYTES));
    }
    let has = |key: &str| object["data"].get(key).is_some();
    let mut require = |keys: &[&str]| {
        for key in keys {
            out.push(Cause::required(format!("data[{key}]"), ""));
        }
    };
    match text(object, "type") {
        "kubernetes.io/tls" => {
            for key in ["tls.crt", "tls.key"] {
                if !has(key) {
                    require(&[key]);
                }
            }
        }
        "kubernetes.io/basic-auth" if !has("username") && !has("password") => {
            require(&["username", "password"]);
        }
        "kubernetes.io/ssh-auth" if text(&object["data"], "ssh-privatekey").is_empty() => {
            require(&["ssh-privatekey"]);
        }
        "kubernetes.io/dockercfg" => json_object(object, ".dockercfg", out),
        "kubernetes.io/dockerconfigjson" => json_object(object, ".dockerconfigjson", out),
        "kubernetes.io/service-account-token" => {
            let key = "kubernetes.io/service-account.name";
            if text(&object["metadata"]["annotations"], key).is_empty() {
                out.push(Cause::required(format!("metadata.annotations[{key}]"), ""));
            }
        }
        _ => {}
    }
}

/// Checks that a key of a Secret is present and contains a JSON object or null.
fn json_object(object: &Value, key: &str, out: &mut Causes) {
    let field = format!("data[{key}]");
    let Some(text) = object["data"].get(key).and_then(Value::as_str) else {
        out.push(Cause::required(field, ""));
        return;
    };
    if let Some(error) = wrong_object(&decoded(text)) {
        let redacted = Value::from("<secret contents redacted>");
        out.push(Cause::invalid(field, &redacted, &error));
    }
}

/// Returns Go's error if bytes are neither a JSON object nor null. Errors about invalid JSON are
/// simplified: they name a wrong first character or else an unexpected end.
fn wrong_object(bytes: &[u8]) -> Option<String> {
    let found = match serde_json::from_slice(bytes) {
        Ok(Value::Object(_) | Value::Null) => return None,
        Ok(Value::Array(_)) => "array",
        Ok(Value::String(_)) => "string",
        Ok(Value::Number(_)) => "number",
        Ok(Value::Bool(_)) => "bool",
        Err(_) => {
            let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
            return Some(match first {
                Some(byte) if !b"{[\"-0123456789tfn".contains(byte) => {
                    let character = char::from(*byte);
                    format!("invalid character '{character}' looking for beginning of value")
                }
                _ => "unexpected end of JSON input".to_owned(),
            });
        }
    };
    let type_ = "map[string]interface {}";
    Some(format!(
        "json: cannot unmarshal {found} into Go value of type {type_}"
    ))
}

fn decoded(text: &str) -> Vec<u8> {
    let digit = |byte: u8| match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let digits: Vec<u8> = text
        .bytes()
        .filter(|byte| *byte != b'=')
        .map(digit)
        .collect();
    let mut out = Vec::with_capacity(digits.len() * 3 / 4);
    for chunk in digits.chunks(4) {
        let bits = chunk
            .iter()
            .fold(0_u32, |bits, digit| bits << 6 | u32::from(*digit));
        let bits = bits << (6 * (4 - chunk.len()));
        out.extend(bits.to_be_bytes().iter().skip(1).take(chunk.len() - 1));
    }
    out
}

pub(crate) fn namespace(object: &Value, out: &mut Causes) {
    for finalizer in items(&object["spec"], "finalizers") {
        let name = finalizer.as_str().unwrap_or_default();
        names::report("spec.finalizers", name, names::qualified(name), out);
        if !name.contains('/') && !matches!(name, "kubernetes" | "orphan" | "foregroundDeletion") {
            let message = "name is neither a standard finalizer name nor is it fully qualified";
            out.push(Cause::invalid("spec.finalizers", finalizer, message));
        }
    }
}
