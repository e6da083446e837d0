//! Kinds that a CustomResourceDefinition defines.

use std::sync::{Arc, OnceLock};

use genclient_apimachinery::unstructured::str_or_empty;
use genclient_apimachinery::version::version_order;
use genclient_builtins::strategy_flags::{StatusKeeps, StrategyFlags};
use genclient_schema::Schema;
use genclient_schema::object::{Column, Scale};
use serde_json::{Value, json};

use crate::conditions;
use crate::kinds::field_managers::{CustomFieldManagers, CustomVersionFields, FieldManagers};
use crate::kinds::versions::DefinedVersions;
use crate::kinds::{CustomVersion, Kind, Origin};
use crate::store::GroupResource;

const FLAGS: StrategyFlags = StrategyFlags {
    create_on_update: false,
    conditional_update: true,
    returns_deleted: false,
    generation: true,
    orphans: false,
    graceful: false,
    status_keeps: StatusKeeps::Nothing,
};

/// Returns a kind for each served version of a definition. If the definition is not established,
/// there are no kinds.
pub(crate) fn kinds(definition: &Value) -> Vec<Kind> {
    if !conditions::is_condition_true(definition, "Established") {
        return Vec::new();
    }
    let spec = &definition["spec"];
    let names = &definition["status"]["acceptedNames"];
    let resource = resource(definition);
    let versions = spec["versions"].as_array().map_or(&[][..], Vec::as_slice);
    let is_terminating = definition["metadata"]["deletionTimestamp"].is_string();
    let served = versions.iter().filter(|version| version["served"] == true);
    let field_managers = Arc::new(CustomFieldManagers {
        group: resource.group.clone(),
        kind: str_or_empty(&names["kind"]).to_owned(),
        versions: versions.iter().map(field_managers).collect(),
        resource: OnceLock::new(),
    });
    let schemas = field_managers
        .versions
        .iter()
        .map(|known| (known.name.clone(), Arc::clone(&known.schema)))
        .collect();
    let defined = Arc::new(DefinedVersions::of(definition, schemas));
    let kind = |version: &Value| {
        let subresources = &version["subresources"];
        let name = str_or_empty(&version["name"]).to_owned();
        let schema = defined.schema(&name).cloned().unwrap_or_default();
        Kind {
            resource: resource.clone(),
            version: name.clone(),
            kind: str_or_empty(&names["kind"]).to_owned(),
            list_kind: str_or_empty(&names["listKind"]).to_owned(),
            is_namespaced: spec["scope"] != "Cluster",
            has_status: subresources["status"].is_object(),
            flags: FLAGS,
            origin: Origin::Custom(Box::new(CustomVersion {
                scale: Scale::of_version(version),
                has_rules: schema.has_rules(),
                rules: OnceLock::new(),
                schema,
                versions: Arc::clone(&defined),
                singular: str_or_empty(&names["singular"]).to_owned(),
                short_names: texts(&names["shortNames"]),
                categories: texts(&names["categories"]),
                selectable_fields: selectable_fields(version),
                columns: columns(version),
                deprecation: deprecation(
                    &resource.group,
                    str_or_empty(&names["kind"]),
                    version,
                    versions,
                ),
                is_terminating,
            })),
            field_managers: FieldManagers::Custom(Arc::clone(&field_managers)),
        }
    };
    served.map(kind).collect()
}

/// Returns the paths in `selectableFields` of a version, without the leading dot.
fn selectable_fields(version: &Value) -> Vec<String> {
    version["selectableFields"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|field| {
            let path = field["jsonPath"].as_str().unwrap_or_default();
            path.trim_start_matches('.').to_owned()
        })
        .collect()
}

/// Returns the columns of a version, without the name column.
fn columns(version: &Value) -> Vec<Column> {
    match version["additionalPrinterColumns"].as_array() {
        Some(columns) if !columns.is_empty() => columns
            .iter()
            .filter_map(|column| Column::of_definition(column).ok())
            .collect(),
        _ => default_columns(),
    }
}

/// Returns the columns of a custom resource whose definition has none.
fn default_columns() -> Vec<Column> {
    let age = json!({ "name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp" });
    Column::of_definition(&age).into_iter().collect()
}

fn field_managers(version: &Value) -> CustomVersionFields {
    let schema = Schema::of_definition(&version["schema"]["openAPIV3Schema"]);
    let scale = Scale::of_version(version);
    CustomVersionFields {
        name: str_or_empty(&version["name"]).to_owned(),
        schema: Arc::new(schema),
        has_status: version["subresources"]["status"].is_object(),
        replicas: scale.map(|scale| scale.spec_replicas),
    }
}

/// Returns the resource that a definition defines: its group and plural.
pub(crate) fn resource(definition: &Value) -> GroupResource {
    let spec = &definition["spec"];
    GroupResource {
        group: str_or_empty(&spec["group"]).to_owned(),
        plural: str_or_empty(&spec["names"]["plural"]).to_owned(),
    }
}

/// Returns the warning for requests to a version, or `None` if the version is not deprecated.
/// Without `deprecationWarning`, the warning recommends the newest version that is served and not
/// deprecated, if it is newer than this one.
fn deprecation(group: &str, kind: &str, version: &Value, versions: &[Value]) -> Option<String> {
    if version["deprecated"] != true {
        return None;
    }
    if let Some(own) = version["deprecationWarning"].as_str() {
        return Some(own.to_owned());
    }
    let name = str_or_empty(&version["name"]).to_owned();
    let this = format!("{group}/{name} {kind} is deprecated");
    let mut newer: Vec<_> = versions
        .iter()
        .filter(|other| other["served"] == true && other["deprecated"] != true)
        .map(|other| str_or_empty(&other["name"]).to_owned())
        .filter(|other| version_order(other) > version_order(&name))
        .collect();
    newer.sort_by_key(|other| version_order(other));
    Some(match newer.last() {
        Some(newest) => format!("{this}; use {group}/{newest} {kind}"),
        None => this,
    })
}

fn texts(value: &Value) -> Vec<String> {
    value
        .as_array()
        .into_iter()
        .flatten()
        .map(|text| str_or_empty(text).to_owned())
        .collect()
}
