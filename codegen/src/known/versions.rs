//! Versions of the crates that clients are built on, and what older ones have.

/// The version of kube that clients are for.
pub(crate) const KUBE: u64 = 5;

/// The version of k8s-openapi that this kube is for.
pub(crate) const K8S_OPENAPI: &str = "0.29";

/// The oldest and the newest minor version of Kubernetes that k8s-openapi has, by its own minor
/// version.
const KUBERNETES: [(u64, u64, u64); 13] = [
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

/// The oldest and the newest minor version of Kubernetes that a version of k8s-openapi has.
pub(crate) fn kubernetes_versions(major: u64, minor: u64) -> Option<(u64, u64)> {
    let mut versions = KUBERNETES.into_iter().filter(|_| major == 0);
    versions.find_map(|(of, oldest, newest)| (of == minor).then_some((oldest, newest)))
}

#[cfg(test)]
mod tests {
    use super::{K8S_OPENAPI, KUBE};

    #[test]
    fn clients_are_for_the_crates_of_this_workspace() {
        let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml");
        let manifest = std::fs::read_to_string(manifest).unwrap();
        for line in [
            format!("k8s-openapi = \"{K8S_OPENAPI}."),
            format!("kube = {{ version = \"{KUBE}."),
        ] {
            assert!(manifest.contains(&line), "{line}");
        }
    }
}
