#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test may fail anywhere"
)]

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::definitions::{Circle, Definitions, PUBLISHED, contains};
use super::*;

fn path(path: &str) -> Vec<String> {
    path.split("::").map(str::to_owned).collect()
}

/// What the schema of a type is, without descriptions; of anything else, its name.
fn found(name: &str) -> Value {
    let known = of(&path(name));
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
        Some(Known::Refused(_)) => json!("refused"),
        None => json!("unknown"),
    }
}

fn names() -> impl Iterator<Item = &'static str> {
    let lines = PUBLISHED.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.split_once('\t').unwrap().0)
}

fn published(name: &str) -> Schema {
    let schema = Definitions::default().schema(name);
    schema.unwrap().unwrap()
}

#[test]
fn every_definition_is_found_by_its_name() {
    assert!(names().is_sorted());
    assert!(names().count() > 500);
    for name in names() {
        assert!(contains(name), "{name}");
        assert!(!contains(&format!("{name}x")), "{name}x");
    }
    for absent in ["", "#", "a", "io.k8s.api.core.v1", "z"] {
        assert!(!contains(absent), "{absent}");
    }
}

#[test]
fn every_definition_is_structural_or_contains_itself() {
    let mut circles = BTreeSet::new();
    for name in names() {
        match Definitions::default().schema(name).unwrap() {
            Ok(schema) => check_structural(&schema, name),
            Err(Circle) => assert!(circles.insert(name.rsplit('.').next().unwrap())),
        }
    }
    assert_eq!(
        Vec::from_iter(circles),
        [
            "CustomResourceDefinition",
            "CustomResourceDefinitionSpec",
            "CustomResourceDefinitionVersion",
            "CustomResourceValidation",
            "JSONSchemaProps",
            "JSONSchemaPropsOrArray",
            "JSONSchemaPropsOrBool",
            "JSONSchemaPropsOrStringArray",
        ]
    );
}

/// What the API server asks of every schema in a CRD.
fn check_structural(schema: &Schema, place: &str) {
    match schema.type_.as_deref() {
        Some("object") => {
            let said = !schema.properties.is_empty() || schema.additional_properties.is_some();
            assert_ne!(said, schema.preserve_unknown_fields, "{place}");
            assert!(
                schema.properties.is_empty() || schema.additional_properties.is_none(),
                "{place}"
            );
        }
        Some("array") => check_list(schema, schema.items.as_ref().unwrap(), place),
        Some(_) => assert!(
            schema.list_type.is_none() && schema.items.is_none(),
            "{place}"
        ),
        None => assert!(
            schema.int_or_string || schema.preserve_unknown_fields,
            "{place}"
        ),
    }
    assert_ne!(schema.default, Some(json!({})), "{place}");
    let known = ["int32", "int64", "double", "byte", "date-time"];
    let format = schema.format.as_deref();
    assert!(
        format.is_none_or(|format| known.contains(&format)),
        "{place}"
    );
    for (name, property) in &schema.properties {
        let default = property.default.as_ref();
        let zero = default.is_some_and(|value| [json!(""), json!(0), json!(false)].contains(value));
        assert!(!zero || !schema.required.contains(name), "{place}.{name}");
        check_structural(property, &format!("{place}.{name}"));
    }
    let nested = schema.items.iter().chain(&schema.additional_properties);
    nested.for_each(|nested| check_structural(nested, &format!("{place}[]")));
}

fn check_list(list: &Schema, items: &Schema, place: &str) {
    assert_eq!(items.default, None, "{place}");
    match list.list_type.as_deref() {
        Some("map") => {
            assert!(!list.list_map_keys.is_empty(), "{place}");
            for key in &list.list_map_keys {
                let property = &items.properties[key];
                assert!(
                    items.required.contains(key) || property.default.is_some(),
                    "{place}: {key}"
                );
                let type_ = property.type_.as_deref().unwrap();
                assert!(!["object", "array"].contains(&type_), "{place}: {key}");
            }
        }
        other => {
            assert!(list.list_map_keys.is_empty(), "{place}");
            assert!(
                [None, Some("atomic"), Some("set")].contains(&other),
                "{place}"
            );
        }
    }
}

