//! Published definitions of Kubernetes: lookup by name, and structural schemas.

use std::collections::BTreeSet;

use genclient_schema::kubernetes::{PUBLISHED, RecursiveDefinition, contains, schema};
use serde_json::json;

use super::super::*;
use super::{path, published};
use crate::model::{JsonType, ListType};

fn names() -> impl Iterator<Item = &'static str> {
    let lines = PUBLISHED.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.split_once('\t').unwrap().0)
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
fn every_definition_is_found_by_its_last_name() {
    for name in names() {
        let last = name.rsplit('.').next().unwrap();
        let paths = paths_to(last);
        assert!(!paths.is_empty(), "{name}");
        for found in &paths {
            assert!(is_known(&path(found)), "{found}");
            assert_eq!(found.rsplit("::").next(), Some(last));
        }
    }
    for (name, paths) in [
        ("PodSpec", &["k8s_openapi::api::core::v1::PodSpec"][..]),
        ("BTreeMap", &["std::collections::BTreeMap"]),
        (
            "Event",
            &[
                "k8s_openapi::api::core::v1::Event",
                "k8s_openapi::api::events::v1::Event",
            ],
        ),
        (
            "CustomResourceDefinition",
            &[
                "k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition",
            ],
        ),
        ("Spec", &[]),
        ("v1::PodSpec", &[]),
        ("", &[]),
    ] {
        assert_eq!(paths_to(name), paths, "{name}");
    }
}

#[test]
fn every_definition_is_structural_or_contains_itself() {
    let mut circles = BTreeSet::new();
    for name in names() {
        match schema(name, Release::default()).unwrap() {
            Ok(schema) => check_structural(&schema, name),
            Err(RecursiveDefinition) => assert!(circles.insert(name.rsplit('.').next().unwrap())),
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

/// The API server accepts values such as `spec.tolerations[].effect: ""` in a Pod.
#[test]
fn published_enums_are_dropped_from_schemas() {
    let published = published("io.k8s.api.core.v1.PodTemplateSpec");
    let spec = serde_json::to_value(&*published.properties["spec"]).unwrap();
    assert!(!spec.to_string().contains("\"enum\":["), "{spec}");
}

/// Checks what the API server requires of every schema in a CRD.
fn check_structural(schema: &Schema, place: &str) {
    match schema.type_ {
        Some(JsonType::Object) => {
            let said = !schema.properties.is_empty() || schema.additional_properties.is_some();
            assert_ne!(said, schema.preserve_unknown_fields, "{place}");
            assert!(
                schema.properties.is_empty() || schema.additional_properties.is_none(),
                "{place}"
            );
        }
        Some(JsonType::Array) => check_list(schema, schema.items.as_ref().unwrap(), place),
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
    match list.list_type {
        Some(ListType::Map) => {
            assert!(!list.list_map_keys.is_empty(), "{place}");
            for key in &list.list_map_keys {
                let property = &items.properties[key];
                assert!(
                    items.required.contains(key) || property.default.is_some(),
                    "{place}: {key}"
                );
                let type_ = property.type_.unwrap();
                assert!(type_.is_scalar(), "{place}: {key}");
            }
        }
        _ => assert!(list.list_map_keys.is_empty(), "{place}"),
    }
}
