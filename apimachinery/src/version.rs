//! Versions of an API group, such as `v1beta1`.

use std::cmp::Reverse;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

/// Returns the sort key of a version. Greater keys have priority, and discovery lists them first:
/// `v2`, `v1`, `v1beta1`, `v1alpha1`, then names of other forms in alphabetical order
/// (k8s.io/apimachinery/pkg/version, `CompareKubeAwareVersionStrings`).
#[must_use]
pub fn version_order(version: &str) -> (u8, u64, u64, Reverse<String>) {
    let parsed = || {
        let rest = version.strip_prefix('v')?;
        let end = rest
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len());
        let major = rest[..end].parse().ok()?;
        let (stability, minor) = match &rest[end..] {
            "" => (3, 0),
            rest => match (rest.strip_prefix("beta"), rest.strip_prefix("alpha")) {
                (Some(minor), _) => (2, minor.parse().ok()?),
                (_, Some(minor)) => (1, minor.parse().ok()?),
                _ => return None,
            },
        };
        Some((stability, major, minor, Reverse(String::new())))
    };
    parsed().unwrap_or((0, 0, 0, Reverse(version.to_owned())))
}

/// Returns the `storageVersionHash` that discovery has for a kind whose storage version is
/// `version` (`StorageVersionHash` of k8s.io/apiserver, endpoints/discovery/storageversionhash.go).
///
/// ```
/// # use genclient_apimachinery::version::storage_version_hash;
/// assert_eq!(storage_version_hash("probe.dev", "v1", "Widget"), "QPao172EnEs=");
/// ```
#[must_use]
pub fn storage_version_hash(group: &str, version: &str, kind: &str) -> String {
    let digest = Sha256::digest(format!("{group}/{version}/{kind}"));
    STANDARD.encode(&digest[..8])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_sort_by_kubernetes_version_priority() {
        let expected = [
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
        let mut versions = expected;
        versions.reverse();
        versions.sort_by_key(|version| Reverse(version_order(version)));
        assert_eq!(versions, expected);
    }
}
