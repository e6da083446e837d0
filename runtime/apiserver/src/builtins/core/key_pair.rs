//! Warnings about Secrets of the type `kubernetes.io/tls` that lack a certificate or a private key.
//!
//! Source: `X509KeyPair` of Go's crypto/tls. Only the types of the PEM blocks are checked, not
//! their content, so a key that does not match the certificate gets no warning.

use serde_json::Value;

use crate::builtins::warnings::{Warnings, text};
use crate::types::decode_base64;

pub(crate) fn secret(secret: &Value, out: &mut Warnings) {
    if text(secret, "type") != "kubernetes.io/tls" {
        return;
    }
    let blocks = |key: &str| {
        let data = decode_base64(text(&secret["data"], key)).unwrap_or_default();
        blocks(&String::from_utf8_lossy(&data))
    };
    out.extend(problem(&blocks("tls.crt"), &blocks("tls.key")));
}

fn problem(certificate: &[String], key: &[String]) -> Option<String> {
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
fn blocks(text: &str) -> Vec<String> {
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
