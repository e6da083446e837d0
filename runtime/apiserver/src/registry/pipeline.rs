//! Steps that every write of an object goes through, from the decoded body to the store.

use std::sync::Arc;

use genclient_schema::cel::evaluate::{OBJECT_BUDGET, Rules};
use genclient_schema::definition::crd;
use genclient_schema::meta::names::NameRule;
use genclient_schema::meta::{self, Metadata};
use genclient_schema::object::{self, CustomResource};
use genclient_schema::{Cause, Schema};
use serde_json::{Value, json};

use super::{ObjectRequest, metadata};
use crate::authorization;
use crate::decode::Decoded;
use crate::failure::Failure;
use crate::kinds::defaults::set_defaults;
use crate::kinds::prepare::convert;
use crate::kinds::{CustomVersion, Kind, Origin, rules};
use crate::query::{FieldValidation, WriteOptions};
use crate::server::Inner;
use crate::ssa;
use crate::store::{Key, Raced};
use crate::stored::Stored;
use crate::types::{self, DecodeError};

/// A write in progress.
pub(super) struct Write<'a> {
    server: &'a Arc<Inner>,
    request: &'a ObjectRequest,
    options: &'a WriteOptions,
}

impl<'a> Write<'a> {
    pub(super) fn new(
        server: &'a Arc<Inner>,
        request: &'a ObjectRequest,
        options: &'a WriteOptions,
    ) -> Self {
        Self {
            server,
            request,
            options,
        }
    }

