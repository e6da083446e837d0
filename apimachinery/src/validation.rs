//! Validation of names, labels, ports and HTTP headers, with the API server's wording.
//!
//! Follows `k8s.io/apimachinery/pkg/util/validation` and `pkg/api/validate/content`. Rules that are
//! in both packages have the same messages, except for the unit: `characters` or `bytes`.

const LABEL: &str = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const SUBDOMAIN: &str = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
const KEY: &str = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";

const CONFIG_KEY: &str = "a valid config key must consist of alphanumeric characters, '-', '_' or \
     '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is \
     '[-._a-zA-Z0-9]+')";
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

/// Rule for the names of a kind's objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameRule {
    /// A DNS subdomain, the rule of most kinds (`NameIsDNSSubdomain`).
    Subdomain,
    /// A DNS label (`NameIsDNSLabel`).
    Label,
    /// A DNS label that starts with a letter (`NameIsDNS1035Label`).
    Label1035,
    /// A URL path segment. Names of every kind must satisfy this rule.
    PathSegment,
}

impl NameRule {
    /// Returns the errors in a name.
    pub fn errors(self, name: &str) -> Vec<String> {
        match self {
            Self::Subdomain => subdomain(name),
            Self::Label => label(name),
            Self::Label1035 => label_1035(name),
            Self::PathSegment => path_segment(name),
        }
    }

    /// Returns the errors in a `generateName`, to which the API server appends five characters.
    pub fn prefix_errors(self, prefix: &str) -> Vec<String> {
        match self {
            Self::PathSegment => path_segment_prefix(prefix),
            rule => rule.errors(&without_trailing_dash(prefix)),
        }
    }
}

/// Replaces a trailing dash and the ASCII character before it with `a` (`maskTrailingDash`). This
/// character is therefore not checked.
fn without_trailing_dash(prefix: &str) -> String {
    match prefix.strip_suffix('-') {
        Some(rest) if !rest.is_empty() => {
            let end = rest.len() - rest.chars().next_back().map_or(0, char::len_utf8);
            // Go removes only the last byte of a multi-byte character, and the other bytes violate
            // every rule. The whole character is kept here and violates every rule as well.
            let broken = &rest[end..];
            match broken.len() {
                1 => format!("{}a", &rest[..end]),
                _ => format!("{rest}a"),
            }
        }
        _ => prefix.to_owned(),
    }
}

/// Returns the errors of `IsDNS1123Subdomain` for a name.
pub fn subdomain(name: &str) -> Vec<String> {
    subdomain_of(name, "characters")
}

fn subdomain_of(name: &str, unit: &str) -> Vec<String> {
    let mut errors = too_long(name, 253, unit);
    if !is_subdomain(name) {
        errors.push(expected(
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, \
             '-' or '.', and must start and end with an alphanumeric character",
            SUBDOMAIN,
            &["example.com"],
        ));
    }
    errors
}

/// Returns the errors of `IsDNS1123Label` for a name.
pub fn label(name: &str) -> Vec<String> {
    let mut errors = too_long(name, 63, "characters");
    if is_label(name) {
        return errors;
    }
    errors.push(if is_subdomain(name) {
        "must not contain dots".to_owned()
    } else {
        expected(
            "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or \
             '-', and must start and end with an alphanumeric character",
            LABEL,
            &["my-name", "123-abc"],
        )
    });
    errors
}

/// Returns the errors of `IsDNS1035Label` for a name.
pub fn label_1035(name: &str) -> Vec<String> {
    let mut errors = too_long(name, 63, "characters");
    let starts_with_letter = name.starts_with(|letter: char| letter.is_ascii_lowercase());
    if !starts_with_letter || !is_label(name) {
        errors.push(expected(
            "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start \
             with an alphabetic character, and end with an alphanumeric character",
            "[a-z]([-a-z0-9]*[a-z0-9])?",
            &["my-name", "abc-123"],
        ));
    }
    errors
}

