//! Tests of known types: tables of types with their schemas.

mod definitions;

use std::sync::Arc;

use serde_json::{Value, json};

use super::*;
use crate::model::{JsonType, ListType, MapType};
use genclient_schema::kubernetes::schema;

fn path(path: &str) -> Vec<String> {
    path.split("::").map(str::to_owned).collect()
}

/// Returns the schema of a type without descriptions, or the name of another mapping.
fn found(name: &str) -> Value {
    let known = find_known(&path(name));
    assert_eq!(is_known(&path(name)), known.is_some(), "{name}");
    match known {
        Some(Known::Is(mut schema)) => {
            schema.shorten_descriptions(0);
            serde_json::to_value(schema).unwrap()
        }
        Some(Known::Optional) => json!("optional"),
        Some(Known::Inner) => json!("inner"),
        Some(Known::List) => json!("list"),
        Some(Known::Set) => json!("set"),
        Some(Known::Map) => json!("map"),
        Some(Known::Refused(_) | Known::Discouraged(..)) => json!("refused"),
        None => json!("unknown"),
    }
}

fn published(name: &str) -> Schema {
    Arc::unwrap_or_clone(schema(name, Release::default()).unwrap().unwrap())
}

#[test]
fn built_in_kinds_have_a_group_plural_and_scope() {
    for (name, expected) in [
        ("apps::v1::Deployment", ("apps", "deployments", true)),
        ("core::v1::Node", ("", "nodes", false)),
    ] {
        let kind = BuiltinKind::at(&path(&format!("k8s_openapi::api::{name}"))).unwrap();
        assert_eq!(
            (kind.group, &*kind.plural, kind.namespaced),
            expected,
            "{name}"
        );
    }
    let name = "k8s_openapi::kube_aggregator::pkg::apis::apiregistration::v1::APIService";
    let kind = BuiltinKind::at(&path(name)).unwrap();
    assert_eq!(
        (kind.group, &*kind.plural, kind.namespaced),
        ("apiregistration.k8s.io", "apiservices", false)
    );
    assert!(is_cluster_scoped(kind.group, &kind.plural));
}

#[test]
fn every_common_type_is_known() {
    assert!(COMMON_TYPES.is_sorted());
    for name in COMMON_TYPES {
        assert_ne!(found(name), "unknown", "{name}");
        assert_ne!(found(name), "refused", "{name}");
    }
}

/// Expands a prefix such as `meta::` in a path.
fn long(name: &str) -> String {
    let shortened = [
        ("api::", "k8s_openapi::api::"),
        ("meta::", "k8s_openapi::apimachinery::pkg::apis::meta::v1::"),
        ("machinery::", "k8s_openapi::apimachinery::pkg::"),
        (
            "extensions::",
            "k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::",
        ),
    ];
    let long = shortened
        .iter()
        .find_map(|(short, long)| Some(format!("{long}{}", name.strip_prefix(short)?)));
    long.unwrap_or_else(|| name.to_owned())
}

/// Checks the mappings of types.
#[track_caller]
fn check(table: &[(&str, &str)]) {
    for (name, expected) in table {
        let expected = serde_json::from_str(expected).unwrap_or_else(|_| json!(expected));
        let long = long(name);
        assert_eq!(found(&long), expected, "{name}");
        // The sources of these crates are never read: their types would get other paths.
        let known = expected != json!("unknown");
        if let Some((krate, _)) = long.split_once("::").filter(|_| known) {
            assert!(is_known_crate(krate), "{krate}");
        }
    }
}

const OPEN: &str = r#"{ "type": "object", "x-kubernetes-preserve-unknown-fields": true }"#;
const TEXT: &str = r#"{ "type": "string" }"#;
const DURATION: &str = r#"{
    "type": "string",
    "pattern": "^[+-]?(0|(([0-9]{1,10}(\\.[0-9]*)?|\\.[0-9]+)(h|m)|([0-9]{1,15}(\\.[0-9]*)?|\\.[0-9]+)(s|ms|us|µs|μs|ns))+)$"
}"#;
const TIME: &str = r#"{ "type": "string", "format": "date-time" }"#;

