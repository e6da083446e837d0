//! The part of reads and writes that is the same for all built-in kinds, around the strategy of the
//! kind (k8s.io/apiserver, pkg/registry/rest, create.go and update.go).
//!
//! Objects are decoded and have their defaults.

use genclient_apimachinery::field;
use genclient_apimachinery::validation::NameRule;
use genclient_schema::meta::{self, Metadata};
use serde_json::{Value, json};

use crate::defaults::set_defaults;
use crate::kind::BuiltinKind;
use crate::row::Row;
use crate::strategy::{Creation, FinalizerRule};
use crate::strategy_flags::StatusKeeps;
use crate::types::decode;
use crate::warnings::Warnings;

/// Metadata that a write of a status or of a similar subresource cannot change
/// (`ResetObjectMetaForStatus`).
const OWN_METADATA: &[&str] = &["labels", "annotations", "finalizers", "ownerReferences"];

/// Finalizers that need no domain.
const STANDARD_FINALIZERS: [&str; 3] = ["kubernetes", "orphan", "foregroundDeletion"];

impl BuiltinKind {
    /// Changes an object as the conversion to Kubernetes' internal type does.
    pub fn convert(&self, object: &mut Value) {
        self.strategy.convert(object);
    }

    /// Prepares a new object: resets the status, and lets the strategy set fields.
    pub fn prepare_for_create(&self, object: &mut Value, creation: &mut Creation<'_>) {
        if self.subresource("status").is_some() && self.strategy.resets_status() {
            self.reset_status(object);
        }
        self.strategy.prepare_for_create(object, creation);
        // Sets the defaults again, as Kubernetes does when it reads an object from storage.
        if let Some(type_) = self.type_ {
            set_defaults(object, type_);
        }
    }

    /// Sets the status to the zero value of its Go type.
    fn reset_status(&self, object: &mut Value) {
        if let Value::Object(members) = object {
            members.remove("status");
        }
        let empty = self.type_.and_then(|type_| decode(&json!({}), type_).ok());
        if let Some(status) = empty.and_then(|empty| empty.value.get("status").cloned()) {
            object["status"] = status;
        }
    }

    /// Prepares an update of an object, not of a subresource. Restores the status and the fields
    /// that the server set at creation. Validation reports changes of other immutable fields.
    pub fn prepare_for_update(&self, new: &mut Value, old: &Value) {
        if self.subresource("status").is_some()
            && let Some(status) = old.get("status")
        {
            new["status"] = status.clone();
        }
        self.strategy.prepare_for_update(new, old);
    }

    /// Restores the fields that an update of the status does not change: all members except
    /// `status` and `metadata`, and the metadata that `StatusKeeps` names.
    pub fn prepare_for_status_update(&self, new: &mut Value, old: &Value) {
        let Value::Object(members) = old else {
            return;
        };
        for (name, member) in members {
            if !matches!(name.as_str(), "status" | "metadata") {
                new[name] = member.clone();
            }
        }
        if let Value::Object(written) = new {
            written.retain(|name, _| name == "status" || members.contains_key(name));
        }
        self.strategy.prepare_for_status_update(new, old);
        keep_metadata(
            new,
            old,
            match self.flags.status_keeps {
                StatusKeeps::Nothing => &[],
                StatusKeeps::Labels => &["labels"],
                StatusKeeps::Owners => &["ownerReferences"],
                StatusKeeps::Metadata => OWN_METADATA,
            },
        );
    }

    /// Restores the fields that an update of a subresource does not change. The subresource has the
    /// kind of its resource and is not `status`.
    pub fn prepare_for_subresource_update(&self, subresource: &str, new: &mut Value, old: &Value) {
        if let Some(strategy) = self.strategy.subresource(subresource) {
            strategy.prepare_for_update(new, old);
            keep_metadata(new, old, OWN_METADATA);
        }
    }

