//! Validation of Kubernetes names: DNS labels, DNS subdomains, qualified names, label values.

use crate::Help;

/// Returns whether the name is a DNS label by RFC 1035: up to 63 lower-case letters, digits and
/// `-`, starting with a letter and not ending with `-`.
pub fn is_label(name: &str) -> bool {
    name.len() <= 63
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && is_lower_and_closed(name)
}

/// Returns whether the name is a DNS subdomain by RFC 1123: labels joined by dots, up to 253
/// characters in total. Unlike in [`is_label`], a label may start with a digit and have any length.
pub fn is_subdomain(name: &str) -> bool {
    name.len() <= 253 && name.split('.').all(is_lower_and_closed)
}

/// Returns whether the name is a qualified name, such as the key of a label: a non-empty label
/// value, optionally prefixed with a subdomain and a slash.
pub fn is_qualified(name: &str) -> bool {
    match name.split_once('/') {
        Some((prefix, name)) => is_subdomain(prefix) && !name.is_empty() && is_label_value(name),
        None => !name.is_empty() && is_label_value(name),
    }
}

/// Returns whether the name is the key of an annotation: a qualified name, once it is in lower case
/// (`ValidateAnnotations` of apimachinery). So, unlike that of a label, its prefix may have capital
/// letters.
pub fn is_annotation_key(name: &str) -> bool {
    is_qualified(&name.to_lowercase())
}

/// Returns whether the text is a label value: empty, or up to 63 letters, digits, `-`, `_` and `.`
/// that start and end with a letter or digit.
pub fn is_label_value(value: &str) -> bool {
    let closed = |end: Option<char>| end.is_none_or(|c| c.is_ascii_alphanumeric());
    value.len() <= 63
        && value
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
        && closed(value.chars().next())
        && closed(value.chars().next_back())
}

/// Returns the help for an invalid name: the name in lower case if that is valid, else `otherwise`.
pub(crate) fn suggest_lower_case(
    name: &str,
    is_valid: impl Fn(&str) -> bool,
    otherwise: &str,
) -> Help {
    let lower = name.to_lowercase();
    if is_valid(&lower) {
        Help::write(format!("{name:?}"), format!("{lower:?}"))
    } else {
        otherwise.into()
    }
}

fn is_lower_and_closed(name: &str) -> bool {
    !name.is_empty()
        && name
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
        && !name.starts_with('-')
        && !name.ends_with('-')
}

#[cfg(test)]
mod tests {
    use super::{is_annotation_key, is_label, is_label_value, is_qualified, is_subdomain};

    #[test]
    fn labels_are_lower_case_and_start_with_a_letter() {
        for name in ["v1", "gputasks", "a-b", &"a".repeat(63)] {
            assert!(is_label(name), "{name}");
        }
        for name in ["", "V1", "v1.0", "1v", "-a", "a-", "a_b", &"a".repeat(64)] {
            assert!(!is_label(name), "{name}");
        }
    }

    #[test]
    fn subdomains_are_labels_joined_by_dots() {
        for name in ["example.com", "3scale.net", "a", "x-1.y"] {
            assert!(is_subdomain(name), "{name}");
        }
        for name in ["", "Example.com", "a..b", "a.-b", "a_b.c", "example.com."] {
            assert!(!is_subdomain(name), "{name}");
        }
    }

    #[test]
    fn keys_and_values_of_labels_and_annotations_are_checked() {
        for key in ["app", "example.com/owner", "App.Kind"] {
            assert!(is_qualified(key), "{key}");
        }
        for key in ["", "a b", "/x", "example.com/", "Example.com/x", "a/b/c"] {
            assert!(!is_qualified(key), "{key}");
        }
        assert!(is_annotation_key("Example.com/x") && is_annotation_key("App.Kind"));
        assert!(!is_annotation_key("Example.com/") && !is_annotation_key("Example_.com/x"));
        assert!(is_label_value("") && is_label_value("a.b_c-D"));
        assert!(!is_label_value("a b") && !is_label_value("-a"));
    }
}
