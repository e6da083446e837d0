//! Admission of writes: mutating and validating plug-ins, and what they see of a request.

use genclient::kube::core::{GroupVersionKind, GroupVersionResource};
use genclient_merge::ssa;
use genclient_schema::meta::{DuplicateOwners, remove_duplicate_owners};
use serde_json::{Map, Value, json};

use crate::admission::{AdmissionRequest, Operation};
use crate::metadata;
use crate::plugins::Plugins;
use crate::registry::write::Write;
use crate::status_error::StatusError;

impl Write<'_> {
    fn plugins(&self) -> Plugins<'_> {
        Plugins {
            state: self.server,
            request: self.request,
        }
    }

    /// Returns whether an admission plug-in handles writes of the request's kind.
    pub fn needs_admission(&self) -> bool {
        self.plugins().handle_writes()
    }

    /// Runs the mutating plug-ins on the object of a create or an update, and checks the namespace
    /// again.
    pub async fn admit_mutating(
        &self,
        object: Value,
        old: Option<&Value>,
    ) -> Result<Value, StatusError> {
        let mut object = self.mutate(object, old).await?;
        self.request.check_object_namespace(&mut object)?;
        Ok(object)
    }

    /// Runs the mutating plug-ins. Returns the object as they changed it, without duplicate owner
    /// references.
    pub async fn mutate(&self, object: Value, old: Option<&Value>) -> Result<Value, StatusError> {
        let mut object = if self.needs_admission() {
            self.mutated(object, old).await?
        } else {
            object
        };
        let owners = remove_duplicate_owners(&mut object, DuplicateOwners::Admitted);
        self.request.warn(owners);
        Ok(object)
    }

    async fn mutated(&self, object: Value, old: Option<&Value>) -> Result<Value, StatusError> {
        let fields = object["metadata"].get("managedFields").cloned();
        let mut admission = self.admission_attributes(Some(object), old.cloned());
        self.plugins().mutate(&mut admission).await?;
        let mut object = admission.object.unwrap_or_default();
        // If a plug-in has made the managed fields undecodable, the server restores the managed
        // fields from before admission (`managedFieldsValidatingAdmissionController`).
        let found = object["metadata"].get("managedFields");
        if found != fields.as_ref()
            && let Err(error) = ssa::check_managers(found)
        {
            self.request.warn([format!(
                ".metadata.managedFields was in an invalid state after admission; this could be \
                 caused by an outdated mutating admission controller; please fix your requests: \
                 {error}"
            )]);
            metadata::set_field(&mut object, "managedFields", fields);
        }
        Ok(object)
    }

    /// Runs the validating plug-ins on the new object.
    pub async fn admit_validating(
        &self,
        object: &Value,
        old: Option<&Value>,
    ) -> Result<(), StatusError> {
        if !self.needs_admission() {
            return Ok(());
        }
        let admission = self.admission_attributes(Some(object.clone()), old.cloned());
        self.plugins().validate(&admission).await
    }

    /// Runs the mutating and validating plug-ins on a deletion. Mutating plug-ins cannot change the
    /// object (`AdmissionToValidateObjectDeleteFunc`).
    pub async fn admit_deletion(&self, object: &Value, options: &Value) -> Result<(), StatusError> {
        // Plug-ins have already run on the Eviction. They do not run on the deletion that follows
        // (`addConditionAndDeletePod` in pkg/registry/core/pod/storage, eviction.go).
        let is_eviction = self.request.target.subresource == "eviction";
        if is_eviction || !self.needs_admission() {
            return Ok(());
        }
        let mut admission = self.admission_attributes(None, Some(object.clone()));
        admission.options = options.clone();
        self.plugins().mutate(&mut admission).await?;
        self.plugins().validate(&admission).await
    }

    fn admission_attributes(
        &self,
        object: Option<Value>,
        old_object: Option<Value>,
    ) -> AdmissionRequest {
        let request = self.request;
        let (kind, target) = (&request.kind, &request.target);
        let operation = match (&object, &old_object) {
            (Some(_), None) => Operation::Create,
            (Some(_), Some(_)) => Operation::Update,
            (None, _) => Operation::Delete,
        };
        let current = object
            .as_ref()
            .map_or("", |it| metadata::str_field(it, "name"));
        let sent = match &*target.name {
            "" if operation == Operation::Create => {
                self.sent_name.get_or_init(|| current.to_owned())
            }
            name => name,
        };
        let namespace = if kind.resource == self.server.namespaces {
            sent
        } else {
            &target.namespace
        };
        let name = match (sent, operation) {
            ("", Operation::Create) => current,
            (sent, _) => sent,
        };
        let type_ = kind.body_type(&target.subresource);
        AdmissionRequest {
            operation,
            kind: GroupVersionKind::gvk(type_.group, type_.version, type_.kind),
            resource: GroupVersionResource::gvr(kind.group(), &kind.version, kind.plural()),
            subresource: target.subresource.clone(),
            name: name.to_owned(),
            namespace: namespace.to_owned(),
            object,
            old_object,
            options: self.options_of(operation),
            dry_run: self.options.dry_run,
            user: (*request.user).clone(),
        }
    }

    /// Returns the `CreateOptions` or `UpdateOptions` of the request for plug-ins.
    fn options_of(&self, operation: Operation) -> Value {
        let query = &self.request.query;
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
