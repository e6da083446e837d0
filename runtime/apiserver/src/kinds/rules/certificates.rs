//! Validation of CertificateSigningRequests (pkg/apis/certificates/validation).
//!
//! The signature in a request is not verified, and certificates are not parsed: both need
//! cryptography, which this crate does not depend on. Their PEM blocks are checked.

use std::cmp::Ordering;
use std::collections::HashSet;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use genclient_schema::Cause;
use serde_json::Value;

use super::field::{NameForm, ObjectField};
use super::findings::{Causes, items, text};
use super::names;
use crate::types::decode_base64;

const LEGACY_SIGNER: &str = "kubernetes.io/legacy-unknown";

/// Key usages (`allValidUsages`), sorted.
const USAGES: &[&str] = &[
    "any",
    "cert sign",
    "client auth",
    "code signing",
    "content commitment",
    "crl sign",
    "data encipherment",
    "decipher only",
    "digital signature",
    "email protection",
    "encipher only",
    "ipsec end system",
    "ipsec tunnel",
    "ipsec user",
    "key agreement",
    "key encipherment",
    "microsoft sgc",
    "netscape sgc",
    "ocsp signing",
    "s/mime",
    "server auth",
    "signing",
    "timestamping",
];

/// Conditions that an update must not remove.
const PERMANENT: [&str; 3] = ["Approved", "Denied", "Failed"];

/// Conditions that only the subresource `approval` sets.
const OF_APPROVAL: [&str; 2] = ["Approved", "Denied"];

pub(super) fn created(request: &Value, out: &mut Causes) {
    spec(&ObjectField::spec(request), out);
    conditions(request, None, out);
    certificate(request, out);
}

/// Validates an update of a request or of its subresource. An update of the request itself changes
/// neither spec nor status. `approval` sets the conditions `Approved` and `Denied`; `status` sets
/// the certificate and other conditions.
pub(super) fn updated(new: &Value, old: &Value, subresource: &str, out: &mut Causes) {
    spec(&ObjectField::spec(new), out);
    conditions(new, Some(old), out);
    let [issued, before] = [new, old].map(|it| text(&it["status"], "certificate"));
    if issued != before {
        certificate(new, out);
    }
    for type_ in PERMANENT {
        let [found, before] = [new, old].map(|it| of_type(it, type_));
        if found.len() < before.len() {
            let detail = format!("updates may not remove a condition of type {type_:?}");
            out.push(Cause::forbidden("status.conditions", &detail));
        }
    }
    if subresource != "approval" {
        for type_ in OF_APPROVAL {
            let [found, before] = [new, old].map(|it| of_type(it, type_));
            if found.len() > before.len() {
                let detail = format!("updates may not add a condition of type {type_:?}");
                out.push(Cause::forbidden("status.conditions", &detail));
            }
        }
    }
    if issued != before && subresource != "status" {
        let detail = "updates may not set certificate content";
        out.push(Cause::forbidden("status.certificate", detail));
    } else if issued != before && !before.is_empty() {
        let detail = "updates may not modify existing certificate content";
        out.push(Cause::forbidden("status.certificate", detail));
    }
}

fn spec(spec: &ObjectField<'_>, out: &mut Causes) {
    let request = spec.at("request");
    let decoded = decode_base64(request.text()).unwrap_or_default();
    if let Err(wrong) = check_request(&decoded) {
        request.invalid(wrong, out);
    }
    let usages = spec.at("usages");
    if usages.has_none() {
        usages.required("", out);
    }
    for usage in usages.items() {
        usage.supported(USAGES, out);
    }
    let mut seen = HashSet::new();
    for usage in usages.items() {
        if !seen.insert(usage.text().to_owned()) {
            usage.duplicate(out);
        }
    }
    let signer = spec.at("signerName");
    if signer.text() == LEGACY_SIGNER {
        let detail = "the legacy signerName is not allowed via this API version";
        signer.invalid(detail, out);
    } else {
        signer_name(&signer, out);
    }
    let seconds = spec.at("expirationSeconds");
    if seconds.is_set() && seconds.number() < 600 {
        let detail = "may not specify a duration less than 600 seconds (10 minutes)";
        seconds.invalid(detail, out);
    }
}

