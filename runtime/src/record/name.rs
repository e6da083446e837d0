//! Event names: client-go's `GenerateEventName`.

use k8s_openapi::jiff::Timestamp;

use crate::wait::random;

/// Returns `<object>.<time in nanoseconds, hexadecimal>`, or a random name if that is not a valid
/// name.
///
/// Names of RBAC objects may contain colons, names of events may not.
pub(super) fn event_name(object: &str, time: Timestamp) -> String {
    let name = format!("{object}.{:x}", time.as_nanosecond());
    if is_dns_subdomain(&name) {
        name
    } else {
        format!("{:016x}{:016x}", random(), random())
    }
}

/// Whether a name is an RFC 1123 subdomain, by the rules of Kubernetes.
fn is_dns_subdomain(name: &str) -> bool {
    let label = |label: &str| {
        let inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        !label.is_empty()
            && label.bytes().all(inner)
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    name.len() <= 253 && name.split('.').all(label)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// client-go's cases and more: the name of the object, and whether the event name contains it.
    #[test]
    fn generate_event_name() {
        let suffix = ".178959f726d80ec";
        let time = Timestamp::from_nanosecond(0x0178_959f_726d_80ec).unwrap();
        let long = "x".repeat(4 * 253);
        let most = "x".repeat(253 - suffix.len());
        let cases = [
            ("test-pod", true),
            (&long, false),
            ("test.POD", false),
            ("test.pod/invalid!chars?", false),
            ("--test.pod/invalid!chars?", false),
            ("a.b-c.d", true),
            ("0", true),
            (&most, true),
            (&format!("{most}x"), false),
            ("system:node", false),
            ("", false),
            ("-", false),
            ("a..b", false),
            ("a-.b", false),
        ];
        for (object, kept) in cases {
            let name = event_name(object, time);
            assert!(is_dns_subdomain(&name), "{object} became {name}");
            if kept {
                assert_eq!(name, format!("{object}{suffix}"));
            } else {
                assert_eq!(name.len(), 32, "{object} became {name}");
                assert_ne!(name, event_name(object, time), "{object}");
            }
        }
    }
}