    /// Validates a new object.
    pub fn validate(&self, object: &Value) -> field::ErrorList {
        let mut causes = field::ErrorList::new();
        if !self.strategy.validates_metadata() {
            let rule = self.name_rule;
            let metadata = Metadata::from_object(object);
            causes.extend(meta::validate(metadata, self.namespaced, rule, "metadata"));
            if self.strategy.finalizer_rule() != FinalizerRule::Any {
                causes.extend(validate_finalizers(object));
            }
        }
        self.strategy.validate(object, &mut causes);
        causes
    }

    /// Validates an update of an object, or of a subresource that has the kind of its resource.
    pub fn validate_update(&self, subresource: &str, new: &Value, old: &Value) -> field::ErrorList {
        let mut causes = field::ErrorList::new();
        if !self.strategy.validates_metadata() {
            let [metadata, before] = [new, old].map(Metadata::from_object);
            let rule = NameRule::PathSegment;
            causes.extend(meta::validate(metadata, self.namespaced, rule, "metadata"));
            // kube-apiserver validates changes of the metadata twice: among the checks for all
            // kinds, and among the checks for this kind.
            causes.extend(meta::validate_update(metadata, before, "metadata"));
            causes.extend(meta::validate_update(metadata, before, "metadata"));
        }
        if subresource == "status" {
            self.strategy.validate_status_update(new, old, &mut causes);
        } else if let Some(strategy) = self.strategy.subresource(subresource) {
            strategy.validate_update(new, old, &mut causes);
        } else {
            if !self.strategy.validates_metadata() {
                causes.extend(self.validate_updated_finalizers(new));
            }
            self.strategy.validate_update(new, old, &mut causes);
        }
        causes
    }

    fn validate_updated_finalizers(&self, object: &Value) -> field::ErrorList {
        let mut causes = field::ErrorList::new();
        let times = match self.strategy.finalizer_rule() {
            FinalizerRule::Any => 0,
            FinalizerRule::Qualified => 1,
            FinalizerRule::QualifiedTwice => 2,
        };
        for _ in 0..times {
            causes.extend(validate_finalizers(object));
        }
        causes
    }

    /// Returns the warnings about an object that are sent even if validation refuses it. `old` is
    /// `None` for a new object.
    pub fn warnings_before_validation(&self, new: &Value, old: Option<&Value>) -> Warnings {
        let mut warnings = Warnings::new();
        self.strategy.warn_unvalidated(new, old, &mut warnings);
        warnings
    }

    /// Returns the warnings about a new object that validation has accepted.
    pub fn warnings_on_create(&self, object: &Value) -> Warnings {
        let mut warnings = self.unenforced_warning();
        self.strategy.warn_on_create(object, &mut warnings);
        warnings
    }

    /// Returns the warnings about an update that validation has accepted.
    pub fn warnings_on_update(&self, subresource: &str, new: &Value, old: &Value) -> Warnings {
        let mut warnings = Warnings::new();
        match subresource {
            "" | "scale" => {
                warnings = self.unenforced_warning();
                self.strategy.warn_on_update(new, old, &mut warnings);
            }
            "status" => self.strategy.warn_on_status_update(new, &mut warnings),
            _ => {}
        }
        warnings
    }

    /// Returns the warning about a write of a kind that kube-apiserver enforces and this server
    /// only stores.
    fn unenforced_warning(&self) -> Warnings {
        if self.strategy.is_enforced() {
            return Warnings::new();
        }
        vec![format!(
            "the API server in the process stores objects of the kind {} but does not enforce them",
            self.kind
        )]
    }

    /// Returns whether field selectors of the kind support a field.
    pub fn is_selectable(&self, field: &str) -> bool {
        match field {
            "metadata.name" => true,
            // A cluster-scoped kind with fields of its own does not list `metadata.namespace` among
            // them. `DefaultMetaV1FieldSelectorConversion` supports it for all others.
            "metadata.namespace" => self.namespaced || self.fields.is_empty(),
            field => {
                let mut special = self.strategy.special_fields().iter();
                self.fields.contains(&field) || special.any(|it| it.name == field)
            }
        }
    }

