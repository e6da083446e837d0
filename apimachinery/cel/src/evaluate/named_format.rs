//! Named formats of CEL's format library (k8s.io/apiserver/pkg/cel/library, format.go).

use std::sync::LazyLock;

use genclient_apimachinery::strfmt;
use regex::Regex;

use super::url;

#[derive(Debug)]
pub(super) struct Format {
    pub(super) name: &'static str,
    pub(super) validate: fn(&str) -> Vec<String>,
    /// The API server's `MaxRegexSize`: an assumed length of the format's regular expression, from
    /// which the cost of a call of `validate` is computed.
    pub(super) pattern_size: u64,
}

/// Makes a format in a constant.
const fn new_format(
    name: &'static str,
    pattern_size: u64,
    validate: fn(&str) -> Vec<String>,
) -> Format {
    Format {
        name,
        validate,
        pattern_size,
    }
}

/// The formats, by their names in CEL, as in `format.uuid()`.
pub(super) static FORMATS: [(&str, Format); 13] = [
    (
        "dns1123Label",
        new_format("DNS1123Label", 30, check_dns_1123_label),
    ),
    (
        "dns1123Subdomain",
        new_format("DNS1123Subdomain", 60, check_subdomain),
    ),
    (
        "dns1035Label",
        new_format("DNS1035Label", 30, check_dns_1035_label),
    ),
    (
        "qualifiedName",
        new_format("QualifiedName", 60, check_qualified_name),
    ),
    (
        "dns1123LabelPrefix",
        new_format("DNS1123LabelPrefix", 30, |text| {
            check_dns_1123_label(&mask_trailing_dash(text))
        }),
    ),
    (
        "dns1123SubdomainPrefix",
        new_format("DNS1123SubdomainPrefix", 60, |text| {
            check_subdomain(&mask_trailing_dash(text))
        }),
    ),
    (
        "dns1035LabelPrefix",
        new_format("DNS1035LabelPrefix", 30, |text| {
            check_dns_1035_label(&mask_trailing_dash(text))
        }),
    ),
    (
        "labelValue",
        new_format("LabelValue", 40, check_label_value),
    ),
    (
        "uri",
        new_format("URI", 1103, |text| {
            url::check_request_uri(text).err().into_iter().collect()
        }),
    ),
    (
        "uuid",
        new_format("uuid", 70, |text| {
            check_strfmt("uuid", text, "does not match the UUID format")
        }),
    ),
    (
        "byte",
        new_format("byte", 84, |text| {
            check_strfmt("byte", text, "invalid base64")
        }),
    ),
    (
        "date",
        new_format("date", 71, |text| {
            check_strfmt("date", text, "invalid date")
        }),
    ),
    (
        "datetime",
        new_format("datetime", 71, |text| {
            check_strfmt("datetime", text, "invalid datetime")
        }),
    ),
];

fn check_strfmt(format: &str, text: &str, message: &str) -> Vec<String> {
    let admitted = strfmt::admits(format, text);
    if admitted {
        Vec::new()
    } else {
        vec![message.to_owned()]
    }
}

/// Replaces a trailing dash and the byte before it with `a`, so that a prefix such as `my-app-`
/// passes the checks of whole names (`maskTrailingDash`).
fn mask_trailing_dash(text: &str) -> String {
    match text.strip_suffix('-') {
        Some(rest) if !rest.is_empty() => {
            let bytes = rest.len() - 1;
            let kept = rest.get(..bytes).unwrap_or(rest);
            format!("{kept}a")
        }
        _ => text.to_owned(),
    }
}

/// A pattern with the API server's message for strings that do not match.
struct NamePattern {
    regex: LazyLock<Option<Regex>>,
    message: &'static str,
    pattern: &'static str,
    examples: &'static [&'static str],
}

impl NamePattern {
    fn matches(&self, text: &str) -> bool {
        self.regex.as_ref().is_none_or(|regex| regex.is_match(text))
    }