/// Returns the errors of `IsLabelKey` for the key of a label or an annotation, or for a finalizer.
pub fn label_key(key: &str) -> Vec<String> {
    const WORDS: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start \
                         and end with an alphanumeric character";
    let form = expected(WORDS, KEY, &["MyName", "my.name", "123-abc"]);
    let mut errors = Vec::new();
    let parts: Vec<_> = key.split('/').collect();
    let name = match parts[..] {
        [name] => name,
        [prefix, name] => {
            if prefix.is_empty() {
                errors.push("prefix part must be non-empty".to_owned());
            } else {
                let wrong = subdomain_of(prefix, "bytes").into_iter();
                errors.extend(wrong.map(|error| format!("prefix part {error}")));
            }
            name
        }
        _ => {
            return vec![format!(
                "a valid label key {form} with an optional DNS subdomain prefix and '/' (e.g. \
                 'example.com/MyName')"
            )];
        }
    };
    if name.is_empty() {
        errors.push("name part must be non-empty".to_owned());
    }
    let long = too_long(name, 63, "bytes").into_iter();
    errors.extend(long.map(|error| format!("name part {error}")));
    if !is_key(name) {
        errors.push(format!("name part {form}"));
    }
    errors
}

/// Returns the errors of `IsLabelValue` for the value of a label.
pub fn label_value(value: &str) -> Vec<String> {
    let mut errors = too_long(value, 63, "bytes");
    if !value.is_empty() && !is_key(value) {
        errors.push(expected(
            "a valid label must be an empty string or consist of alphanumeric characters, '-', \
             '_' or '.', and must start and end with an alphanumeric character",
            "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?",
            &["MyValue", "my_value", "12345"],
        ));
    }
    errors
}

/// Returns the errors of `IsValidPathSegmentName` for a name.
#[must_use]
pub fn path_segment(name: &str) -> Vec<String> {
    match name {
        "." | ".." => vec![format!("may not be '{name}'")],
        name => path_segment_prefix(name),
    }
}

fn path_segment_prefix(name: &str) -> Vec<String> {
    let illegal = ["/", "%"].into_iter().filter(|part| name.contains(part));
    illegal
        .map(|part| format!("may not contain '{part}'"))
        .collect()
}

/// Error for a path that is not that of a URL.
pub const HTTP_PATH: &str = "Invalid path (regex used for validation is \
     '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')";

/// Returns the errors of `IsConfigMapKey` for a key of a ConfigMap or Secret.
#[must_use]
pub fn config_key(key: &str) -> Vec<String> {
    let known = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
    let form = (key.is_empty() || !key.chars().all(known)).then(|| CONFIG_KEY.to_owned());
    let path = match key {
        "." => Some("must not be '.'"),
        ".." => Some("must not be '..'"),
        key if key.starts_with("..") => Some("must not start with '..'"),
        _ => None,
    };
    too_long(key, 253, "characters")
        .into_iter()
        .chain(form)
        .chain(path.map(str::to_owned))
        .collect()
}

