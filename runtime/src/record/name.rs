//! Names of events, and the randomness that retries need.

use k8s_openapi::jiff::Timestamp;

use crate::wait::{chance, random};

/// `<object>.<time in nanoseconds, hexadecimal>`, or a random name where that is no valid one.
///
/// Names of RBAC objects may hold colons, which names of events may not.
pub(super) fn event_name(object: &str, time: Timestamp) -> String {
    let name = format!("{object}.{:x}", time.as_nanosecond());
    if is_dns_subdomain(&name) {
        name
    } else {
        format!("{:016x}{:016x}", random(), random())
    }
}

/// What RFC 1123 calls a subdomain, as Kubernetes checks it.
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

/// A part of `whole`, evenly distributed.
pub(super) fn random_part(whole: std::time::Duration) -> std::time::Duration {
    whole.mul_f64(chance())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_the_object_and_the_time() {
        let time = Timestamp::new(1_700_000_000, 5).unwrap();
        assert_eq!(
            event_name("train", time),
            format!("train.{:x}", 1_700_000_000_000_000_005_i64)
        );
    }

    #[test]
    fn names_that_would_be_refused_are_random() {
        for object in [
            "system:node",
            "",
            "-",
            "UPPER",
            "a..b",
            "a/b",
            "a-.b",
            &"long".repeat(64),
        ] {
            let name = event_name(object, Timestamp::UNIX_EPOCH);
            assert!(
                is_dns_subdomain(&name) && name.len() == 32,
                "{object} became {name}"
            );
            assert_ne!(name, event_name(object, Timestamp::UNIX_EPOCH));
        }
        for object in ["a", "a.b-c.d", "0"] {
            assert!(event_name(object, Timestamp::UNIX_EPOCH).starts_with(object));
        }
    }
}
