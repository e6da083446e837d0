//! Admission of writes: mutating plug-ins, validation of the object, validating plug-ins.

use genclient::kube::core::{GroupVersionKind, GroupVersionResource};
use genclient_apimachinery::field::Cause;
use genclient_merge::ssa;
use genclient_schema::meta::{DuplicateOwners, remove_duplicate_owners};
use serde_json::{Map, Value, json};

use crate::admission::{AdmissionRequest, Operation};
use crate::failure::Failure;
use crate::metadata;
use crate::plugins::Plugins;
use crate::registry::pipeline::Write;
use crate::registry::services;

impl Write<'_> {
    fn plugins(&self) -> Plugins<'_> {
        Plugins {
            state: self.server(),
            request: self.request(),
        }
    }

    /// Returns whether an admission plug-in handles writes of the request's kind.
    pub(super) fn needs_admission(&self) -> bool {
        self.plugins().handle_writes()
    }

    /// Runs the mutating plug-ins. Returns the object as they changed it, without duplicate owner
    /// references.
    pub(super) async fn mutate(
        &self,
        object: Value,
        old: Option<&Value>,
    ) -> Result<Value, Failure> {
        let mut object = if self.needs_admission() {
            self.mutated(object, old).await?
        } else {
            object
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
        // If a plug-in has made the managed fields undecodable, the server restores the managed
        // fields from before admission (`managedFieldsValidatingAdmissionController`).
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

    /// Validates a new object, or the update of an object or a subresource.
    pub(super) fn validate(&self, object: &Value, old: Option<&Value>) -> Result<(), Failure> {
        let request = self.request();
        let (kind, subresource) = (&request.kind, &*request.target.subresource);
        if kind.allocates_addresses() && !self.options().dry_run {
            services::check(self.server(), request, object)?;
        }
        let mut warnings = Vec::new();
        let causes = kind.validate(subresource, object, old, &mut warnings);
        request.warn(warnings);
        self.refuse(object, causes)?;
        request.warn(kind.warnings(subresource, object, old));
        Ok(())
    }

    fn refuse(&self, object: &Value, causes: Vec<Cause>) -> Result<(), Failure> {
        let kind = &self.request().kind;
        let name = metadata::text(object, "name");
        if causes.is_empty() {
            Ok(())
        } else {
            // The message names kind and group as the object states them. If they are wrong,
            // one of the causes says so.
            let text = |field: &str| object[field].as_str();
            let named = text("kind").unwrap_or(&kind.kind);
            let group = text("apiVersion").map(|version| version.split_once('/'));
            let group = group.map(|parts| parts.map_or("", |(group, _)| group));
            let group = group.unwrap_or(&kind.resource.group);
            Err(Failure::invalid(group, named, name, causes))
        }
    }

    /// Runs the validating plug-ins on the new object.
    pub(super) async fn admit(&self, object: &Value, old: Option<&Value>) -> Result<(), Failure> {
        if !self.needs_admission() {
            return Ok(());
        }
        let admission = self.attributes(Some(object.clone()), old.cloned());
        self.plugins().validate(&admission).await
    }

    /// Runs the mutating and validating plug-ins on a deletion. Mutating plug-ins cannot change the
    /// object (`AdmissionToValidateObjectDeleteFunc`).
    pub(super) async fn admit_deletion(
        &self,
        object: &Value,
        options: &Value,
    ) -> Result<(), Failure> {
        // Plug-ins have already run on the Eviction. They do not run on the deletion that follows
        // (`addConditionAndDeletePod` in pkg/registry/core/pod/storage, eviction.go).
        let is_eviction = self.request().target.subresource == "eviction";
        if is_eviction || !self.needs_admission() {
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
        let namespace = if kind.resource == self.server().namespaces {
            sent
        } else {
            &target.namespace
        };
        let name = match (sent, operation) {
            ("", Operation::Create) => current,
            (sent, _) => sent,
        };
        let type_ = kind.type_of(&target.subresource);
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
            dry_run: self.options().dry_run,
            user: (*request.user).clone(),
        }
    }

    /// Returns the `CreateOptions` or `UpdateOptions` of the request for plug-ins.
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
