//! Admission of writes: mutating plug-ins, validation of the object, validating plug-ins.

use genclient::kube::core::{GroupVersionKind, GroupVersionResource};
use genclient_apimachinery::field::Cause;
use genclient_cel::evaluate::OBJECT_BUDGET;
use genclient_merge::ssa;
use genclient_schema::meta::{self, DuplicateOwners, Metadata, remove_duplicate_owners};
use genclient_schema::object::{self, CustomResource};
use genclient_schema::rules::Rules;
use serde_json::{Map, Value, json};

use crate::admission::{AdmissionRequest, Operation};
use crate::failure::Failure;
use crate::kinds::{CustomVersion, Kind, Origin};
use crate::metadata;
use crate::plugins::Plugins;
use crate::registry::pipeline::Write;
use crate::request::ObjectRequest;

impl<'a> Write<'a> {
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

    pub(super) fn validate_new(&self, object: &Value) -> Result<(), Failure> {
        let kind = &self.request().kind;
        let causes = match &kind.origin {
            Origin::Custom(custom) => {
                let api_version = kind.api_version();
                let rules = self.rules(custom);
                custom
                    .resource(kind, &api_version)
                    .validate_create(object, &rules)
            }
            Origin::Builtin(builtin) => {
                let warnings = builtin.warnings_before_validation(object, None);
                self.request().warn(warnings);
                builtin.validate(object)
            }
        };
        self.refuse(object, causes)?;
        self.request().warn(match &kind.origin {
            Origin::Custom(_) => meta::finalizer_warnings(Metadata::of(object), None),
            Origin::Builtin(builtin) => builtin.warnings_on_create(object),
        });
        Ok(())
    }

    pub(super) fn validate_update(&self, object: &Value, old: &Value) -> Result<(), Failure> {
        let kind = &self.request().kind;
        let is_status = self.request().target.subresource == "status";
        let causes = match &kind.origin {
            Origin::Custom(custom) => {
                let api_version = kind.api_version();
                let resource = custom.resource(kind, &api_version);
                let rules = self.rules(custom);
                if is_status {
                    resource.validate_status(object, old, &rules)
                } else {
                    resource.validate_update(object, old, &rules)
                }
            }
            Origin::Builtin(builtin) => {
                if !is_status {
                    let warnings = builtin.warnings_before_validation(object, Some(old));
                    self.request().warn(warnings);
                }
                builtin.validate_update(&self.request().target.subresource, object, old)
            }
        };
        self.refuse(object, causes)?;
        self.request().warn(match &kind.origin {
            Origin::Custom(_) => {
                meta::finalizer_warnings(Metadata::of(object), Some(Metadata::of(old)))
            }
            Origin::Builtin(builtin) => {
                let subresource = &self.request().target.subresource;
                builtin.warnings_on_update(subresource, object, old)
            }
        });
        Ok(())
    }

    fn rules(&self, custom: &'a CustomVersion) -> Evaluation<'a> {
        Evaluation {
            rules: custom.rules.get_or_init(|| Rules::compile(&custom.schema)),
            request: self.request(),
        }
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
        let namespace = if kind.group().is_empty() && kind.plural() == "namespaces" {
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

/// CEL rules of a schema, evaluated for a request. If an update does not change the values that a
/// rule applies to, a violation of the rule becomes a warning.
struct Evaluation<'a> {
    rules: &'a Rules,
    request: &'a ObjectRequest,
}

impl object::ObjectRules for Evaluation<'_> {
    fn causes(&self, object: &Value, old: Option<&Value>) -> Vec<Cause> {
        let checked = self
            .rules
            .check(object, old, "", OBJECT_BUDGET, old.is_some());
        let warnings = checked.warnings.iter().map(ToString::to_string);
        self.request.warn(warnings);
        checked.causes
    }
}

impl CustomVersion {
    fn resource<'d>(&'d self, kind: &'d Kind, api_version: &'d str) -> CustomResource<'d> {
        CustomResource {
            kind: &kind.kind,
            api_version,
            namespaced: kind.is_namespaced,
            schema: &self.schema,
            scale: self.scale.as_ref(),
            has_rules: self.has_rules,
        }
    }
}
