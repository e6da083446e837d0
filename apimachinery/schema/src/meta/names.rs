//! Validation of names, labels and finalizers, with the API server's wording.
//!
//! Follows `k8s.io/apimachinery/pkg/util/validation` and `pkg/api/validate/content`. Rules that are
//! in both packages have the same messages, except for the unit: `characters` or `bytes`.

const LABEL: &str = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const SUBDOMAIN: &str = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
const KEY: &str = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";

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
    errors.push(match is_subdomain(name) {
        true => "must not contain dots".to_owned(),
        false => expected(
            "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or \
             '-', and must start and end with an alphanumeric character",
            LABEL,
            &["my-name", "123-abc"],
        ),
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

fn path_segment(name: &str) -> Vec<String> {
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

fn too_long(name: &str, most: usize, unit: &str) -> Vec<String> {
    let is_long = name.len() > most;
    let error = is_long.then(|| format!("must be no more than {most} {unit}"));
    error.into_iter().collect()
}

fn expected(words: &str, pattern: &str, examples: &[&str]) -> String {
    let examples: Vec<_> = examples.iter().map(|it| format!("'{it}', ")).collect();
    let examples = examples.join(" or ");
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
}
