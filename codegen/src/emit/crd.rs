//! `config/crd/`: custom resource definitions as YAML.

use serde_json::{Map, Value, json};

use super::Package;
use super::yaml;
use crate::model::{Conversion, Crd, CrdVersion, Model, PrinterColumn, Scope};

pub(super) fn emit(model: &Model, package: &mut Package<'_>) {
    for crd in &model.crds {
        package.yaml(&crd.file_name(), &yaml::document(&definition(crd)));
    }
}

fn definition(crd: &Crd) -> Value {
    let mut metadata = json!({ "name": format!("{}.{}", crd.plural, crd.group) });
    if !crd.annotations.is_empty() {
        metadata["annotations"] = json!(crd.annotations);
    }
    if !crd.labels.is_empty() {
        metadata["labels"] = json!(crd.labels);
    }
    let mut spec = json!({
        "group": crd.group,
        "names": names(crd),
        "scope": match crd.scope { Scope::Namespaced => "Namespaced", Scope::Cluster => "Cluster" },
        "versions": crd.versions.iter().map(version).collect::<Vec<_>>(),
    });
    if let Some(conversion) = &crd.conversion {
        spec["conversion"] = webhook(conversion);
    }
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": metadata,
        "spec": spec,
    })
}

fn names(crd: &Crd) -> Value {
    let mut names = json!({
        "kind": crd.kind,
        "listKind": format!("{}List", crd.kind),
        "plural": crd.plural,
        "singular": crd.singular,
    });
    if !crd.short_names.is_empty() {
        names["shortNames"] = json!(crd.short_names);
    }
    if !crd.categories.is_empty() {
        names["categories"] = json!(crd.categories);
    }
    names
}

fn version(version: &CrdVersion) -> Value {
    let mut out = json!({
        "name": version.name,
        "served": version.served,
        "storage": version.storage,
        "schema": { "openAPIV3Schema": version.schema },
    });
    if version.deprecated {
        out["deprecated"] = Value::Bool(true);
    }
    if let Some(warning) = &version.deprecation_warning {
        out["deprecationWarning"] = json!(warning);
    }
    if !version.columns.is_empty() {
        out["additionalPrinterColumns"] = version.columns.iter().map(column).collect();
    }
    if !version.selectable_fields.is_empty() {
        out["selectableFields"] = version
            .selectable_fields
            .iter()
            .map(|path| json!({ "jsonPath": path }))
            .collect();
    }
    let subresources = subresources(version);
    if !subresources.is_empty() {
        out["subresources"] = Value::Object(subresources);
    }
    out
}

fn column(column: &PrinterColumn) -> Value {
    let mut out = json!({
        "name": column.name,
        "type": column.type_,
        "jsonPath": column.json_path,
    });
    let optional = [
        ("description", &column.description),
        ("format", &column.format),
    ];
    for (key, value) in optional {
        if let Some(value) = value {
            out[key] = json!(value);
        }
    }
    if let Some(priority) = column.priority {
        out["priority"] = json!(priority);
    }
    out
}

fn subresources(version: &CrdVersion) -> Map<String, Value> {
    let mut out = Map::new();
    if version.status {
        out.insert("status".into(), json!({}));
    }
    if let Some(scale) = &version.scale {
        let mut paths = json!({
            "specReplicasPath": scale.spec_replicas_path,
            "statusReplicasPath": scale.status_replicas_path,
        });
        if let Some(path) = &scale.label_selector_path {
            paths["labelSelectorPath"] = json!(path);
        }
        out.insert("scale".into(), paths);
    }
    out
}

fn webhook(conversion: &Conversion) -> Value {
    let mut service = json!({
        "namespace": conversion.namespace,
        "name": conversion.name,
    });
    if let Some(path) = &conversion.path {
        service["path"] = json!(path);
    }
    if let Some(port) = conversion.port {
        service["port"] = json!(port);
    }
    json!({
        "strategy": "Webhook",
        "webhook": {
            "clientConfig": { "service": service },
            "conversionReviewVersions": conversion.review_versions,
        },
    })
}