/// Validates the name of a signer, such as `example.com/name` (`ValidateSignerName` in
/// pkg/apis/core/validation, names.go).
fn signer_name(signer: &ObjectField<'_>, out: &mut Causes) {
    if signer.text().is_empty() {
        return signer.required("", out);
    }
    let Some((domain, path)) = signer
        .text()
        .split_once('/')
        .filter(|(_, path)| !path.contains('/'))
    else {
        let detail = "must be a fully qualified domain and path of the form \
                      'example.com/signer-name'";
        return signer.invalid(detail, out);
    };
    labels(signer, domain, names::label, out);
    if !domain.contains('.') {
        let detail = "should be a domain with at least two segments separated by dots";
        out.push(Cause::invalid(&signer.path, &domain.into(), detail));
    }
    labels(signer, path, names::subdomain, out);
}

/// Validates the labels of a segment in the name of a signer. Only the errors of the first wrong
/// label are reported.
fn labels(signer: &ObjectField<'_>, segment: &str, form: NameForm, out: &mut Causes) {
    for label in segment.split('.') {
        let errors = form(label);
        for error in &errors {
            let detail = format!("validating label {label:?}: {error}");
            out.push(Cause::invalid(&signer.path, &segment.into(), &detail));
        }
        if !errors.is_empty() {
            return;
        }
    }
}

/// Validates the conditions. Mistakes that `old` has already are accepted.
fn conditions(request: &Value, old: Option<&Value>, out: &mut Causes) {
    let had = |has: fn(&Value) -> bool| old.is_some_and(has);
    let was_contradictory = had(is_contradictory);
    let had_repeated_types = had(has_repeated_types);
    let conditions = ObjectField::of(&request["status"]["conditions"], "status.conditions");
    let mut seen = Vec::new();
    for condition in conditions.items() {
        let (type_, status) = (condition.at("type"), condition.at("status"));
        if type_.text().is_empty() && !had(|old| !of_type(old, "").is_empty()) {
            type_.required("", out);
        }
        let supported: &[&str] = match PERMANENT.contains(&type_.text()) {
            true => &["True"],
            false => &["False", "True", "Unknown"],
        };
        status.required_one_of(supported, "", out);
        let is_contradicted = OF_APPROVAL.contains(&type_.text())
            && OF_APPROVAL
                .iter()
                .any(|other| *other != type_.text() && seen.contains(other));
        if is_contradicted && !was_contradictory {
            let detail = "Approved and Denied conditions are mutually exclusive";
            let value = type_.text().into();
            out.push(Cause::invalid(&conditions.path, &value, detail));
        }
        if seen.contains(&type_.text()) && !had_repeated_types {
            type_.duplicate(out);
        }
        seen.push(type_.text());
    }
}

fn of_type<'a>(request: &'a Value, type_: &str) -> Vec<&'a Value> {
    let conditions = items(&request["status"], "conditions").iter();
    conditions.filter(|it| text(it, "type") == type_).collect()
}

fn is_contradictory(request: &Value) -> bool {
    OF_APPROVAL
        .iter()
        .all(|type_| !of_type(request, type_).is_empty())
}

fn has_repeated_types(request: &Value) -> bool {
    let mut seen = HashSet::new();
    let mut conditions = items(&request["status"], "conditions").iter();
    conditions.any(|condition| !seen.insert(text(condition, "type")))
}

fn certificate(request: &Value, out: &mut Causes) {
    let certificate = text(&request["status"], "certificate");
    let pem = decode_base64(certificate).unwrap_or_default();
    if let Err(wrong) = check_certificates(&String::from_utf8_lossy(&pem)) {
        let value = "<certificate data>".into();
        out.push(Cause::invalid("status.certificate", &value, &wrong));
    }
}

/// Checks the PEM blocks in a certificate. Without a certificate, there are none.
fn check_certificates(pem: &str) -> Result<(), String> {
    if pem.is_empty() {
        return Ok(());
    }
    let blocks = blocks(pem);
    if blocks.is_empty() {
        return Err("must contain at least one CERTIFICATE PEM block".to_owned());
    }
    for block in blocks {
        if block.type_ != "CERTIFICATE" {
            return Err(format!(
                "only CERTIFICATE PEM blocks are allowed, found {:?}",
                block.type_
            ));
        }
        if block.has_headers {
            return Err("no PEM block headers are permitted".to_owned());
        }
    }
    Ok(())
}

