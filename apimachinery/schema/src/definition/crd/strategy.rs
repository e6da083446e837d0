//! Defaults and status of a CustomResourceDefinition, set before validation; format warnings.

use std::collections::BTreeSet;

use genclient_apimachinery::strfmt;
use genclient_apimachinery::unstructured::{bool_field, list_field, str_field};
use serde_json::{Map, Value, json};

use super::internal::Spec;
use super::json_schema_props::JsonSchemaProps;

/// Fills in the defaults of a definition, as the API server does whenever it decodes one
/// (`SetDefaults_CustomResourceDefinition`): `singular`, `listKind`, the conversion strategy `None`
/// and the port of the webhook's service. An empty `status.storedVersions` gets the storage
/// version.
pub fn complete(definition: &mut Value) {
    let storage = storage_version(definition).map(str::to_owned);
    let Some(members) = definition.as_object_mut() else {
        return;
    };
    if let Some(spec) = members.get_mut("spec").and_then(Value::as_object_mut) {
        complete_spec(spec);
    }
    let status = members.get("status").unwrap_or(&Value::Null);
    if let Some(storage) = storage.filter(|_| list_field(status, "storedVersions").is_empty()) {
        let status = members.entry("status").or_insert_with(|| json!({}));
        if status.is_null() {
            *status = json!({});
        }
        if let Some(status) = status.as_object_mut() {
            status.insert("storedVersions".to_owned(), json!([storage]));
        }
    }
}

fn complete_spec(spec: &mut Map<String, Value>) {
    if let Some(names) = spec.get_mut("names") {
        let kind = str_field(names, "kind").to_owned();
        let missing = |field: &str| str_field(names, field).is_empty() && !kind.is_empty();
        let (singular, list_kind) = (missing("singular"), missing("listKind"));
        if let Some(names) = names.as_object_mut() {
            if singular {
                names.insert("singular".to_owned(), kind.to_lowercase().into());
            }
            if list_kind {
                names.insert("listKind".to_owned(), format!("{kind}List").into());
            }
        }
    }
    let conversion = spec.entry("conversion").or_insert(Value::Null);
    if conversion.is_null() {
        *conversion = json!({ "strategy": "None" });
    }
    let service = conversion.pointer_mut("/webhook/clientConfig/service");
    if let Some(service) = service.and_then(Value::as_object_mut) {
        let port = service.entry("port").or_insert(Value::Null);
        if port.is_null() {
            *port = 443.into();
        }
    }
}

/// Prepares a definition for creation: initial status, generation 1.
pub fn prepare_create(definition: &mut Value) {
    let stored = storage_version(definition).map(|version| [version]);
    let names = json!({ "kind": "", "plural": "" });
    let status = json!({ "acceptedNames": names, "conditions": null, "storedVersions": stored });
    definition["status"] = status;
    set_generation(definition, 1);
}

/// Prepares a definition for an update: keeps the old status, adds a new storage version to
/// `storedVersions`, and increments the generation if the spec has changed.
pub fn prepare_update(definition: &mut Value, old: &Value) {
    let mut status = old.get("status").cloned().unwrap_or_else(|| json!({}));
    if let Some(storage) = storage_version(definition)
        && !list_field(&status, "storedVersions").contains(&storage.into())
    {
        match status.get_mut("storedVersions") {
            Some(Value::Array(versions)) => versions.push(storage.into()),
            _ => status["storedVersions"] = json!([storage]),
        }
    }
    let has_changed = definition.get("spec") != old.get("spec");
    definition["status"] = status;
    let generation = old
        .pointer("/metadata/generation")
        .and_then(Value::as_i64)
        .unwrap_or_default();
    set_generation(definition, generation + i64::from(has_changed));
}

fn set_generation(definition: &mut Value, generation: i64) {
    let metadata = definition.get_mut("metadata");
    if let Some(metadata) = metadata.and_then(Value::as_object_mut) {
        metadata.insert("generation".to_owned(), generation.into());
    }
}

fn storage_version(definition: &Value) -> Option<&str> {
    let versions = list_field(definition.get("spec")?, "versions").iter();
    let mut storages = versions.filter(|version| bool_field(version, "storage"));
    Some(str_field(storages.next()?, "name"))
}

/// Returns the API server's warnings about unknown formats, except warnings that the old definition
/// also causes.
pub fn format_warnings(definition: &Value, old: Option<&Value>) -> Vec<String> {
    let known: BTreeSet<_> = old.into_iter().flat_map(unknown_formats).collect();
    let formats = unknown_formats(definition)
        .into_iter()
        .filter(|format| !known.contains(format));
    formats
        .map(|format| {
            format!(
                "unrecognized format {}",
                genclient_apimachinery::go::quoted(&format)
            )
        })
        .collect()
}

fn unknown_formats(definition: &Value) -> Vec<String> {
    let spec = Spec::from_definition(definition);
    let schemas = spec.schemas().flat_map(JsonSchemaProps::all_schemas);
    let unknown = schemas.filter(|schema| {
        let format = schema.text("format");
        let is_known = match schema.type_() {
            "" | "string" => {
                let plain = format.replace('-', "");
                let mut known = strfmt::KNOWN.iter();
                let is_same = |known: &&str| known.replace('-', "") == plain;
                known.any(is_same) && !strfmt::is_numeric(format)
            }
            "integer" => ["int32", "int64"].contains(&format),
            "number" => ["float", "double"].contains(&format),
            _ => false,
        };
        !format.is_empty() && !is_known
    });
    unknown
        .map(|schema| schema.text("format").to_owned())
        .collect()
}
