//! Secrets (pkg/apis/core/validation).

use genclient_apimachinery::field;
use genclient_apimachinery::unstructured::{str_field, str_or_empty};
use genclient_apimachinery::validation;
use serde_json::{Value, json};

use crate::accessors::{member_count, set_default};
use crate::core::config_map::{MAX_BYTES, data_members, decoded_length, validate_immutable};
use crate::findings::unchanged;
use crate::names;
use crate::row::Row;
use crate::strategy::{FinalizerRule, Strategy};
use crate::types::{Object, decode_base64, encode_base64};
use crate::warnings::Warnings;

/// Strategy of Secrets (pkg/registry/core/secret, strategy.go).
#[derive(Debug)]
pub(crate) struct SecretStrategy;

impl Strategy for SecretStrategy {
    fn finalizer_rule(&self) -> FinalizerRule {
        FinalizerRule::QualifiedTwice
    }

    fn convert(&self, secret: &mut Value) {
        merge_string_data(secret);
    }

    fn validate(&self, object: &Value, out: &mut field::ErrorList) {
        let mut size = 0;
        for (key, value) in data_members(object, "data") {
            names::report_name_errors(
                &format!("data[{key}]"),
                key,
                validation::config_key(key),
                out,
            );
            size += decoded_length(value);
        }
        if size as u64 > MAX_BYTES {
            out.push(field::Error::too_long("data", MAX_BYTES));
        }
        let has = |key: &str| object["data"].get(key).is_some();
        let mut require = |keys: &[&str]| {
            for key in keys {
                out.push(field::Error::required(format!("data[{key}]"), ""));
            }
        };
        match str_field(object, "type") {
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
            "kubernetes.io/ssh-auth" if str_field(&object["data"], "ssh-privatekey").is_empty() => {
                require(&["ssh-privatekey"]);
            }
            "kubernetes.io/dockercfg" => validate_json_object(object, ".dockercfg", out),
            "kubernetes.io/dockerconfigjson" => {
                validate_json_object(object, ".dockerconfigjson", out)
            }
            "kubernetes.io/service-account-token" => {
                let key = "kubernetes.io/service-account.name";
                if str_field(&object["metadata"]["annotations"], key).is_empty() {
                    out.push(field::Error::required(
                        format!("metadata.annotations[{key}]"),
                        "",
                    ));
                }
            }
            _ => {}
        }
    }

    fn validate_update(&self, new: &Value, old: &Value, out: &mut field::ErrorList) {
        unchanged("type", &new["type"], &old["type"], out);
        validate_immutable(new, old, &["data"], out);
        self.validate(new, out);
    }

    fn warn_on_create(&self, secret: &Value, out: &mut Warnings) {
        warn_key_pair(secret, out);
    }

    fn cells(&self, row: Row<'_>) -> Option<Vec<Value>> {
        let type_ = json!(str_or_empty(&row.object["type"]));
        let count = member_count(&row.object["data"]);
        Some(vec![row.name(), type_, json!(count), row.age()])
    }
}

/// Moves the entries of a Secret's `stringData` to `data`, where they replace entries with the same
/// key. `stringData` itself is never stored.
fn merge_string_data(secret: &mut Value) {
    let Value::Object(members) = secret else {
        return;
    };
    let Some(Value::Object(texts)) = members.remove("stringData") else {
        return;
    };
    let data = members.entry("data").or_insert_with(|| json!({}));
    for (key, text) in texts {
        if let Some(text) = text.as_str() {
            data[key] = encode_base64(text.as_bytes()).into();
        }
    }
}

/// Checks that a key of a Secret is present and contains a JSON object or null.
fn validate_json_object(object: &Value, key: &str, out: &mut field::ErrorList) {
    let field = format!("data[{key}]");
    let Some(text) = object["data"].get(key).and_then(Value::as_str) else {
        out.push(field::Error::required(field, ""));
        return;
    };
    if let Some(error) = json_object_error(&decode_lossy(text)) {
        let redacted = Value::from("<secret contents redacted>");
        out.push(field::Error::invalid(field, &redacted, &error));
    }
}

/// Returns Go's error if bytes are neither a JSON object nor null. Errors about invalid JSON are
/// simplified: they name a wrong first character or else an unexpected end.
fn json_object_error(bytes: &[u8]) -> Option<String> {
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

/// Decodes base64 up to the first byte that is not valid.
fn decode_lossy(text: &str) -> Vec<u8> {
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

/// Warns about a Secret of the type `kubernetes.io/tls` that lacks a certificate or a private key
/// (`X509KeyPair` of Go's crypto/tls). Only the types of the PEM blocks are checked, not their
/// content, so a key that does not match the certificate gets no warning.
fn warn_key_pair(secret: &Value, out: &mut Warnings) {
    if str_field(secret, "type") != "kubernetes.io/tls" {
        return;
    }
    let blocks = |key: &str| {
        let data = decode_base64(str_field(&secret["data"], key)).unwrap_or_default();
        pem_blocks(&String::from_utf8_lossy(&data))
    };
    out.extend(key_pair_error(&blocks("tls.crt"), &blocks("tls.key")));
}

/// Returns Go's error for a certificate and key that are not a pair (`tls.X509KeyPair`), as far as
/// their PEM blocks tell.
fn key_pair_error(certificate: &[String], key: &[String]) -> Option<String> {
    if !certificate.iter().any(|block| block == "CERTIFICATE") {
        return Some(match certificate {
            [] => "tls: failed to find any PEM data in certificate input".to_owned(),
            [only] if only.ends_with("PRIVATE KEY") => {
                "tls: failed to find certificate PEM data in certificate input, but did find a \
                 private key; PEM inputs may have been switched"
                    .to_owned()
            }
            skipped => format!(
                "tls: failed to find \"CERTIFICATE\" PEM block in certificate input after \
                 skipping PEM blocks of the following types: [{}]",
                skipped.join(" ")
            ),
        });
    }
    let is_key = |block: &String| block == "PRIVATE KEY" || block.ends_with(" PRIVATE KEY");
    if !key.iter().any(is_key) {
        return Some(match key {
            [] => "tls: failed to find any PEM data in key input".to_owned(),
            [only] if only == "CERTIFICATE" => {
                "tls: found a certificate rather than a key in the PEM for the private key"
                    .to_owned()
            }
            skipped => format!(
                "tls: failed to find PEM block with type ending in \"PRIVATE KEY\" in key input \
                 after skipping PEM blocks of the following types: [{}]",
                skipped.join(" ")
            ),
        });
    }
    None
}

/// Returns the types of the PEM blocks in a text.
fn pem_blocks(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((_, begun)) = rest.split_once("-----BEGIN ") {
        rest = begun;
        let Some((type_, body)) = begun.split_once("-----") else {
            break;
        };
        if let Some((_, after)) = body.split_once(&format!("-----END {type_}-----")) {
            found.push(type_.to_owned());
            rest = after;
        }
    }
    found
}

/// Sets the defaults of a Secret.
pub(crate) fn set_defaults(members: &mut Object) {
    set_default(members, "type", "Opaque");
}
