//! Namespaces (pkg/apis/core/validation).

use genclient_apimachinery::field;
use genclient_apimachinery::unstructured::{list_field, str_or_empty};
use genclient_apimachinery::validation;
use serde_json::{Value, json};

use crate::accessors::{change_member, set_default};
use crate::names;
use crate::row::Row;
use crate::strategy::{Creation, DeletionRule, Strategy};
use crate::types::Object;

/// Strategy of Namespaces (pkg/registry/core/namespace, strategy.go).
#[derive(Debug)]
pub(crate) struct NamespaceStrategy;

impl Strategy for NamespaceStrategy {
    fn resets_status(&self) -> bool {
        false
    }

    fn prepare_for_create(&self, namespace: &mut Value, _creation: &mut Creation<'_>) {
        add_finalizer(namespace);
        namespace["status"] = json!({"phase": "Active"});
    }

    fn prepare_for_update(&self, new: &mut Value, old: &Value) {
        match old.pointer("/spec/finalizers") {
            Some(finalizers) => new["spec"]["finalizers"] = finalizers.clone(),
            None => new["spec"] = json!({}),
        }
    }

    fn deletion_rule(&self) -> DeletionRule {
        DeletionRule::Namespace
    }

    /// Finalizers in the spec delay the deletion until the contents of the namespace are gone.
    fn delays_deletion(&self, namespace: &Value) -> bool {
        !list_field(&namespace["spec"], "finalizers").is_empty()
    }

    fn validate(&self, object: &Value, out: &mut field::ErrorList) {
        for finalizer in list_field(&object["spec"], "finalizers") {
            let name = finalizer.as_str().unwrap_or_default();
            names::report_name_errors("spec.finalizers", name, validation::label_key(name), out);
            if !name.contains('/')
                && !matches!(name, "kubernetes" | "orphan" | "foregroundDeletion")
            {
                let message = "name is neither a standard finalizer name nor is it fully qualified";
                out.push(field::Error::invalid("spec.finalizers", finalizer, message));
            }
        }
    }

    fn cells(&self, row: Row<'_>) -> Option<Vec<Value>> {
        Some(vec![
            row.name(),
            json!(str_or_empty(&row.status()["phase"])),
            row.age(),
        ])
    }

    /// Sets the label with the name, after the name has been generated.
    fn canonicalize(&self, namespace: &mut Value) {
        let name = str_or_empty(&namespace["metadata"]["name"]).to_owned();
        namespace["metadata"]["labels"]["kubernetes.io/metadata.name"] = name.into();
    }
}

/// Adds the finalizer `kubernetes` of the namespace controller to the spec of a new namespace.
fn add_finalizer(namespace: &mut Value) {
    let kubernetes = Value::from("kubernetes");
    match namespace.pointer_mut("/spec/finalizers") {
        Some(Value::Array(finalizers)) if finalizers.contains(&kubernetes) => {}
        Some(Value::Array(finalizers)) => finalizers.push(kubernetes),
        _ => namespace["spec"] = json!({"finalizers": [kubernetes]}),
    }
}

pub(crate) fn set_defaults(members: &mut Object) {
    let name = members
        .get("metadata")
        .map(|metadata| metadata["name"].clone());
    if let Some(Value::String(name)) = name.filter(|name| name != "") {
        change_member(members, "metadata", |metadata| {
            change_member(metadata, "labels", |labels| {
                labels.insert("kubernetes.io/metadata.name".to_owned(), name.into());
            });
        });
    }
}

/// Sets the defaults of the status.
pub(crate) fn set_status_defaults(status: &mut Object) {
    set_default(status, "phase", "Active");
}