#[test]
fn types_of_kubernetes() {
    let quantity = found("genclient::prelude::Quantity");
    assert_eq!(quantity["x-kubernetes-int-or-string"], true);
    assert!(quantity["pattern"].is_string());
    let meta = "k8s_openapi::apimachinery::pkg::apis::meta::v1";
    let (open, text) = (
        json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true }),
        json!({ "type": "string" }),
    );
    for (name, schema) in [
        (format!("{meta}::ObjectMeta"), json!({ "type": "object" })),
        (
            format!("{meta}::Time"),
            json!({ "type": "string", "format": "date-time" }),
        ),
        (
            format!("{meta}::MicroTime"),
            json!({ "type": "string", "format": "date-time" }),
        ),
        (format!("{meta}::FieldsV1"), open.clone()),
        (
            "k8s_openapi::apimachinery::pkg::runtime::RawExtension".to_owned(),
            open.clone(),
        ),
        (
            "k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSON".to_owned(),
            json!({ "x-kubernetes-preserve-unknown-fields": true }),
        ),
        (
            "k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps"
                .to_owned(),
            json!("refused"),
        ),
        (
            "k8s_openapi::kube_aggregator::pkg::apis::apiregistration::v1::ServiceReference"
                .to_owned(),
            json!({ "type": "object", "properties": {
                "name": text, "namespace": text,
                "port": { "type": "integer", "format": "int32" },
            } }),
        ),
        (
            "k8s_openapi::ByteString".to_owned(),
            json!({ "type": "string", "anyOf": [{ "format": "byte" }, { "maxLength": 0 }] }),
        ),
        (
            "k8s_openapi::api::core::v1::LocalObjectReference".to_owned(),
            json!({
                "type": "object", "x-kubernetes-map-type": "atomic",
                "properties": { "name": { "type": "string", "default": "" } },
            }),
        ),
        ("kube::core::DynamicObject".to_owned(), open),
        ("kube::core::Duration".to_owned(), text),
        // Neither in the place where it is defined, nor in one that shows it.
        (
            "k8s_openapi::api::core::v2::Pod".to_owned(),
            json!("unknown"),
        ),
        ("k8s_openapi::Time".to_owned(), json!("unknown")),
        ("kube::Duration".to_owned(), json!("unknown")),
        ("elsewhere::api::core::v1::Pod".to_owned(), json!("unknown")),
    ] {
        assert_eq!(found(&name), schema, "{name}");
    }
}

#[test]
fn re_exports_are_what_they_show() {
    let meta = "k8s_openapi::apimachinery::pkg::apis::meta::v1";
    for (shown, name) in [
        (
            "genclient::prelude::Condition",
            format!("{meta}::Condition"),
        ),
        (
            "genclient::prelude::LabelSelector",
            format!("{meta}::LabelSelector"),
        ),
        (
            "genclient::prelude::ObjectMeta",
            format!("{meta}::ObjectMeta"),
        ),
        ("genclient::prelude::Time", format!("{meta}::Time")),
        (
            "genclient::prelude::MicroTime",
            format!("{meta}::MicroTime"),
        ),
        (
            "genclient::prelude::Duration",
            "kube::core::Duration".to_owned(),
        ),
        (
            "kube::core::duration::Duration",
            "kube::core::Duration".to_owned(),
        ),
        (
            "genclient::kube::core::Duration",
            "kube::core::Duration".to_owned(),
        ),
        ("kube_core::Duration", "kube::core::Duration".to_owned()),
        ("kube::api::ObjectMeta", format!("{meta}::ObjectMeta")),
        (
            "kube::client::api::ObjectMeta",
            format!("{meta}::ObjectMeta"),
        ),
        (
            "kube_client::api::ObjectMeta",
            format!("{meta}::ObjectMeta"),
        ),
        ("kube_core::metadata::ListMeta", format!("{meta}::ListMeta")),
        (
            "genclient::k8s_openapi::api::core::v1::SecretKeySelector",
            "k8s_openapi::api::core::v1::SecretKeySelector".to_owned(),
        ),
        ("k8s_openapi::jiff::Timestamp", "jiff::Timestamp".to_owned()),
        (
            "k8s_openapi::chrono::DateTime",
            "chrono::DateTime".to_owned(),
        ),
        (
            "k8s_openapi::serde_json::Value",
            "serde_json::Value".to_owned(),
        ),
        (
            "alloc::collections::BTreeMap",
            "std::collections::BTreeMap".to_owned(),
        ),
        ("core::net::Ipv4Addr", "std::net::Ipv4Addr".to_owned()),
    ] {
        assert_eq!(found(shown), found(&name), "{shown}");
        assert_ne!(found(shown), json!("unknown"), "{shown}");
    }
}

