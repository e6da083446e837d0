//! Supported versions of kube and k8s-openapi, and the versions of Kubernetes for each k8s-openapi.

/// The major version of kube that generated clients need.
pub(crate) const KUBE_MAJOR: u64 = 5;

/// The version of k8s-openapi that this version of kube needs.
pub(crate) const K8S_OPENAPI_SERIES: &str = "0.29";

/// Minor version of k8s-openapi, with the oldest and the newest minor version of Kubernetes 1 that
/// it supports.
const KUBERNETES_RANGES: [(u64, u64, u64); 13] = [
    (17, 20, 26),
    (18, 20, 26),
    (19, 20, 27),
    (20, 22, 28),
    (21, 24, 29),
    (22, 24, 30),
    (23, 26, 31),
    (24, 28, 32),
    (25, 30, 33),
    (26, 30, 34),
    (27, 31, 35),
    (28, 32, 36),
    (29, 33, 37),
];

/// Returns the oldest and the newest minor version of Kubernetes 1 that a version of k8s-openapi
/// supports.
pub(crate) fn kubernetes_versions(major: u64, minor: u64) -> Option<(u64, u64)> {
    let mut versions = KUBERNETES_RANGES.into_iter().filter(|_| major == 0);
    versions.find_map(|(known, oldest, newest)| (known == minor).then_some((oldest, newest)))
}

#[cfg(test)]
mod tests {
    use super::{K8S_OPENAPI_SERIES, KUBE_MAJOR};

    #[test]
    fn client_crate_versions_match_the_workspace() {
        let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml");
        let manifest = std::fs::read_to_string(manifest).unwrap();
        for line in [
            format!("k8s-openapi = \"{K8S_OPENAPI_SERIES}."),
            format!("kube = {{ version = \"{KUBE_MAJOR}."),
        ] {
            assert!(manifest.contains(&line), "{line}");
        }
    }
}
