//! Known crates, whose sources are never read, and the canonical paths of known types.

/// Crates whose sources are never read. If a type of these crates is not a known type, a field of
/// that type must state its schema.
const KNOWN_CRATES: [&str; 30] = [
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
    KNOWN_CRATES.binary_search(&name).is_ok()
}

const META: &str = "k8s_openapi::apimachinery::pkg::apis::meta::v1";

/// Returns one path for all re-exports of a type: `genclient::kube::api::ObjectMeta` and
/// `kube_core::metadata::ObjectMeta` have the same canonical path.
pub(crate) fn canonical_path(path: &[String]) -> String {
    let path = origin_path(path.join("::"));
    re_exported_path(&path).unwrap_or(path)
}

/// Path prefixes of re-exports, each with its canonical prefix.
const CRATES: [(&str, &str); 11] = [
    ("core::", "std::"),
    ("alloc::", "std::"),
    ("genclient::k8s_openapi::", "k8s_openapi::"),
    ("genclient::kube::", "kube::"),
    ("kube_core::", "kube::core::"),
    ("kube_client::", "kube::"),
    ("kube::client::api::", "kube::api::"),
    ("k8s_openapi::chrono::", "chrono::"),
    ("chrono::prelude::", "chrono::"),
    ("k8s_openapi::jiff::", "jiff::"),
    ("k8s_openapi::serde_json::", "serde_json::"),
];

fn origin_path(path: String) -> String {
    CRATES.iter().fold(path, |path, (outer, inner)| {
        match path.strip_prefix(outer) {
            Some(below) => format!("{inner}{below}"),
            None => path,
        }
    })
}

/// Resolves re-exports of genclient's prelude and of kube's modules.
fn re_exported_path(path: &str) -> Option<String> {
    let (module, name) = path.rsplit_once("::")?;
    Some(match (module, name) {
        ("genclient::prelude", "Duration") => "kube::core::Duration".to_owned(),
        ("genclient::prelude", "IntOrString") => {
            "k8s_openapi::apimachinery::pkg::util::intstr::IntOrString".to_owned()
        }
        ("genclient::prelude", "Quantity") => {
            "k8s_openapi::apimachinery::pkg::api::resource::Quantity".to_owned()
        }
        (
            "genclient::prelude",
            "Condition" | "LabelSelector" | "MicroTime" | "ObjectMeta" | "Time",
        ) => format!("{META}::{name}"),
        ("kube::core" | "kube::core::metadata" | "kube::api", "ListMeta" | "ObjectMeta") => {
            format!("{META}::{name}")
        }
        _ => return None,
    })
}
