//! Functions, and the crate `serde`, for macro-generated code. This module is not a public API and
//! changes without notice.

use std::fmt::Display;

pub use serde;

/// Returns the API version in a module path: its last segment that is a version.
///
/// # Panics
///
/// If no segment is a version. The macros call this in a `const`, where a panic is a compile error.
pub const fn version_of(module_path: &'static str) -> &'static str {
    let mut rest = module_path;
    loop {
        let start = last_segment_start(rest.as_bytes());
        let (before, segment) = rest.split_at(start);
        if is_version(segment.as_bytes()) {
            return segment;
        }
        assert!(
            before.len() >= SEPARATOR_LEN,
            "no API version: name a module like `v1`, or write #[version = \"v1\"]"
        );
        (rest, _) = before.split_at(before.len() - SEPARATOR_LEN);
    }
}

const SEPARATOR_LEN: usize = "::".len();

const fn last_segment_start(path: &[u8]) -> usize {
    let mut start = path.len();
    while start > 0 && path[start - 1] != b':' {
        start -= 1;
    }
    start
}

/// Whether `segment` is an API version: `v[0-9]+((alpha|beta)[0-9]+)?`.
const fn is_version(segment: &[u8]) -> bool {
    if segment.is_empty() || segment[0] != b'v' {
        return false;
    }
    let major = skip_digits(segment, 1);
    if major == 1 {
        return false;
    }
    if major == segment.len() {
        return true;
    }
    let stage = if starts_with_at(segment, major, b"alpha") {
        major + b"alpha".len()
    } else if starts_with_at(segment, major, b"beta") {
        major + b"beta".len()
    } else {
        return false;
    };
    stage < segment.len() && skip_digits(segment, stage) == segment.len()
}

const fn skip_digits(text: &[u8], mut at: usize) -> usize {
    while at < text.len() && text[at].is_ascii_digit() {
        at += 1;
    }
    at
}

const fn starts_with_at(text: &[u8], at: usize, prefix: &[u8]) -> bool {
    let mut offset = 0;
    while offset < prefix.len() {
        if at + offset >= text.len() || text[at + offset] != prefix[offset] {
            return false;
        }
        offset += 1;
    }
    true
}

/// Checks the `apiVersion` and `kind` of a deserialized root object. Items of lists omit them, so
/// they may be absent.
///
/// # Errors
///
/// If one of them is present but differs from the type's.
pub fn check_type_meta<E: serde::de::Error>(
    api_version: &str,
    kind: &str,
    found_api_version: Option<&str>,
    found_kind: Option<&str>,
) -> Result<(), E> {
    check_type_field("apiVersion", api_version, found_api_version)?;
    check_type_field("kind", kind, found_kind)
}

/// Checks a string that may only have one value, if it is present.
pub(crate) fn check_type_field<E: serde::de::Error>(
    field: impl Display,
    expected: &str,
    found: Option<&str>,
) -> Result<(), E> {
    match found {
        Some(found) if found != expected => Err(E::custom(format_args!(
            "expected {field} `{expected}`, found `{found}`"
        ))),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_is_the_last_version_segment_of_the_path() {
        for (path, version) in [
            ("demo::apis::falldio::v1", "v1"),
            ("v2", "v2"),
            ("demo::v1::v1beta2", "v1beta2"),
            ("demo::v1alpha1::types", "v1alpha1"),
            ("demo::v1::vm::v1beta::view", "v1"),
            ("demo::v10::inner::deep", "v10"),
        ] {
            assert_eq!(version_of(path), version, "{path}");
        }
    }

    #[test]
    #[should_panic(
        expected = "no API version: name a module like `v1`, or write #[version = \"v1\"]"
    )]
    fn module_path_without_a_version_panics() {
        version_of("demo::apis::v1beta::v::vm");
    }

    #[test]
    fn type_meta_may_be_absent_but_not_different() {
        let check = |api_version, kind| {
            check_type_meta::<serde::de::value::Error>(
                "falldio.com/v1",
                "GPUTask",
                api_version,
                kind,
            )
            .map_err(|error| error.to_string())
        };
        assert_eq!(check(None, None), Ok(()));
        assert_eq!(check(Some("falldio.com/v1"), Some("GPUTask")), Ok(()));
        assert_eq!(
            check(Some("falldio.com/v2"), None),
            Err("expected apiVersion `falldio.com/v1`, found `falldio.com/v2`".into())
        );
        assert_eq!(
            check(None, Some("Pod")),
            Err("expected kind `GPUTask`, found `Pod`".into())
        );
    }
}
