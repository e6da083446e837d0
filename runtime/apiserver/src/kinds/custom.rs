//! Kinds of a CustomResourceDefinition.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use genclient_schema::Schema;
use genclient_schema::object::Scale;
use serde_json::Value;

use super::builtin::{StatusKeeps, Strategy};
use super::discovery::version_order;
use super::{CustomVersion, Kind, Origin};
use crate::store::Resource;

const STRATEGY: Strategy = Strategy {
    create_on_update: false,
    conditional_update: true,
    returns_deleted: false,
    generation: true,
    orphans: false,
    graceful: false,
    status_keeps: StatusKeeps::Nothing,
};

/// The served versions of a definition that was accepted.
pub(crate) fn kinds(definition: &Value) -> Vec<Kind> {
    static IDS: AtomicU64 = AtomicU64::new(1);
    let spec = &definition["spec"];
    let names = &spec["names"];
    let resource = resource(definition);
    let versions = spec["versions"].as_array().map_or(&[][..], Vec::as_slice);
    let is_terminating = definition["metadata"]["deletionTimestamp"].is_string();
    let served = versions.iter().filter(|version| version["served"] == true);
    let kind = |version: &Value| {
        let schema = &version["schema"]["openAPIV3Schema"];
        let schema = Schema::of_definition(schema);
        let selectable = version["selectableFields"].as_array().into_iter().flatten();
        let selectable = selectable.map(|field| {
            let path = field["jsonPath"].as_str().unwrap_or_default();
            path.trim_start_matches('.').to_owned()
        });
        let subresources = &version["subresources"];
        let name = text(&version["name"]);
        Kind {
            resource: resource.clone(),
            version: name.clone(),
            kind: text(&names["kind"]),
            list_kind: text(&names["listKind"]),
            is_namespaced: spec["scope"] != "Cluster",
            has_status: subresources["status"].is_object(),
            strategy: STRATEGY,
            origin: Origin::Custom(CustomVersion {
                scale: Scale::of_version(version),
                has_rules: schema.has_rules(),
                schema: Arc::new(schema),
                singular: text(&names["singular"]),
                short_names: texts(&names["shortNames"]),
                categories: texts(&names["categories"]),
                selectable_fields: selectable.collect(),
                deprecation: deprecation(&resource.group, &text(&names["kind"]), version, versions),
                id: IDS.fetch_add(1, Ordering::Relaxed),
                is_terminating,
            }),
        }
    };
    served.map(kind).collect()
}

/// The resource that a definition defines.
pub(crate) fn resource(definition: &Value) -> Resource {
    let spec = &definition["spec"];
    Resource {
        group: text(&spec["group"]),
        plural: text(&spec["names"]["plural"]),
    }
}

/// The warning of a deprecated version: its own words, or the version to use instead.
fn deprecation(group: &str, kind: &str, version: &Value, versions: &[Value]) -> Option<String> {
    if version["deprecated"] != true {
        return None;
    }
    if let Some(own) = version["deprecationWarning"].as_str() {
        return Some(own.to_owned());
    }
    let name = text(&version["name"]);
    let this = format!("{group}/{name} {kind} is deprecated");
    let mut newer: Vec<_> = versions
        .iter()
        .filter(|other| other["served"] == true && other["deprecated"] != true)
        .map(|other| text(&other["name"]))
        .filter(|other| version_order(other) > version_order(&name))
        .collect();
    newer.sort_by_key(|other| version_order(other));
    Some(match newer.last() {
        Some(newest) => format!("{this}; use {group}/{newest} {kind}"),
        None => this,
    })
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn texts(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().map(text).collect()
}
