//! Impersonation headers of a request: the user to impersonate, with checked extra attributes.

use std::collections::BTreeMap;

use genclient_apimachinery::errors::aggregate;
use genclient_builtins::types::quoted;
use http::HeaderMap;

use crate::rbac::user::User;
use crate::route::percent_decode;
use crate::status_error::StatusError;

pub(super) fn has_impersonation_headers(headers: &HeaderMap) -> bool {
    let mut names = headers.keys();
    names.any(|name| name.as_str().starts_with("impersonate-"))
}

/// Returns the user to impersonate, or `None` if the headers have no user name, groups, uid or
/// extra attributes. Groups, uid or extra attributes without a user name are an error.
pub(super) fn user_to_impersonate(headers: &HeaderMap) -> Result<Option<User>, StatusError> {
    let text = |value: &http::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let first = |name: &str| headers.get(name).map(text).unwrap_or_default();
    let mut extra: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, value) in headers {
        if let Some(key) = name.as_str().strip_prefix("impersonate-extra-") {
            extra
                .entry(percent_decode(key))
                .or_default()
                .push(text(value));
        }
    }
    let user = User {
        name: first("impersonate-user"),
        uid: first("impersonate-uid"),
        groups: headers
            .get_all("impersonate-group")
            .iter()
            .map(text)
            .collect(),
        extra,
    };
    if !user.name.is_empty() {
        return Ok(Some(user));
    }
    if has_only_name(&user) {
        Ok(None)
    } else {
        Err(StatusError::bad_request(format!(
            "requested {} without impersonating a user name",
            print_user(&user)
        )))
    }
}

/// Formats a user as Go's `%#v` does.
fn print_user(user: &User) -> String {
    let list = |values: &[String]| {
        let values: Vec<_> = values.iter().map(|value| quoted(value)).collect();
        if values.is_empty() {
            "[]string(nil)".to_owned()
        } else {
            format!("[]string{{{}}}", values.join(", "))
        }
    };
    let extra: Vec<_> = user
        .extra
        .iter()
        .map(|(key, values)| format!("{}:{}", quoted(key), list(values)))
        .collect();
    // Go prints a map in the order of its keys.
    let extra = if extra.is_empty() {
        "map[string][]string(nil)".to_owned()
    } else {
        format!("map[string][]string{{{}}}", extra.join(", "))
    };
    format!(
        "&user.DefaultInfo{{Name:{}, UID:{}, Groups:{}, Extra:{extra}}}",
        quoted(&user.name),
        quoted(&user.uid),
        list(&user.groups)
    )
}

pub(super) fn has_only_name(user: &User) -> bool {
    user.uid.is_empty() && user.groups.is_empty() && user.extra.is_empty()
}

/// Returns the error for extra attributes that only `ImpersonationMode::Legacy` permits
/// (`validateExtra`).
pub(super) fn extra_error(extra: &BTreeMap<String, Vec<String>>) -> Option<String> {
    extra.iter().find_map(|(key, values)| {
        if key.is_empty() {
            return Some("impersonating the empty string key in extra is not allowed".to_owned());
        }
        if let Some(errors) = key_errors(key) {
            let what = "impersonating an invalid key in extra is not allowed";
            return Some(format!("{what}: {errors}"));
        }
        let has_empty = values.iter().any(String::is_empty);
        has_empty.then(|| "impersonating the empty string value in extra is not allowed".to_owned())
    })
}

/// Returns the errors of a key that must be a domain-prefixed path (`IsDomainPrefixedPath`).
fn key_errors(key: &str) -> Option<String> {
    let field = "extra.key";
    let invalid = |detail: &str| format!("{field}: Invalid value: {}: {detail}", quoted(key));
    let (domain, path) = match key.split_once('/') {
        Some((domain, path)) if !domain.is_empty() && !path.is_empty() => (domain, path),
        _ => {
            let detail = "must be a domain-prefixed path (such as \"acme.io/foo\")";
            return Some(invalid(detail));
        }
    };
    let mut errors: Vec<_> = genclient_apimachinery::validation::subdomain(domain)
        .iter()
        .map(|error| format!("{field}: Invalid value: {}: {error}", quoted(domain)))
        .collect();
    let is_path = |c: char| c.is_ascii_alphanumeric() || "/-._~%!$&'()*+,;=:".contains(c);
    if !path.chars().all(is_path) {
        let what = "Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')";
        errors.push(format!("{field}: Invalid value: {}: {what}", quoted(path)));
    }
    aggregate(errors)
}