    pub(super) fn server(&self) -> &'a Arc<Inner> {
        self.server
    }

    pub(super) fn request(&self) -> &'a ObjectRequest {
        self.request
    }

    pub(super) fn options(&self) -> &'a WriteOptions {
        self.options
    }

    /// The object of a body, with its defaults filled in.
    pub(super) fn read(&self, decoded: Decoded) -> Result<Value, Failure> {
        let Kind { kind, version, .. } = &*self.request.kind;
        let object = self.decoded(decoded);
        object.map_err(|error| error.in_body(kind, version))
    }

    /// An object without unknown fields, with its defaults filled in.
    pub(super) fn decoded(&self, decoded: Decoded) -> Result<Value, Unreadable> {
        let mut findings = decoded.duplicate_fields();
        let mut object = decoded.value;
        match &self.request.kind.origin {
            Origin::Custom(custom) => {
                let unknown = object::decode(&custom.schema, &mut object);
                let unknown = unknown.map_err(Unreadable)?;
                let unknown = unknown.iter();
                findings.extend(unknown.map(|path| format!("unknown field \"{path}\"")));
            }
            Origin::Builtin(builtin) => {
                if let Some(type_) = builtin.type_ {
                    let decoded = types::decode(&object, type_);
                    let decoded = decoded.map_err(|error| Unreadable(error.to_string()))?;
                    findings.extend(decoded.unknown);
                    // An empty list is a request to forget all managers.
                    let is_reset = object["metadata"]["managedFields"] == json!([]);
                    // Somebody who writes no rules owns them; they are stored as null.
                    let has_no_rules =
                        builtin.group == authorization::GROUP && object["rules"] == json!([]);
                    object = decoded.value;
                    if has_no_rules {
                        object["rules"] = json!([]);
                    }
                    if is_reset {
                        metadata::set(&mut object, "managedFields", Some(json!([])));
                    }
                }
                convert(builtin, &mut object);
            }
        }
        self.report(findings)?;
        fill_in(&self.request.kind, &mut object);
        Ok(object)
    }

    /// What an apply has made, decoded and with its defaults filled in.
    pub(super) fn completed(&self, mut object: Value, applied: &Value) -> Result<Value, Failure> {
        if let Origin::Builtin(builtin) = &self.request.kind.origin {
            if let Some(type_) = builtin.type_ {
                let decoded = types::decode(&object, type_);
                object = match decoded {
                    Ok(decoded) => decoded.value,
                    Err(error) => return Err(unconvertible(&self.request.kind, applied, &error)),
                };
            }
            convert(builtin, &mut object);
        }
        fill_in(&self.request.kind, &mut object);
        Ok(object)
    }

    /// Warns of unknown and duplicate fields, or refuses them.
    pub(super) fn report(&self, findings: Vec<String>) -> Result<(), Unreadable> {
        if findings.is_empty() {
            return Ok(());
        }
        match self.options.field_validation {
            FieldValidation::Ignore => {}
            FieldValidation::Warn => self.request.warn(findings),
            FieldValidation::Strict => {
                let findings = findings.join(", ");
                let what = format!("strict decoding error: {findings}");
                return Err(Unreadable(what));
            }
        }
        Ok(())
    }

    /// A new object needs a namespace that exists and is not being deleted.
    pub(super) fn check_namespace(&self, object: &Value) -> Result<(), Failure> {
        let (server, request) = (self.server, self.request);
        let namespace = &request.target.namespace;
        let kind = &request.kind;
        if kind.custom().is_some_and(|custom| custom.is_terminating) {
            let reason = "create not allowed while custom resource definition is terminating";
            let name = metadata::text(object, "name");
            return Err(Failure::forbidden(
                kind.group(),
                kind.plural(),
                name,
                reason,
            ));
        }
        if namespace.is_empty() {
            return Ok(());
        }
        let Some(found) = server
            .store
            .get(&server.namespaces, &Key::new("", namespace))
        else {
            return Err(Failure::not_found("", "namespaces", namespace));
        };
        match found.is_deleting {
            false => Ok(()),
            true => {
                let reason = format!(
                    "unable to create new content in namespace {namespace} because it is being \
                     terminated"
                );
                let message = format!("namespace {namespace} is being terminated");
                let names = ["name", "generateName"].map(|field| metadata::text(object, field));
                let name = names.into_iter().find(|name| !name.is_empty());
                let name = name.unwrap_or("Unknown");
                let failure = Failure::forbidden(kind.group(), kind.plural(), name, &reason);
                Err(failure.with_cause("NamespaceTerminating", &message, "metadata.namespace"))
            }
        }
    }

    pub(super) fn validate_new(&self, object: &Value) -> Result<(), Failure> {
        let kind = &self.request.kind;
        let causes = match &kind.origin {
            Origin::Custom(custom) => {
                let api_version = kind.api_version();
                let rules = self.rules(custom);
                custom
                    .resource(kind, &api_version)
                    .validate_create(object, &rules)
            }
            Origin::Builtin(builtin) if builtin.is_definition() => {
                self.request.warn(crd::format_warnings(object, None));
                crd::validate_create(object, &crd::EvaluatedRules)
            }
            Origin::Builtin(builtin) => {
                let metadata = Metadata::of(object);
                let rule = builtin.name_rule.of_names();
                let mut causes = meta::validate(metadata, kind.is_namespaced, rule, "metadata");
                causes.extend(rules::validate(builtin, object));
                causes
            }
        };
        self.refuse(object, causes)?;
        self.request
            .warn(meta::finalizer_warnings(Metadata::of(object), None));
        Ok(())
    }

    pub(super) fn validate_update(&self, object: &Value, old: &Value) -> Result<(), Failure> {
        let kind = &self.request.kind;
        let is_status = self.request.target.subresource == "status";
        let causes = match &kind.origin {
            Origin::Custom(custom) => {
                let api_version = kind.api_version();
                let resource = custom.resource(kind, &api_version);
                let rules = self.rules(custom);
                match is_status {
                    true => resource.validate_status(object, old, &rules),
                    false => resource.validate_update(object, old, &rules),
                }
            }
            Origin::Builtin(builtin) if builtin.is_definition() => match is_status {
                true => crd::validate_status(object, old),
                false => {
                    self.request.warn(crd::format_warnings(object, Some(old)));
                    crd::validate_update(object, old, &crd::EvaluatedRules)
                }
            },
            Origin::Builtin(builtin) => {
                // Once as of every kind, and once as of this one.
                let (new, before) = (Metadata::of(object), Metadata::of(old));
                let rule = NameRule::PathSegment;
                let mut causes = meta::validate(new, kind.is_namespaced, rule, "metadata");
                causes.extend(meta::validate_update(new, before, "metadata"));
                causes.extend(meta::validate_update(new, before, "metadata"));
                causes.extend(match is_status {
                    true => rules::validate_status(builtin, object, old),
                    false => rules::validate_update(builtin, object, old),
                });
                causes
            }
        };
        self.refuse(object, causes)?;
        let (new, before) = (Metadata::of(object), Metadata::of(old));
        self.request
            .warn(meta::finalizer_warnings(new, Some(before)));
        Ok(())
    }

    fn rules(&self, custom: &'a CustomVersion) -> Evaluation<'a> {
        Evaluation {
            rules: custom.rules.get_or_init(|| Rules::compile(&custom.schema)),
            request: self.request,
        }
    }

    pub(super) fn refuse(&self, object: &Value, causes: Vec<Cause>) -> Result<(), Failure> {
        let kind = &self.request.kind;
        let name = metadata::text(object, "name");
        match causes.is_empty() {
            true => Ok(()),
            false => Err(Failure::invalid(kind.group(), &kind.kind, name, causes)),
        }
    }

    /// Writes the object, or deletes it; a dry run only says what would be there.
    pub(super) fn commit(
        &self,
        key: &Key,
        live: Option<&Arc<Stored>>,
        object: Option<Value>,
    ) -> Result<Arc<Stored>, Raced> {
        let kind = &self.request.kind;
        let object = object.map(|object| storage_form(kind, object));
        let schema_id = kind.custom().map_or(0, |custom| custom.id);
        if self.options.dry_run {
            let sent = object
                .as_ref()
                .map(|it| metadata::text(it, "resourceVersion"));
            let sent = sent.and_then(|sent| sent.parse().ok());
            let version = live.map_or(sent.unwrap_or_default(), |live| live.version());
            let dry = object.map(|object| Stored::dry_run(object, version, schema_id));
            return dry.map(Arc::new).or_else(|| live.cloned()).ok_or(Raced);
        }
        self.server.commit(kind, key, live, object, schema_id)
    }
}

