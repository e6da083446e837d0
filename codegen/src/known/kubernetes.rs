//! Types of `k8s-openapi` and kube.

use std::sync::Arc;

use genclient_schema::kubernetes::{self as published, Circle, Release};

use super::mapping::Known;
use crate::model::{JsonType, Schema};

const OBJECT_META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

/// What of a type's own metadata has a meaning when the type is a part of another.
const EMBEDDED: [&str; 5] = ["annotations", "finalizers", "labels", "name", "namespace"];

/// What a path into `k8s-openapi` or kube is.
pub(super) fn known(path: &str, release: Release) -> Option<Known> {
    match path {
        "k8s_openapi::ByteString" => Some(Known::schema(byte_string())),
        "kube::core::Duration" | "kube::core::duration::Duration" => Some(duration()),
        // A whole object, whose members only the type that it is made into knows.
        "kube::core::DynamicObject"
        | "kube::core::dynamic::DynamicObject"
        | "kube::api::DynamicObject" => Some(Known::any_object()),
        _ => definition(&definition_name(path)?, release),
    }
}

/// `1h30m`, as Go's `time.ParseDuration` reads it. The server's `duration` takes other words, too: `1 day`. With more digits kube panics, and
/// what it reads in hours it writes in seconds, which have more digits.
fn duration() -> Known {
    Known::schema(Schema {
        pattern: Some(duration_pattern()),
        ..Schema::typed(JsonType::String)
    })
}

/// The pattern of kube's `Duration`.
pub(crate) fn duration_pattern() -> String {
    let number = |digits: u8| format!(r"([0-9]{{1,{digits}}}(\.[0-9]*)?|\.[0-9]+)");
    let (short, long) = (number(10), number(15));
    format!("^[+-]?(0|({short}(h|m)|{long}(s|ms|us|µs|μs|ns))+)$")
}

/// True for the path of a published definition.
pub(super) fn is_published(path: &str) -> bool {
    definition_name(path).is_some_and(|name| published::contains(&name))
}

/// The whole `metadata` of an object inside another, as the API server publishes it.
pub(crate) fn metadata() -> Schema {
    let schema = published::schema(OBJECT_META, Release::default()).and_then(Result::ok);
    schema.map(Arc::unwrap_or_clone).unwrap_or_default()
}

/// The `metadata` of an object inside another: what `#[crd(embedded_metadata)]` keeps of it.
pub(crate) fn embedded_metadata() -> Schema {
    let mut schema = metadata();
    schema
        .properties
        .retain(|name, _| EMBEDDED.contains(&name.as_str()));
    schema.shorten_descriptions(0);
    schema
}

/// The paths of all published definitions whose last name is this one.
pub(super) fn paths_to(name: &str) -> impl Iterator<Item = String> {
    paths().filter(move |path| path.rsplit("::").next() == Some(name))
}

/// The paths of all published definitions.
pub(super) fn paths() -> impl Iterator<Item = String> {
    published::names().filter_map(|name| {
        let below = name.strip_prefix("io.k8s.")?;
        Some(format!(
            "k8s_openapi::{}",
            below.replace('-', "_").replace('.', "::")
        ))
    })
}

/// `k8s_openapi::api::core::v1::Pod` is `io.k8s.api.core.v1.Pod`.
pub(super) fn definition_name(path: &str) -> Option<String> {
    let below = path
        .strip_prefix("k8s_openapi::")?
        .replace("apiextensions_apiserver", "apiextensions-apiserver")
        .replace("kube_aggregator", "kube-aggregator");
    Some(format!("io.k8s.{}", below.replace("::", ".")))
}

/// A whole kind (`Pod`) is an object with properties like any other, as the API server publishes it inside other kinds.
/// It is no `x-kubernetes-embedded-resource`: that would ask for `apiVersion`, `kind` and `metadata.name`, which a
/// template such as `volumeClaimTemplates` need not have and `k8s-openapi` reads without.
fn definition(name: &str, release: Release) -> Option<Known> {
    // Whether metadata is kept is said at the field.
    if name == OBJECT_META {
        return Some(Known::schema(Schema::typed(JsonType::Object)));
    }
    Some(match published::schema(name, release)? {
        Ok(schema) => Known::schema(Arc::unwrap_or_clone(schema)),
        Err(Circle) => Known::Refused(
            "it contains itself, which a structural schema cannot express: leave it open, \
             `#[crd(schema = { \"type\": \"object\", \"x-kubernetes-preserve-unknown-fields\": true })]`",
        ),
    })
}

/// Base64. The server's `byte` takes everything but no bytes at all, which a `ByteString` may be.
fn byte_string() -> Schema {
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