#[test]
fn condition_has_the_constraints_of_its_markers() {
    let mut schema = published("io.k8s.apimachinery.pkg.apis.meta.v1.Condition");
    schema.shorten_descriptions(0);
    let reason = serde_json::to_value(&schema.properties["reason"]).unwrap();
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
    // It is the same inside another definition.
    let status = published("io.k8s.api.core.v1.ServiceStatus");
    let items = status.properties["conditions"].items.as_ref().unwrap();
    assert_eq!(items.properties["reason"].max_length, Some(1024));
}

#[test]
fn pod_template_is_as_the_server_has_it() {
    let template = published("io.k8s.api.core.v1.PodTemplateSpec");
    let labels = &template.properties["metadata"].properties["labels"];
    assert_eq!(
        labels.additional_properties.as_deref(),
        Some(&Schema::typed("string"))
    );
    let containers = &template.properties["spec"].properties["containers"];
    assert_eq!(containers.list_type.as_deref(), Some("map"));
    assert_eq!(containers.list_map_keys, ["name"]);
    let container = containers.items.as_ref().unwrap();
    let ports = &container.properties["ports"];
    assert_eq!(ports.list_map_keys, ["containerPort", "protocol"]);
    let port = ports.items.as_ref().unwrap();
    assert_eq!(port.properties["protocol"].default, Some(json!("TCP")));
    assert_eq!(port.properties["containerPort"].default, None);
    assert!(port.required.contains("containerPort"));
    // A reference's own words stand before those of what it refers to, and what they do not say stays.
    let volume = published("io.k8s.api.core.v1.PersistentVolumeSpec");
    let claim = &volume.properties["claimRef"];
    assert_eq!(claim.map_type.as_deref(), Some("granular"));
    assert!(
        claim
            .description
            .as_ref()
            .unwrap()
            .starts_with("claimRef is part of")
    );
}

#[test]
fn embedded_metadata_is_five_members() {
    let schema = serde_json::to_value(embedded_metadata()).unwrap();
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
    let text = json!({ "type": "string" });
    let format = |format: &str| json!({ "type": "string", "format": format });
    for (name, schema) in [
        ("String", text.clone()),
        ("HashMap", json!("unknown")),
        ("std::string::String", text.clone()),
        ("std::path::PathBuf", text.clone()),
        ("std::option::Option", json!("optional")),
        ("std::num::Wrapping", json!("inner")),
        ("std::collections::btree_map::BTreeMap", json!("map")),
        ("std::collections::VecDeque", json!("list")),
        ("std::BTreeMap", json!("unknown")),
        ("std::net::IpAddr", text.clone()),
        ("std::net::Ipv6Addr", format("ipv6")),
        (
            "std::num::NonZeroU8",
            json!({ "type": "integer", "format": "int32", "minimum": 1, "maximum": 255 }),
        ),
        (
            "std::num::NonZeroI64",
            json!({ "type": "integer", "format": "int64", "not": { "enum": [0] } }),
        ),
        ("std::num::NonZeroU128", json!("refused")),
        ("std::num::NonZeroBool", json!("unknown")),
        ("std::num::NonZero", json!("refused")),
        ("std::time::Duration", json!("refused")),
        ("std::ffi::CString", json!("refused")),
        (
            "serde_json::Map",
            json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true }),
        ),
        ("serde_json::Number", json!({ "type": "number" })),
        ("indexmap::IndexSet", json!("set")),
        ("chrono::DateTime", format("date-time")),
        ("chrono::NaiveDateTime", text.clone()),
        ("chrono::TimeDelta", json!("refused")),
        ("jiff::civil::Date", format("date")),
        ("jiff::Zoned", text.clone()),
        ("jiff::Span", format("duration")),
        ("time::OffsetDateTime", json!("refused")),
        ("uuid::Uuid", format("uuid")),
        ("ipnet::IpNet", format("cidr")),
        ("semver::Version", text),
        ("bytes::Bytes", json!("refused")),
        ("rust_decimal::Decimal", json!("refused")),
        ("some_crate::String", json!("unknown")),
        ("", json!("unknown")),
    ] {
        assert_eq!(found(name), schema, "{name}");
    }
}