/// The failure of an apply whose result is no object of its Go type.
fn unconvertible(kind: &Kind, applied: &Value, error: &DecodeError) -> Failure {
    let described = ssa::described(applied);
    let (version, kind) = (kind.version_in_messages(), &kind.kind);
    Failure::unknown(
        500,
        format!(
            "failed to convert new object ({described}) to proper version: unable to convert \
             unstructured object to {version}, Kind={kind}: error decoding from json: {error}"
        ),
    )
}

/// Why an object cannot be read, or may not be.
pub(super) struct Unreadable(pub(super) String);

impl Unreadable {
    /// The failure of a request that has the object in its body.
    pub(super) fn in_body(self, kind: &str, version: &str) -> Failure {
        let what = self.0;
        let message =
            format!("{kind} in version \"{version}\" cannot be handled as a {kind}: {what}");
        Failure::bad_request(message)
    }

    /// The failure of a patch that makes this of an object.
    pub(super) fn in_patch(self, patch: &str) -> Failure {
        let cause = Cause::invalid("patch", &patch.into(), &self.0);
        Failure::invalid("", "", "", vec![cause])
    }
}

/// The rules of a schema, evaluated; what is wrong and was before is a warning.
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

/// Fills in what is absent: defaults of a schema, or of a built-in kind.
pub(super) fn fill_in(kind: &Kind, object: &mut Value) {
    match &kind.origin {
        Origin::Custom(custom) => {
            object::fill_in_defaults(&custom.schema, object);
        }
        Origin::Builtin(builtin) => {
            if let Some(type_) = builtin.type_ {
                set_defaults(object, type_);
            }
        }
    }
}

/// A stored object as a version of its kind has it: read as the version that it is stored in, with
/// that version's defaults, and then converted.
pub(super) fn converted(kind: &Kind, stored: &Stored) -> Value {
    let mut object = stored.value();
    object["apiVersion"] = kind.api_version().into();
    object["kind"] = kind.kind.as_str().into();
    match &kind.origin {
        Origin::Custom(custom) => {
            if stored.schema_id != custom.id {
                reread(&custom.storage, &mut object);
                object::fill_in_defaults(&custom.storage, &mut object);
            }
            if !custom.is_storage {
                reread(&custom.schema, &mut object);
            }
        }
        Origin::Builtin(_) => fill_in(kind, &mut object),
    }
    object
}

/// An object as it is stored, in the version for that.
pub(super) fn storage_form(kind: &Kind, mut object: Value) -> Value {
    if let Some(custom) = kind.custom().filter(|custom| !custom.is_storage) {
        reread(&custom.storage, &mut object);
        object::fill_in_defaults(&custom.storage, &mut object);
    }
    object
}

/// Leaves out what a schema does not declare.
fn reread(schema: &Schema, object: &mut Value) {
    if let Err(error) = object::decode(schema, object) {
        tracing::debug!(error, "a stored object cannot be read");
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

    /// The value of a field that selectors may name.
    pub(super) fn field(&self, object: &Value, field: &str) -> Option<String> {
        let known = self.selectable_fields.iter().any(|path| path == field);
        if !known {
            return None;
        }
        let found = field
            .split('.')
            .try_fold(object, |value, name| value.get(name));
        Some(match found {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
        })
    }
}
