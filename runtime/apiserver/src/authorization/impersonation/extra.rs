//! Validation of an impersonated user's extra attributes.

use std::collections::BTreeMap;

use crate::authorization::authorizer::aggregate;
use crate::types::quoted;

/// Returns the error of extra attributes that constrained modes reject (`validateExtra`).
pub(super) fn wrong(extra: &BTreeMap<String, Vec<String>>) -> Option<String> {
    extra.iter().find_map(|(key, values)| {
        if key.is_empty() {
            return Some("impersonating the empty string key in extra is not allowed".to_owned());
        }
        if let Some(errors) = wrong_key(key) {
            let what = "impersonating an invalid key in extra is not allowed";
            return Some(format!("{what}: {errors}"));
        }
        let has_empty = values.iter().any(String::is_empty);
        has_empty.then(|| "impersonating the empty string value in extra is not allowed".to_owned())
    })
}

/// Returns the errors of a key that is not a domain-prefixed path (`IsDomainPrefixedPath`).
fn wrong_key(key: &str) -> Option<String> {
    let field = "extra.key";
    let invalid = |detail: &str| format!("{field}: Invalid value: {}: {detail}", quoted(key));
    let (domain, path) = match key.split_once('/') {
        Some((domain, path)) if !domain.is_empty() && !path.is_empty() => (domain, path),
        _ => {
            let detail = "must be a domain-prefixed path (such as \"acme.io/foo\")";
            return Some(invalid(detail));
        }
    };
    let mut errors: Vec<_> = genclient_schema::meta::names::subdomain(domain)
        .iter()
        .map(|error| format!("{field}: Invalid value: {}: {error}", quoted(domain)))
        .collect();
    let is_path = |c: char| c.is_ascii_alphanumeric() || "/-._~%!$&'()*+,;=:".contains(c);
    if !path.chars().all(is_path) {
        let what = "Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')";
        errors.push(format!("{field}: Invalid value: {}: {what}", quoted(path)));
    }
    aggregate(&errors)
}
