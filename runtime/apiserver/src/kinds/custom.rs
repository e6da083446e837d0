//! Kinds of a CustomResourceDefinition.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use genclient_schema::Schema;
use genclient_schema::object::{Column, Scale};
use serde_json::Value;

use super::builtin::{StatusKeeps, Strategy};
use super::discovery::version_order;
use super::endpoints::{CustomEndpoints, CustomVersionEndpoints, Endpoints};
use super::{CustomVersion, Kind, Origin, table};
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

/// The served versions of a definition; none until it is established.
pub(crate) fn kinds(definition: &Value) -> Vec<Kind> {
    static IDS: AtomicU64 = AtomicU64::new(1);
    if !is_established(definition) {
        return Vec::new();
    }
    let spec = &definition["spec"];
    let names = &definition["status"]["acceptedNames"];
    let resource = resource(definition);
    let versions = spec["versions"].as_array().map_or(&[][..], Vec::as_slice);
    let is_terminating = definition["metadata"]["deletionTimestamp"].is_string();
    let served = versions.iter().filter(|version| version["served"] == true);
    let endpoints = Arc::new(CustomEndpoints {
        group: resource.group.clone(),
        kind: text(&names["kind"]),
        versions: versions.iter().map(endpoints).collect(),
        resource: OnceLock::new(),
    });
    let id = IDS.fetch_add(1, Ordering::Relaxed);
    let storage = versions.iter().zip(&endpoints.versions);
    let mut storage = storage.filter(|(version, _)| version["storage"] == true);
    let storage = storage.next().map(|(_, known)| Arc::clone(&known.schema));
    let storage = storage.unwrap_or_default();
    let kind = |version: &Value| {
        let known = endpoints.versions.iter();
        let mut known = known.filter(|known| version["name"] == known.name);
        let schema = known
            .next()
            .map(|it| Arc::clone(&it.schema))
            .unwrap_or_default();
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
            origin: Origin::Custom(Box::new(CustomVersion {
                scale: Scale::of_version(version),
                has_rules: schema.has_rules(),
                rules: OnceLock::new(),
                schema,
                storage: Arc::clone(&storage),
                is_storage: version["storage"] == true,
                singular: text(&names["singular"]),
                short_names: texts(&names["shortNames"]),
                categories: texts(&names["categories"]),
                selectable_fields: selectable_fields(version),
                columns: columns(version),
                deprecation: deprecation(&resource.group, &text(&names["kind"]), version, versions),
                id,
                is_terminating,
            })),
            endpoints: Endpoints::Custom(Arc::clone(&endpoints)),
        }
    };
    served.map(kind).collect()
}

/// The paths that field selectors may name.
fn selectable_fields(version: &Value) -> Vec<String> {
    let selectable = version["selectableFields"].as_array().into_iter().flatten();
    let selectable = selectable.map(|field| {
        let path = field["jsonPath"].as_str().unwrap_or_default();
        path.trim_start_matches('.').to_owned()
    });
    selectable.collect()
}

/// The columns of tables, after that of the name.
fn columns(version: &Value) -> Vec<Column> {
    match version["additionalPrinterColumns"].as_array() {
        Some(columns) if !columns.is_empty() => {
            let columns = columns.iter().map(Column::of_definition);
            columns.filter_map(Result::ok).collect()
        }
        _ => table::default_columns(),
    }
}

fn is_established(definition: &Value) -> bool {
    let conditions = definition["status"]["conditions"].as_array();
    let mut conditions = conditions.into_iter().flatten();
    conditions.any(|it| it["type"] == "Established" && it["status"] == "True")
}

fn endpoints(version: &Value) -> CustomVersionEndpoints {
    let schema = Schema::of_definition(&version["schema"]["openAPIV3Schema"]);
    let scale = Scale::of_version(version);
    CustomVersionEndpoints {
        name: text(&version["name"]),
        schema: Arc::new(schema),
        has_status: version["subresources"]["status"].is_object(),
        replicas: scale.map(|scale| scale.spec_replicas),
    }
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