#[test]
fn types_of_kubernetes() {
    let quantity = found("genclient::prelude::Quantity");
    assert_eq!(quantity["x-kubernetes-int-or-string"], true);
    assert!(quantity["pattern"].is_string());
    check(&[
        ("meta::ObjectMeta", r#"{ "type": "object" }"#),
        ("meta::Time", TIME),
        ("meta::MicroTime", TIME),
        ("meta::FieldsV1", OPEN),
        ("machinery::runtime::RawExtension", OPEN),
        (
            "extensions::JSON",
            r#"{ "x-kubernetes-preserve-unknown-fields": true }"#,
        ),
        ("extensions::JSONSchemaProps", "refused"),
        (
            "k8s_openapi::kube_aggregator::pkg::apis::apiregistration::v1::ServiceReference",
            r#"{ "type": "object", "properties": {
                "name": { "type": "string" }, "namespace": { "type": "string" },
                "port": { "type": "integer", "format": "int32" }
            } }"#,
        ),
        (
            "k8s_openapi::ByteString",
            r#"{ "type": "string", "anyOf": [{ "format": "byte" }, { "maxLength": 0 }] }"#,
        ),
        (
            "api::core::v1::LocalObjectReference",
            r#"{
                "type": "object", "x-kubernetes-map-type": "atomic",
                "properties": { "name": { "type": "string", "default": "" } }
            }"#,
        ),
        ("kube::core::DynamicObject", OPEN),
        ("kube::core::Duration", DURATION),
        // These paths are neither definitions nor re-exports.
        ("api::core::v2::Pod", "unknown"),
        ("k8s_openapi::Time", "unknown"),
        ("kube::Duration", "unknown"),
        ("elsewhere::api::core::v1::Pod", "unknown"),
    ]);
}

#[test]
fn re_exports_have_the_schema_of_their_target() {
    for (shown, name) in [
        ("genclient::prelude::Condition", "meta::Condition"),
        ("genclient::prelude::LabelSelector", "meta::LabelSelector"),
        ("genclient::prelude::ObjectMeta", "meta::ObjectMeta"),
        ("genclient::prelude::Time", "meta::Time"),
        ("genclient::prelude::MicroTime", "meta::MicroTime"),
        (
            "genclient::prelude::IntOrString",
            "machinery::util::intstr::IntOrString",
        ),
        (
            "genclient::prelude::Quantity",
            "machinery::api::resource::Quantity",
        ),
        ("genclient::prelude::Duration", "kube::core::Duration"),
        ("kube::core::duration::Duration", "kube::core::Duration"),
        ("genclient::kube::core::Duration", "kube::core::Duration"),
        ("kube_core::Duration", "kube::core::Duration"),
        ("kube::api::ObjectMeta", "meta::ObjectMeta"),
        ("kube::client::api::ObjectMeta", "meta::ObjectMeta"),
        ("kube_client::api::ObjectMeta", "meta::ObjectMeta"),
        ("kube_core::metadata::ListMeta", "meta::ListMeta"),
        (
            "genclient::k8s_openapi::api::core::v1::EnvVar",
            "api::core::v1::EnvVar",
        ),
        ("k8s_openapi::jiff::Timestamp", "jiff::Timestamp"),
        ("k8s_openapi::chrono::DateTime", "chrono::DateTime"),
        ("k8s_openapi::serde_json::Value", "serde_json::Value"),
        ("alloc::collections::BTreeMap", "std::collections::BTreeMap"),
        ("core::net::Ipv4Addr", "std::net::Ipv4Addr"),
    ] {
        assert_eq!(found(shown), found(&long(name)), "{shown}");
        assert_ne!(found(shown), json!("unknown"), "{shown}");
    }
}

#[test]
fn condition_has_the_constraints_of_its_markers() {
    let mut schema = published("io.k8s.apimachinery.pkg.apis.meta.v1.Condition");
    schema.shorten_descriptions(0);
    let reason = serde_json::to_value(&*schema.properties["reason"]).unwrap();
    assert_eq!(
        reason,
        json!({
            "type": "string", "minLength": 1, "maxLength": 1024,
            "pattern": "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$",
        })
    );
    assert_eq!(schema.properties["message"].max_length, Some(32_768));
    assert_eq!(
        schema.properties["observedGeneration"].minimum,
        Some(0.into())
    );
    assert_eq!(
        schema.properties["status"].enum_,
        ["True", "False", "Unknown"]
    );
    assert_eq!(schema.properties["type"].max_length, Some(316));
    assert_eq!(
        Vec::from_iter(&schema.required),
        ["lastTransitionTime", "message", "reason", "status", "type"]
    );
    // Schemas that contain the definition have it as well.
    let status = published("io.k8s.api.core.v1.ServiceStatus");
    let items = status.properties["conditions"].items.as_ref().unwrap();
    assert_eq!(items.properties["reason"].max_length, Some(1024));
}