    fn error(&self) -> String {
        let examples: Vec<_> = self
            .examples
            .iter()
            .map(|one| format!("'{one}', "))
            .collect();
        format!(
            "{} (e.g. {}regex used for validation is '{}')",
            self.message,
            examples.join(" or "),
            self.pattern
        )
    }
}

macro_rules! rule {
    ($pattern:expr, $message:expr, $examples:expr) => {
        NamePattern {
            regex: LazyLock::new(|| Regex::new(concat!("^(?:", $pattern, ")$")).ok()),
            message: $message,
            pattern: $pattern,
            examples: $examples,
        }
    };
}

static DNS_1123_LABEL: NamePattern = rule!(
    "[a-z0-9]([-a-z0-9]*[a-z0-9])?",
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and \
     must start and end with an alphanumeric character",
    &["my-name", "123-abc"]
);
static SUBDOMAIN: NamePattern = rule!(
    r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*",
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or \
     '.', and must start and end with an alphanumeric character",
    &["example.com"]
);
static DNS_1035_LABEL: NamePattern = rule!(
    "[a-z]([-a-z0-9]*[a-z0-9])?",
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an \
     alphabetic character, and end with an alphanumeric character",
    &["my-name", "abc-123"]
);
static LABEL_KEY: NamePattern = rule!(
    "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]",
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an \
     alphanumeric character",
    &["MyName", "my.name", "123-abc"]
);
static LABEL_VALUE: NamePattern = rule!(
    "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?",
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or \
     '.', and must start and end with an alphanumeric character",
    &["MyValue", "my_value", "12345"]
);

fn check_length(text: &str, most: usize, unit: &str) -> Option<String> {
    (text.len() > most).then(|| format!("must be no more than {most} {unit}"))
}

fn check_dns_1123_label(text: &str) -> Vec<String> {
    let mut errors: Vec<_> = check_length(text, 63, "characters").into_iter().collect();
    if !DNS_1123_LABEL.matches(text) {
        errors.push(if SUBDOMAIN.matches(text) {
            "must not contain dots".to_owned()
        } else {
            DNS_1123_LABEL.error()
        });
    }
    errors
}

fn check_pattern(text: &str, rule: &NamePattern, most: usize, unit: &str) -> Vec<String> {
    let wrong = (!rule.matches(text)).then(|| rule.error());
    check_length(text, most, unit)
        .into_iter()
        .chain(wrong)
        .collect()
}

fn check_subdomain(text: &str) -> Vec<String> {
    check_pattern(text, &SUBDOMAIN, 253, "characters")
}

fn check_dns_1035_label(text: &str) -> Vec<String> {
    check_pattern(text, &DNS_1035_LABEL, 63, "characters")
}

fn check_label_value(text: &str) -> Vec<String> {
    check_pattern(text, &LABEL_VALUE, 63, "bytes")
}

/// Checks a label key with an optional prefix (`content.IsLabelKey`).
fn check_qualified_name(text: &str) -> Vec<String> {
    let mut errors = Vec::new();
    let parts: Vec<_> = text.split('/').collect();
    let name = match parts[..] {
        [name] => name,
        [prefix, name] => {
            if prefix.is_empty() {
                errors.push("prefix part must be non-empty".to_owned());
            } else {
                let of_prefix = check_pattern(prefix, &SUBDOMAIN, 253, "bytes").into_iter();
                errors.extend(of_prefix.map(|error| format!("prefix part {error}")));
            }
            name
        }
        _ => {
            return vec![format!(
                "a valid label key {} with an optional DNS subdomain prefix and '/' (e.g. \
                 'example.com/MyName')",
                LABEL_KEY.error()
            )];
        }
    };
    if name.is_empty() {
        errors.push("name part must be non-empty".to_owned());
    } else if let Some(error) = check_length(name, 63, "bytes") {
        errors.push(format!("name part {error}"));
    }
    if !LABEL_KEY.matches(name) {
        errors.push(format!("name part {}", LABEL_KEY.error()));
    }
    errors
}
