//! Validation of names as DNS labels and subdomains, by the rules of the API server
//! (`k8s.io/apimachinery/pkg/util/validation`).

/// Maximum length of a DNS label, and so of a namespace name.
const MAX_LABEL: usize = 63;
/// Maximum length of a DNS subdomain, and so of the names of most objects.
const MAX_SUBDOMAIN: usize = 253;

/// Whether a text is a DNS label: `IsDNS1123Label`.
pub(crate) fn is_label(text: &str) -> bool {
    text.len() <= MAX_LABEL && is_part(text)
}

/// Whether a text is a DNS subdomain: `IsDNS1123Subdomain`.
pub(crate) fn is_subdomain(text: &str) -> bool {
    text.len() <= MAX_SUBDOMAIN && text.split('.').all(is_part)
}

fn is_part(text: &str) -> bool {
    let is_end = |byte: Option<&u8>| {
        byte.is_some_and(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    let bytes = text.as_bytes();
    let is_inner = |byte: &u8| is_end(Some(byte)) || *byte == b'-';
    is_end(bytes.first()) && is_end(bytes.last()) && bytes.iter().all(is_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dns_labels_and_subdomains_are_validated() {
        let long = "a".repeat(64);
        for (text, label, subdomain) in [
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
            assert_eq!(
                (is_label(text), is_subdomain(text)),
                (label, subdomain),
                "{text}"
            );
        }
    }
}