/// Returns the errors of `IsValidPortName` for the name of a port.
#[must_use]
pub fn port_name(text: &str) -> Vec<String> {
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

/// Returns whether a number is that of a port.
#[must_use]
pub fn is_port(number: i64) -> bool {
    (1..=65_535).contains(&number)
}

/// Error for a number that is not that of a port (`IsValidPortNum`).
pub const PORT_RANGE: &str = "must be between 1 and 65535, inclusive";

/// Returns whether a text has only the characters of a URL path.
#[must_use]
pub fn is_http_path(path: &str) -> bool {
    let known = |c: char| c.is_ascii_alphanumeric() || "/-._~%!$&'()*+,;=:".contains(c);
    path.chars().all(known)
}

/// Returns the errors of `IsWildcardDNS1123Subdomain`: the name starts with `*.`.
#[must_use]
pub fn wildcard(text: &str) -> Vec<String> {
    let form = (!text.strip_prefix("*.").is_some_and(is_subdomain)).then(|| WILDCARD.to_owned());
    too_long(text, 253, "characters")
        .into_iter()
        .chain(form)
        .collect()
}

/// Returns the errors of `IsDNS1123SubdomainWithUnderscore`: labels may contain underscores.
#[must_use]
pub fn search_domain(text: &str) -> Vec<String> {
    let is_part = |part: &str| {
        let part = part.strip_prefix('_').unwrap_or(part);
        is_label(&part.replace('_', "-")) && !part.starts_with('_') && !part.ends_with('_')
    };
    let form = (!text.split('.').all(is_part)).then(|| SEARCH_DOMAIN.to_owned());
    too_long(text, 253, "characters")
        .into_iter()
        .chain(form)
        .collect()
}

/// Returns the errors of `IsHTTPHeaderName` for the name of an HTTP header.
#[must_use]
pub fn header(text: &str) -> Vec<String> {
    let known = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let wrong = text.is_empty() || !text.chars().all(known);
    wrong.then(|| HEADER.to_owned()).into_iter().collect()
}

fn too_long(name: &str, most: usize, unit: &str) -> Vec<String> {
    let is_long = name.len() > most;
    let error = is_long.then(|| format!("must be no more than {most} {unit}"));
    error.into_iter().collect()
}

fn expected(words: &str, pattern: &str, examples: &[&str]) -> String {
    let quoted: Vec<_> = examples.iter().map(|it| format!("'{it}', ")).collect();
    let examples = quoted.join(" or ");
    format!("{words} (e.g. {examples}regex used for validation is '{pattern}')")
}

fn is_label(name: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    is_between(name, inner, |byte| inner(byte) || byte == b'-')
}

fn is_subdomain(name: &str) -> bool {
    name.split('.').all(is_label)
}

fn is_key(name: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_alphanumeric();
    is_between(name, inner, |byte| inner(byte) || b"-_.".contains(&byte))
}

/// Returns whether `ends` accepts the first and the last byte, and `inner` accepts every byte.
fn is_between(text: &str, ends: impl Fn(u8) -> bool, inner: impl Fn(u8) -> bool) -> bool {
    let bytes = text.as_bytes();
    let is_end = |byte: Option<&u8>| byte.is_some_and(|byte| ends(*byte));
    is_end(bytes.first()) && is_end(bytes.last()) && bytes.iter().all(|byte| inner(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_rules_have_their_own_messages() {
        let table = [
            (NameRule::Subdomain, "a.b", None),
            (NameRule::Label, "a.b", Some("must not contain dots")),
            (NameRule::PathSegment, "..", Some("may not be '..'")),
            (NameRule::PathSegment, "a%", Some("may not contain '%'")),
            (NameRule::Label1035, "a-1", None),
        ];
        for (rule, name, expected) in table {
            let errors = rule.errors(name);
            assert_eq!(errors.first().map(String::as_str), expected, "{name}");
        }
        assert_eq!(label_1035("1a").len(), 1);
        assert_eq!(label_key("a/b/c").len(), 1);
        assert_eq!(label_key("/").len(), 3);
        assert_eq!(label_value("").len(), 0);
        assert!(NameRule::Subdomain.prefix_errors("web-").is_empty());
        assert!(NameRule::Subdomain.prefix_errors("a.-").is_empty());
        assert_eq!(NameRule::Subdomain.prefix_errors("-").len(), 1);
    }
    #[test]
    fn dns_labels_and_subdomains_are_validated() {
        let long = "a".repeat(64);
        for (text, is_label, is_subdomain) in [
            ("default", true, true),
            ("a-1", true, true),
            ("1", true, true),
            ("a.b-c", false, true),
            (&long, false, true),
            (&"a.".repeat(127), false, false),
            ("", false, false),
            ("Default", false, false),
            ("a b", false, false),
            ("-a", false, false),
            ("a-", false, false),
            ("a..b", false, false),
            ("a_b", false, false),
        ] {
            assert_eq!(label(text).is_empty(), is_label, "{text}");
            assert_eq!(subdomain(text).is_empty(), is_subdomain, "{text}");
        }
    }
}
