//! Known crates, whose sources are never read.

/// Crates with known types, and crates without types that an API could use.
const CRATES: [&str; 30] = [
    "alloc",
    "bytes",
    "camino",
    "chrono",
    "chrono_tz",
    "core",
    "genclient",
    "hashbrown",
    "indexmap",
    "ipnet",
    "jiff",
    "k8s_openapi",
    "kube",
    "kube_client",
    "kube_core",
    "kube_derive",
    "kube_runtime",
    "ordered_float",
    "rust_decimal",
    "schemars",
    "semver",
    "serde",
    "serde_bytes",
    "serde_json",
    "serde_with",
    "smol_str",
    "std",
    "time",
    "url",
    "uuid",
];

/// Returns whether the sources of a crate are never read.
pub(crate) fn is_known_crate(name: &str) -> bool {
    CRATES.binary_search(&name).is_ok()
}
