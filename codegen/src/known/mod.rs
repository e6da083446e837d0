//! Known types: built-in schemas for types of the language, the standard library, Kubernetes and
//! common crates. Their sources are not read.

mod kinds;
mod kubernetes;
mod mapping;
mod reexports;
mod resources;
mod standard;
mod strings;
mod versions;

use genclient_schema::kubernetes::Release;

use crate::model::{JsonType, Schema};
pub use kinds::BuiltinKind;
pub(crate) use kinds::{groups, is_cluster_scoped, is_group};
pub(crate) use kubernetes::{duration_pattern, embedded_metadata_schema, object_meta_schema};
pub(crate) use mapping::Known;
pub(crate) use reexports::{canonical_path, is_known_crate};
pub(crate) use resources::{has_resource, subresources, verbs};
pub(crate) use standard::{PRELUDE, PRIMITIVES, primitive_synonym, sized_integer};
pub(crate) use versions::{K8S_OPENAPI_SERIES, KUBE_MAJOR, kubernetes_versions};

/// Returns the mapping of a path in the newest release of Kubernetes' types.
pub(crate) fn find_known(path: &[String]) -> Option<Known> {
    find_known_in_release(path, Release::default())
}

/// Returns the mapping of a path in a release of Kubernetes' types.
pub(crate) fn find_known_in_release(path: &[String], release: Release) -> Option<Known> {
    let path = reexports::canonical_path(path);
    match path.split("::").next()? {
        "k8s_openapi" | "kube" => kubernetes::find_kubernetes_type(&path, release),
        "std" => standard::find_standard(&path),
        name if name == path => standard::find_primitive(name)
            .or_else(|| standard::find_standard(standard::prelude_path(name)?)),
        _ => strings::find_string_type(&path).or_else(|| find_collection(&path)),
    }
}

/// Returns whether [`find_known`] returns a mapping. Kubernetes' types are only looked up by name,
/// because their schemas are large.
pub(crate) fn is_known(path: &[String]) -> bool {
    kubernetes::is_published(&reexports::canonical_path(path)) || find_known(path).is_some()
}

/// Returns the paths of known types with this name, as suggestions for a missing import.
pub(crate) fn paths_to(name: &str) -> Vec<String> {
    let ends_with_it = |path: &&&str| path.rsplit("::").next() == Some(name);
    let common = COMMON_TYPES
        .iter()
        .filter(ends_with_it)
        .map(|path| (*path).to_owned());
    common.chain(kubernetes::paths_to(name)).collect()
}

/// Common known types that no prelude imports, sorted.
const COMMON_TYPES: &[&str] = &[
    "chrono::DateTime",
    "indexmap::IndexMap",
    "indexmap::IndexSet",
    "jiff::Timestamp",
    "serde_json::Value",
    "std::collections::BTreeMap",
    "std::collections::BTreeSet",
    "std::collections::HashMap",
    "std::collections::HashSet",
    "std::collections::VecDeque",
    "std::net::IpAddr",
    "std::net::Ipv4Addr",
    "std::net::Ipv6Addr",
    "std::num::NonZeroU16",
    "std::num::NonZeroU32",
    "std::num::NonZeroU64",
    "std::path::PathBuf",
    "std::sync::Arc",
    "url::Url",
    "uuid::Uuid",
];

/// Returns the mapping of a collection, number or JSON value from another crate.
fn find_collection(path: &str) -> Option<Known> {
    Some(match path {
        "indexmap::IndexMap" | "indexmap::map::IndexMap" | "hashbrown::HashMap" => Known::Map,
        "indexmap::IndexSet" | "indexmap::set::IndexSet" | "hashbrown::HashSet" => Known::Set,
        "ordered_float::OrderedFloat" | "ordered_float::NotNan" => Known::Inner,
        "serde_json::Value" | "serde_json::value::Value" => Known::any(),
        "serde_json::Map" | "serde_json::map::Map" => Known::any_object(),
        "serde_json::Number" | "serde_json::value::Number" => {
            Known::schema(Schema::typed(JsonType::Number))
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
