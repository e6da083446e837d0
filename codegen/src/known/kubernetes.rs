//! Schema mappings for types of `k8s-openapi` and kube.

use std::sync::Arc;

use genclient_schema::kubernetes::{self as published, RecursiveDefinition, Release};

use super::mapping::Known;
use crate::model::{JsonType, Schema};

const OBJECT_META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

/// Fields of an embedded object's metadata that `#[crd(embedded_metadata)]` keeps, as
/// controller-gen's `generateEmbeddedObjectMeta` does.
const EMBEDDED_METADATA_FIELDS: [&str; 5] =
    ["annotations", "finalizers", "labels", "name", "namespace"];

/// Returns the mapping of a path into `k8s-openapi` or kube.
pub(super) fn find_kubernetes_type(path: &str, release: Release) -> Option<Known> {
    match path {
        "k8s_openapi::ByteString" => Some(Known::schema(byte_string_schema())),
        "kube::core::Duration" | "kube::core::duration::Duration" => Some(duration_mapping()),
        // A `DynamicObject` can be of any kind, so its fields are unknown.
        "kube::core::DynamicObject"
        | "kube::core::dynamic::DynamicObject"
        | "kube::api::DynamicObject" => Some(Known::any_object()),
        _ => published_definition(&definition_name(path)?, release),
    }
}

/// Returns the schema of kube's `Duration`: text such as `1h30m`, as for Go's `time.ParseDuration`.
///
/// The API server's format `duration` also admits other texts, such as `1 day`, so the schema has a
/// pattern instead. kube panics on long numbers, so the pattern limits the digits: 10 for hours and
/// minutes, 15 for smaller units. kube writes hours as seconds, and 10 digits of hours become up to
/// 14 digits of seconds. So 15 digits admit what kube writes.
fn duration_mapping() -> Known {
    Known::schema(Schema {
        pattern: Some(duration_pattern()),
        ..Schema::typed(JsonType::String)
    })
}

pub(crate) fn duration_pattern() -> String {
    let number = |digits: u8| format!(r"([0-9]{{1,{digits}}}(\.[0-9]*)?|\.[0-9]+)");
    let (short, long) = (number(10), number(15));
    format!("^[+-]?(0|({short}(h|m)|{long}(s|ms|us|µs|μs|ns))+)$")
}

/// Returns whether a path names a type that Kubernetes publishes a schema for.
pub(super) fn is_published(path: &str) -> bool {
    definition_name(path).is_some_and(|name| published::contains(&name))
}

/// Returns the published schema of `ObjectMeta`.
pub(crate) fn object_meta_schema() -> Schema {
    let schema = published::schema(OBJECT_META, Release::default()).and_then(Result::ok);
    schema.map(Arc::unwrap_or_clone).unwrap_or_default()
}

/// Returns the schema of an embedded object's `metadata`, which has only the fields in
/// [`EMBEDDED_METADATA_FIELDS`].
pub(crate) fn embedded_metadata_schema() -> Schema {
    let mut schema = object_meta_schema();
    schema
        .properties
        .retain(|name, _| EMBEDDED_METADATA_FIELDS.contains(&name.as_str()));
    // 0 characters: no descriptions.
    schema.shorten_descriptions(0);
    schema
}

/// Returns the paths of the published definitions whose last segment is `name`.
pub(super) fn paths_to(name: &str) -> impl Iterator<Item = String> {
    published_paths().filter(move |path| path.rsplit("::").next() == Some(name))
}

pub(super) fn published_paths() -> impl Iterator<Item = String> {
    published::names().filter_map(|name| {
        let below = name.strip_prefix("io.k8s.")?;
        Some(format!(
            "k8s_openapi::{}",
            below.replace('-', "_").replace('.', "::")
        ))
    })
}

/// Returns the name of a definition: `io.k8s.api.core.v1.Pod` for
/// `k8s_openapi::api::core::v1::Pod`.
pub(super) fn definition_name(path: &str) -> Option<String> {
    let below = path
        .strip_prefix("k8s_openapi::")?
        .replace("apiextensions_apiserver", "apiextensions-apiserver")
        .replace("kube_aggregator", "kube-aggregator");
    Some(format!("io.k8s.{}", below.replace("::", ".")))
}

/// Returns the mapping of a type that Kubernetes publishes a schema for.
///
/// A whole kind (`Pod`) is a plain object, as in the API server's own schemas. It does not get
/// `x-kubernetes-embedded-resource`, which requires `apiVersion`, `kind` and `metadata.name`.
/// Templates such as `volumeClaimTemplates` may lack these fields, and `k8s-openapi` decodes
/// objects without them.
fn published_definition(name: &str, release: Release) -> Option<Known> {
    // The attributes of the field, not its type, decide whether metadata is kept.
    if name == OBJECT_META {
        return Some(Known::schema(Schema::typed(JsonType::Object)));
    }
    Some(match published::schema(name, release)? {
        Ok(schema) => Known::schema(Arc::unwrap_or_clone(schema)),
        Err(RecursiveDefinition) => Known::Refused(
            "it contains itself, which a structural schema cannot express: leave it open, \
             `#[crd(schema = { \"type\": \"object\", \"x-kubernetes-preserve-unknown-fields\": true })]`",
        ),
    })
}

/// Returns the schema of a base64 string. A `ByteString` may be empty, but the API server's format
/// `byte` refuses the empty string.
fn byte_string_schema() -> Schema {
    let none = Schema {
        max_length: Some(0),
        ..Schema::default()
    };
    let some = Schema {
        format: Some("byte".to_owned()),
        ..Schema::default()
    };
    Schema {
        any_of: vec![some, none],
        ..Schema::typed(JsonType::String)
    }
}