#[test]
fn pod_template_schema_matches_the_server() {
    let template = published("io.k8s.api.core.v1.PodTemplateSpec");
    let labels = &template.properties["metadata"].properties["labels"];
    assert_eq!(
        labels.additional_properties.as_deref(),
        Some(&Schema::typed(JsonType::String))
    );
    let containers = &template.properties["spec"].properties["containers"];
    assert_eq!(containers.list_type, Some(ListType::Map));
    assert_eq!(containers.list_map_keys, ["name"]);
    let container = containers.items.as_ref().unwrap();
    let ports = &container.properties["ports"];
    assert_eq!(ports.list_map_keys, ["containerPort", "protocol"]);
    let port = ports.items.as_ref().unwrap();
    assert_eq!(port.properties["protocol"].default, Some(json!("TCP")));
    assert_eq!(port.properties["containerPort"].default, None);
    assert!(port.required.contains("containerPort"));
    // Fields beside a `$ref` override the fields of the referenced definition; its other fields
    // stay.
    let volume = published("io.k8s.api.core.v1.PersistentVolumeSpec");
    let claim = &volume.properties["claimRef"];
    assert_eq!(claim.map_type, Some(MapType::Granular));
    assert!(
        claim
            .description
            .as_ref()
            .unwrap()
            .starts_with("claimRef is part of")
    );
}

#[test]
fn embedded_metadata_has_five_fields() {
    let schema = serde_json::to_value(embedded_metadata_schema()).unwrap();
    let text = json!({ "type": "string" });
    let texts = json!({ "type": "object", "additionalProperties": text });
    assert_eq!(
        schema,
        json!({ "type": "object", "properties": {
            "annotations": texts, "labels": texts, "name": text, "namespace": text,
            "finalizers": { "type": "array", "items": text, "x-kubernetes-list-type": "set" },
        } })
    );
}

#[test]
fn types_of_the_language_and_of_other_crates() {
    check(&[
        ("String", TEXT),
        ("HashMap", "unknown"),
        ("std::string::String", TEXT),
        ("std::path::PathBuf", TEXT),
        ("std::option::Option", "optional"),
        ("std::num::Wrapping", "inner"),
        ("std::collections::btree_map::BTreeMap", "map"),
        ("std::collections::VecDeque", "list"),
        ("std::BTreeMap", "unknown"),
        (
            "std::net::IpAddr",
            r#"{ "type": "string", "anyOf": [{ "format": "ipv4" }, { "format": "ipv6" }] }"#,
        ),
        (
            "std::net::Ipv6Addr",
            r#"{ "type": "string", "format": "ipv6" }"#,
        ),
        (
            "std::num::NonZeroU8",
            r#"{ "type": "integer", "format": "int32", "minimum": 1, "maximum": 255 }"#,
        ),
        (
            "std::num::NonZeroI64",
            r#"{ "type": "integer", "format": "int64", "not": { "enum": [0] } }"#,
        ),
        ("std::num::NonZeroU128", "refused"),
        ("std::num::NonZeroBool", "unknown"),
        ("std::num::NonZero", "refused"),
        ("std::time::Duration", "refused"),
        ("std::ffi::CString", "refused"),
        ("serde_json::Map", OPEN),
        ("serde_json::Number", r#"{ "type": "number" }"#),
        ("indexmap::IndexSet", "set"),
        ("chrono::DateTime", TIME),
        ("chrono::NaiveDateTime", TEXT),
        ("chrono::TimeDelta", "refused"),
        (
            "jiff::civil::Date",
            r#"{ "type": "string", "format": "date" }"#,
        ),
        ("jiff::Zoned", TEXT),
        (
            "jiff::Span",
            r#"{ "type": "string", "format": "duration" }"#,
        ),
        ("time::OffsetDateTime", "refused"),
        ("uuid::Uuid", r#"{ "type": "string", "format": "uuid" }"#),
        (
            "url::Url",
            r#"{ "type": "string", "pattern": "^[A-Za-z][A-Za-z0-9+.-]*:" }"#,
        ),
        ("ipnet::IpNet", r#"{ "type": "string", "format": "cidr" }"#),
        ("semver::Version", TEXT),
        ("bytes::Bytes", "refused"),
        ("rust_decimal::Decimal", "refused"),
        ("some_crate::String", "unknown"),
        ("", "unknown"),
    ]);
}