/// Checks that a request is one PEM block with an ASN.1 sequence (`ParseCSR` in
/// pkg/apis/certificates, helpers.go).
fn check_request(pem: &[u8]) -> Result<(), &'static str> {
    let text = String::from_utf8_lossy(pem);
    match blocks(&text).first() {
        Some(block) if block.type_ == "CERTIFICATE REQUEST" => check_sequence(&block.content),
        _ => Err("PEM block type must be CERTIFICATE REQUEST"),
    }
}

/// Checks that bytes are one complete element of ASN.1 in DER.
fn check_sequence(der: &[u8]) -> Result<(), &'static str> {
    let [_, length, rest @ ..] = der else {
        return Err("asn1: syntax error: truncated tag or length");
    };
    // A length of 128 or more follows in as many bytes as the lower bits of the first byte say.
    let (length, rest) = match *length {
        short @ ..0x80 => (usize::from(short), rest),
        long => {
            let (bytes, rest) = rest
                .split_at_checked(usize::from(long & 0x7f))
                .filter(|(bytes, _)| bytes.len() <= size_of::<usize>())
                .ok_or("asn1: syntax error: truncated tag or length")?;
            let length = bytes
                .iter()
                .fold(0, |length, byte| length << 8 | usize::from(*byte));
            (length, rest)
        }
    };
    match rest.len().cmp(&length) {
        Ordering::Less => Err("asn1: syntax error: data truncated"),
        Ordering::Equal => Ok(()),
        Ordering::Greater => Err("asn1: syntax error: trailing data"),
    }
}

/// PEM block: `-----BEGIN type-----`, headers, base64, `-----END type-----`.
struct Block<'a> {
    type_: &'a str,
    has_headers: bool,
    content: Vec<u8>,
}

/// Returns the complete PEM blocks in a text. Anything else is ignored, as in Go's `pem.Decode`.
fn blocks(pem: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut lines = pem.lines();
    while let Some(line) = lines.next() {
        let type_ = line
            .strip_prefix("-----BEGIN ")
            .and_then(|rest| rest.trim_end().strip_suffix("-----"));
        let Some(type_) = type_ else {
            continue;
        };
        let end = format!("-----END {type_}-----");
        let mut body = Vec::new();
        let is_complete = lines.by_ref().any(|line| {
            body.push(line.trim());
            line.trim_end() == end
        });
        body.pop();
        let has_headers = body.iter().any(|line| line.contains(':'));
        body.retain(|line| !line.contains(':'));
        let content = STANDARD.decode(body.concat());
        if let Some(content) = content.ok().filter(|_| is_complete) {
            blocks.push(Block {
                type_,
                has_headers,
                content,
            });
        }
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_one_block_with_a_sequence() {
        let block = |type_: &str, content: &str| {
            format!("-----BEGIN {type_}-----\n{content}\n-----END {type_}-----\n")
        };
        let long = STANDARD.encode([&[0x30, 0x81, 0x80][..], &[0; 0x80]].concat());
        for (pem, expected) in [
            (block("CERTIFICATE REQUEST", "MAA="), Ok(())),
            (block("CERTIFICATE REQUEST", &long), Ok(())),
            (
                block("CERTIFICATE", "MAA="),
                Err("PEM block type must be CERTIFICATE REQUEST"),
            ),
            (
                block("CERTIFICATE REQUEST", "MA=="),
                Err("asn1: syntax error: truncated tag or length"),
            ),
            (
                block("CERTIFICATE REQUEST", "MAE="),
                Err("asn1: syntax error: data truncated"),
            ),
            (
                block("CERTIFICATE REQUEST", "MAAA"),
                Err("asn1: syntax error: trailing data"),
            ),
        ] {
            assert_eq!(check_request(pem.as_bytes()), expected, "{pem}");
        }
    }

    #[test]
    fn certificates_are_blocks_of_one_type_without_headers() {
        let certificate = "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n";
        assert_eq!(check_certificates(""), Ok(()));
        assert_eq!(check_certificates(&certificate.repeat(2)), Ok(()));
        let headers = certificate.replace("MAA=", "a: b\n\nMAA=");
        let wrong = |pem: &str| check_certificates(pem).unwrap_err();
        assert_eq!(wrong(&headers), "no PEM block headers are permitted");
        let key = certificate.replace("CERTIFICATE", "KEY");
        let expected = "only CERTIFICATE PEM blocks are allowed, found \"KEY\"";
        assert_eq!(wrong(&key), expected);
        let expected = "must contain at least one CERTIFICATE PEM block";
        assert_eq!(wrong("MAA="), expected);
    }
}
