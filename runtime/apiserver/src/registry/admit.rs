//! Admission of writes: calls of the mutating and validating plug-ins, with their attributes.

use genclient::kube::core::{GroupVersionKind, GroupVersionResource};
use genclient_schema::meta::{DuplicateOwners, remove_duplicate_owners};
use serde_json::{Map, Value, json};

use super::pipeline::Write;
use crate::admission::{AdmissionRequest, Operation};
use crate::failure::Failure;
use crate::metadata;
use crate::plugins::Plugins;
use crate::route::Verb;
use crate::ssa;

impl Write<'_> {
    fn plugins(&self) -> Plugins<'_> {
        Plugins {
            state: self.server(),
            request: self.request(),
        }
    }

    /// Returns whether a plug-in handles writes of the kind.
    pub(super) fn is_admitted(&self) -> bool {
        self.plugins().look_at_writes()
    }

    /// Runs the mutating plug-ins, and returns the new state of the object.
    pub(super) async fn mutate(
        &self,
        object: Value,
        old: Option<&Value>,
    ) -> Result<Value, Failure> {
        let mut object = match self.is_admitted() {
            true => self.mutated(object, old).await?,
            false => object,
        };
        let owners = remove_duplicate_owners(&mut object, DuplicateOwners::Admitted);
        self.request().warn(owners);
        Ok(object)
    }

    async fn mutated(&self, object: Value, old: Option<&Value>) -> Result<Value, Failure> {
        let fields = object["metadata"].get("managedFields").cloned();
        let mut admission = self.attributes(Some(object), old.cloned());
        self.plugins().mutate(&mut admission).await?;
        let mut object = admission.object.unwrap_or_default();
        // Managed fields that cannot be decoded are replaced by those before admission
        // (`managedFieldsValidatingAdmissionController`).
        let found = object["metadata"].get("managedFields");
        if found != fields.as_ref()
            && let Err(error) = ssa::check_managers(found)
        {
            self.request().warn([format!(
                ".metadata.managedFields was in an invalid state after admission; this could be \
                 caused by an outdated mutating admission controller; please fix your requests: \
                 {error}"
            )]);
            metadata::set(&mut object, "managedFields", fields);
        }
        Ok(object)
    }

    /// Runs the validating plug-ins on the new state of an object.
    pub(super) async fn admit(&self, object: &Value, old: Option<&Value>) -> Result<(), Failure> {
        if !self.is_admitted() {
            return Ok(());
        }
        let admission = self.attributes(Some(object.clone()), old.cloned());
        self.plugins().validate(&admission).await
    }

    /// Runs all plug-ins on the deletion of an object, which they cannot change
    /// (`AdmissionToValidateObjectDeleteFunc`).
    pub(super) async fn admit_deletion(
        &self,
        object: &Value,
        options: &Value,
    ) -> Result<(), Failure> {
        if !self.is_admitted() {
            return Ok(());
        }
        let mut admission = self.attributes(None, Some(object.clone()));
        admission.options = options.clone();
        self.plugins().mutate(&mut admission).await?;
        self.plugins().validate(&admission).await
    }

    fn attributes(&self, object: Option<Value>, old_object: Option<Value>) -> AdmissionRequest {
        let request = self.request();
        let (kind, target) = (&request.kind, &request.target);
        let operation = match (&object, &old_object) {
            (Some(_), None) => Operation::Create,
            (Some(_), Some(_)) => Operation::Update,
            (None, _) => Operation::Delete,
        };
        let current = object.as_ref().map_or("", |it| metadata::text(it, "name"));
        let sent = match &*target.name {
            "" if operation == Operation::Create => {
                self.sent_name.get_or_init(|| current.to_owned())
            }
            name => name,
        };
        let namespace = match kind.group().is_empty() && kind.plural() == "namespaces" {
            true => sent,
            false => &target.namespace,
        };
        let name = match (sent, operation) {
            ("", Operation::Create) => current,
            (sent, _) => sent,
        };
        let (group, version, named) = match &*target.subresource {
            "scale" => ("autoscaling", "v1", "Scale"),
            "token" => ("authentication.k8s.io", "v1", "TokenRequest"),
            _ => (kind.group(), &*kind.version, &*kind.kind),
        };
        AdmissionRequest {
            operation,
            kind: GroupVersionKind::gvk(group, version, named),
            resource: GroupVersionResource::gvr(kind.group(), &kind.version, kind.plural()),
            subresource: target.subresource.clone(),
            name: name.to_owned(),
            namespace: namespace.to_owned(),
            object,
            old_object,
            options: self.options_of(operation),
            dry_run: self.options().dry_run,
            user: (*request.user).clone(),
        }
    }

    /// Returns the options of a create or an update as an object.
    fn options_of(&self, operation: Operation) -> Value {
        let query = &self.request().query;
        let kind = match operation {
            Operation::Create => "CreateOptions",
            _ => "UpdateOptions",
        };
        let mut options = Map::new();
        options.insert("kind".to_owned(), kind.into());
        options.insert("apiVersion".to_owned(), "meta.k8s.io/v1".into());
        let stages = query.texts("dryRun");
        if !stages.is_empty() {
            options.insert("dryRun".to_owned(), json!(stages));
        }
        for field in ["fieldManager", "fieldValidation"] {
            let text = query.text(field);
            if !text.is_empty() {
                options.insert(field.to_owned(), text.into());
            }
        }
        Value::Object(options)
    }
}

/// Removes fields of a new object that a client cannot set (`WipeObjectMetaSystemFields`).
pub(super) fn wipe(verb: Verb, object: &mut Value) {
    if verb != Verb::Create {
        return;
    }
    for field in [
        "uid",
        "creationTimestamp",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "selfLink",
    ] {
        metadata::set(object, field, None);
    }
}
