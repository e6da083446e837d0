//! Checks of the forms of names. Each check returns a message for every violation
//! (k8s.io/apimachinery/pkg/util/validation).

use genclient_apimachinery::field::Cause;
use genclient_schema::meta::names::{NameRule, label_key};
use serde_json::Value;

use crate::findings::Causes;

const LABEL: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters \
     or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', \
     regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric \
     characters, '-' or '.', and must start and end with an alphanumeric character (e.g. \
     'example.com', regex used for validation is \
     '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const CONFIG_KEY: &str = "a valid config key must consist of alphanumeric characters, '-', '_' or \
     '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is \
     '[-._a-zA-Z0-9]+')";
const LABEL_VALUE: &str = "a valid label must be an empty string or consist of alphanumeric \
     characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. \
     'MyValue',  or 'my_value',  or '12345', regex used for validation is \
     '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

const WILDCARD: &str = "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid \
     DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end \
     with an alphanumeric character (e.g. '*.example.com', regex used for validation is \
     '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const SEARCH_DOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case \
     alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric \
     character (e.g. 'example.com', regex used for validation is \
     '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')";
const HEADER: &str = "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. \
     'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')";
pub(crate) const HTTP_PATH: &str = "Invalid path (regex used for validation is \
     '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')";

/// Adds a finding about a value for each message.
pub(crate) fn report(field: &str, value: &str, messages: Vec<String>, out: &mut Causes) {
    for message in messages {
        out.push(Cause::invalid(field, &value.into(), &message));
    }
}

fn longer(text: &str, most: usize) -> Option<String> {
    (text.len() > most).then(|| format!("must be no more than {most} characters"))
}

fn is_label(text: &str) -> bool {
    let inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    text.starts_with(inner) && text.ends_with(inner) && text.chars().all(|c| inner(c) || c == '-')
}

fn is_qualified(text: &str) -> bool {
    let inner = |c: char| c.is_ascii_alphanumeric();
    let all = text.chars().all(|c| inner(c) || "-_.".contains(c));
    text.starts_with(inner) && text.ends_with(inner) && all
}

/// Checks an RFC 1123 label (`IsDNS1123Label`).
pub(crate) fn label(text: &str) -> Vec<String> {
    let form = (!is_label(text)).then(|| match is_subdomain(text) {
        true => "must not contain dots".to_owned(),
        false => LABEL.to_owned(),
    });
    longer(text, 63).into_iter().chain(form).collect()
}

fn is_subdomain(text: &str) -> bool {
    text.split('.').all(is_label)
}

/// Checks an RFC 1123 subdomain (`IsDNS1123Subdomain`).
pub(crate) fn subdomain(text: &str) -> Vec<String> {
    let form = (!is_subdomain(text)).then(|| SUBDOMAIN.to_owned());
    longer(text, 253).into_iter().chain(form).collect()
}

/// Checks a key of a ConfigMap or Secret (`IsConfigMapKey`).
pub(crate) fn config_key(key: &str) -> Vec<String> {
    let known = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
    let form = (key.is_empty() || !key.chars().all(known)).then(|| CONFIG_KEY.to_owned());
    let path = match key {
        "." => Some("must not be '.'"),
        ".." => Some("must not be '..'"),
        key if key.starts_with("..") => Some("must not start with '..'"),
        _ => None,
    };
    let path = path.map(str::to_owned);
    longer(key, 253)
        .into_iter()
        .chain(form)
        .chain(path)
        .collect()
}

/// Checks a name with an optional domain, such as a label key (`IsQualifiedName`).
pub(crate) fn qualified(text: &str) -> Vec<String> {
    label_key(text)
}

/// Checks the value of a label (`IsValidLabelValue`).
pub(crate) fn label_value(text: &str) -> Vec<String> {
    let form = (!text.is_empty() && !is_qualified(text)).then(|| LABEL_VALUE.to_owned());
    let length = (text.len() > 63).then(|| "must be no more than 63 bytes".to_owned());
    length.into_iter().chain(form).collect()
}

/// Checks the name of a port (`IsValidPortName`).
pub(crate) fn port_name(text: &str) -> Vec<String> {
    let known = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let checks = [
        (text.len() > 15, "must be no more than 15 characters"),
        (
            text.is_empty() || !text.chars().all(known),
            "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)",
        ),
        (
            !text.contains(|c: char| c.is_ascii_lowercase()),
            "must contain at least one letter (a-z)",
        ),
        (text.contains("--"), "must not contain consecutive hyphens"),
        (
            text.starts_with('-') || text.ends_with('-'),
            "must not begin or end with a hyphen",
        ),
    ];
    let found = checks.into_iter().filter(|(wrong, _)| *wrong);
    found.map(|(_, message)| message.to_owned()).collect()
}

pub(crate) fn is_port(number: i64) -> bool {
    (1..=65_535).contains(&number)
}

pub(crate) const PORT_RANGE: &str = "must be between 1 and 65535, inclusive";

/// Returns whether a text has only the characters of a URL path.
pub(crate) fn is_http_path(path: &str) -> bool {
    let known = |c: char| c.is_ascii_alphanumeric() || "/-._~%!$&'()*+,;=:".contains(c);
    path.chars().all(known)
}

/// Checks a subdomain that starts with `*.` (`IsWildcardDNS1123Subdomain`).
pub(crate) fn wildcard(text: &str) -> Vec<String> {
    let form = (!text.strip_prefix("*.").is_some_and(is_subdomain)).then(|| WILDCARD.to_owned());
    longer(text, 253).into_iter().chain(form).collect()
}

/// Checks a subdomain whose parts may contain underscores (`IsDNS1123SubdomainWithUnderscore`).
pub(crate) fn search_domain(text: &str) -> Vec<String> {
    let is_part = |part: &str| {
        let part = part.strip_prefix('_').unwrap_or(part);
        is_label(&part.replace('_', "-")) && !part.starts_with('_') && !part.ends_with('_')
    };
    let form = (!text.split('.').all(is_part)).then(|| SEARCH_DOMAIN.to_owned());
    longer(text, 253).into_iter().chain(form).collect()
}

/// Checks the name of an HTTP header (`IsHTTPHeaderName`).
pub(crate) fn header(text: &str) -> Vec<String> {
    let known = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let wrong = text.is_empty() || !text.chars().all(known);
    wrong.then(|| HEADER.to_owned()).into_iter().collect()
}

/// Checks a name that is a segment of a URL path (`IsPathSegmentName`).
pub(crate) fn path_segment(text: &str) -> Vec<String> {
    NameRule::PathSegment.errors(text)
}

/// Validates the number or the name of a port (`ValidatePortNumOrName`).
pub(crate) fn port_number_or_name(port: &Value, field: &str, out: &mut Causes) {
    match port {
        Value::Number(number) if !number.as_i64().is_some_and(is_port) => {
            out.push(Cause::invalid(field, port, PORT_RANGE));
        }
        Value::String(name) => report(field, name, port_name(name), out),
        _ => {}
    }
}