    /// Returns the error for a field that field selectors of the kind do not support.
    pub fn unsupported_field(&self, field: &str) -> String {
        if self.fields.is_empty() {
            return format!(
                "\"{field}\" is not a known field selector: only \"metadata.name\", \
                 \"metadata.namespace\""
            );
        }
        self.strategy.unsupported_field(field)
    }

    /// Returns the cells of an object in a table, or `None` if the kind has no table.
    pub fn cells(&self, row: Row<'_>) -> Option<Vec<Value>> {
        if let Some(cells) = self.strategy.cells(row) {
            return Some(cells);
        }
        let titles: Vec<_> = self.columns.iter().map(|column| column.name).collect();
        match *titles {
            ["Name", "Age"] => Some(vec![row.name(), row.age()]),
            ["Name", "Created At"] => {
                let created = row.metadata()["creationTimestamp"].clone();
                Some(vec![row.name(), created])
            }
            _ => None,
        }
    }
}

fn keep_metadata(new: &mut Value, old: &Value, names: &[&str]) {
    for &name in names {
        match old["metadata"].get(name) {
            Some(kept) => new["metadata"][name] = kept.clone(),
            None => {
                if let Some(Value::Object(metadata)) = new.get_mut("metadata") {
                    metadata.remove(name);
                }
            }
        }
    }
}

/// Checks that each finalizer has a domain or is a standard finalizer.
fn validate_finalizers(object: &Value) -> field::ErrorList {
    let finalizers = object["metadata"]["finalizers"]
        .as_array()
        .into_iter()
        .flatten()
        .enumerate();
    let unknown = finalizers.filter(|(_, finalizer)| {
        let name = finalizer.as_str().unwrap_or_default();
        !name.contains('/') && !STANDARD_FINALIZERS.contains(&name)
    });
    let cause = |(index, finalizer): (usize, &Value)| {
        let detail = "name is neither a standard finalizer name nor is it fully qualified";
        field::Error::invalid(format!("metadata.finalizers[{index}]"), finalizer, detail)
    };
    unknown.map(cause).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind;

    #[test]
    fn status_update_keeps_the_old_spec_and_labels() {
        let deployments = kind::find("apps", "v1", "deployments").unwrap();
        let labels = |value: &str| json!({"labels": {"a": value}, "annotations": {"b": value}});
        let old = json!({"metadata": labels("old"), "spec": {"replicas": 1}, "status": {}});
        let written = json!({"replicas": 1});
        let mut new = json!({
            "metadata": labels("new"), "spec": {"replicas": 5}, "status": written, "x": 1,
        });
        deployments.prepare_for_status_update(&mut new, &old);
        let expected = json!({
            "metadata": {"labels": {"a": "old"}, "annotations": {"b": "new"}},
            "spec": {"replicas": 1},
            "status": written,
        });
        assert_eq!(new, expected);
    }

    #[test]
    fn unset_fields_have_the_text_of_the_zero_value_in_go() {
        for (resource, field, object, expected) in [
            ("pods", "spec.hostNetwork", json!({}), "false"),
            (
                "pods",
                "spec.hostNetwork",
                json!({"spec": {"hostNetwork": true}}),
                "true",
            ),
            ("pods", "spec.host", json!({"spec": {"nodeName": "n"}}), "n"),
            (
                "pods",
                "status.podIPs",
                json!({"status": {"podIPs": [{"ip": "10.0.0.1"}]}}),
                "",
            ),
            ("pods", "status.phase", json!({}), ""),
            ("nodes", "spec.unschedulable", json!({}), "false"),
            ("replicationcontrollers", "status.replicas", json!({}), "0"),
        ] {
            let kind = kind::find("", "v1", resource).unwrap();
            assert!(kind.is_selectable(field), "{resource} {field}");
            let value = kind.strategy.field_value(&object, field);
            assert_eq!(value, expected, "{resource} {field}");
        }
        let jobs = kind::find("batch", "v1", "jobs").unwrap().strategy;
        assert_eq!(jobs.field_value(&json!({}), "status.successful"), "0");
        let succeeded = json!({"status": {"succeeded": 2}});
        assert_eq!(jobs.field_value(&succeeded, "status.successful"), "2");
    }
}
