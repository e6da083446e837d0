//! API version names and their priority order.

use std::cmp::Ordering;

/// Stability level of a version; a more stable one ranks higher.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Alpha,
    Beta,
    Stable,
}

/// Returns whether `name` has the form of a Kubernetes version: `v1`, `v1beta2`, `v2alpha1`.
///
/// A module with such a name determines the version of the kinds in it.
pub fn is_version(name: &str) -> bool {
    rank(name).is_some()
}

/// Compares two versions by Kubernetes' version priority; the greater one comes first in discovery.
///
/// `v10 > v2 > v1 > v11beta2 > v10beta3 > v3beta1 > v12alpha1 > v11alpha2`. Other names rank below
/// all of them, in alphabetical order.
///
/// ```
/// use std::cmp::Ordering;
/// use genclient_syntax::names::compare_versions;
///
/// assert_eq!(compare_versions("v1", "v2beta1"), Ordering::Greater);
/// ```
pub fn compare(left: &str, right: &str) -> Ordering {
    match (rank(left), rank(right)) {
        (Some(left), Some(right)) => left.cmp(&right),
        (Some(_), None) => Ordering::Greater,
        (None, Some(_)) => Ordering::Less,
        (None, None) => right.cmp(left),
    }
}

fn rank(version: &str) -> Option<(Stage, u64, u64)> {
    let rest = version.strip_prefix('v')?;
    let (major, rest) = number(rest)?;
    if rest.is_empty() {
        return Some((Stage::Stable, major, 0));
    }
    let (stage, rest) = match (rest.strip_prefix("alpha"), rest.strip_prefix("beta")) {
        (Some(rest), _) => (Stage::Alpha, rest),
        (_, Some(rest)) => (Stage::Beta, rest),
        _ => return None,
    };
    let (minor, rest) = number(rest)?;
    rest.is_empty().then_some((stage, major, minor))
}

/// Splits the leading digits off. Returns `None` without digits, or if the number exceeds `u64`.
fn number(text: &str) -> Option<(u64, &str)> {
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    Some((digits.parse().ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::{compare, is_version};

    #[test]
    fn versions_are_ordered_as_discovery_does() {
        let ordered = [
            "v10",
            "v2",
            "v1",
            "v11beta2",
            "v10beta3",
            "v3beta1",
            "v12alpha1",
            "v11alpha2",
            "foo1",
            "foo10",
        ];
        let mut versions = ordered;
        versions.sort_by(|left, right| compare(right, left));
        assert_eq!(versions, ordered);
        versions.reverse();
        versions.sort_by(|left, right| compare(right, left));
        assert_eq!(versions, ordered);
    }

    #[test]
    fn modules_named_like_versions_are_recognized() {
        for name in ["v1", "v10", "v1beta2", "v2alpha1"] {
            assert!(is_version(name), "{name}");
        }
        for name in [
            "", "v", "V1", "v1beta", "v1gamma1", "v1beta2x", "version1", "types", "vi",
        ] {
            assert!(!is_version(name), "{name}");
        }
    }
}
