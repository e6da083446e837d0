//! Strategy of a kind: what a built-in kind and a custom resource do differently when an object is
//! decoded, prepared, validated and selected.
//!
//! Source: `rest.RESTCreateStrategy` and `rest.RESTUpdateStrategy` of k8s.io/apiserver;
//! `customResourceStrategy` of apiextensions-apiserver.

use std::cell::RefCell;

use genclient_apimachinery::field;
use genclient_builtins::defaults;
use genclient_builtins::kind::BuiltinKind;
use genclient_builtins::selectable;
use genclient_builtins::strategy::{Creation, DeletionRule};
use genclient_builtins::types::{self, DecodeError, GoType};
use genclient_cel::evaluate::OBJECT_BUDGET;
use genclient_schema::meta::{self, Metadata};
use genclient_schema::object::{self, CustomResource, ObjectRules};
use genclient_schema::rules::Rules;
use serde_json::{Value, json};

use crate::decode::{self, Decoded};
use crate::kinds::{CustomVersion, Kind, Origin};
use crate::metadata;

/// Groups of API servers that put the group into the storage keys of their kinds.
const GROUPS_IN_STORAGE_KEYS: &[&str] = &["apiextensions.k8s.io", "apiregistration.k8s.io"];

impl Kind {
    /// Decodes an object and sets defaults. Returns the object without unknown fields, and messages
    /// about unknown and duplicate fields.
    ///
    /// # Errors
    ///
    /// If the object does not match the schema or Go type of the kind.
    pub(crate) fn decode(&self, decoded: Decoded) -> Result<(Value, Vec<String>), String> {
        let (mut object, findings) = match &self.origin {
            Origin::Custom(custom) => {
                let mut findings = decoded.duplicate_fields();
                let mut object = decoded.value;
                for path in object::decode(&custom.schema, &mut object)? {
                    findings.push(format!("unknown field \"{path}\""));
                }
                (object, findings)
            }
            Origin::Builtin(builtin) => decode_builtin(builtin, decoded)?,
        };
        self.set_defaults(&mut object);
        Ok((object, findings))
    }

    /// Decodes the result of an apply and sets defaults.
    ///
    /// # Errors
    ///
    /// If the object does not match the Go type of the kind.
    pub(crate) fn decode_applied(&self, mut object: Value) -> Result<Value, DecodeError> {
        if let Origin::Builtin(builtin) = &self.origin {
            if let Some(type_) = builtin.type_ {
                object = types::decode_converted(&object, type_)?.value;
            }
            builtin.convert(&mut object);
        }
        self.set_defaults(&mut object);
        Ok(object)
    }

    /// Decodes an object that an admission plug-in has changed, and sets defaults. The objects of
    /// some subresources have another kind: Scale, TokenRequest, Eviction and Binding.
    ///
    /// As in kube-apiserver, undeclared fields of a custom resource are kept here. They are dropped
    /// when the custom resource is stored.
    ///
    /// # Errors
    ///
    /// If the value is not an object of the kind.
    pub(crate) fn decode_admitted(
        &self,
        subresource: &str,
        mut object: Value,
    ) -> Result<Value, String> {
        let body = self.body_type(subresource);
        if body != self.body_type("") {
            return match body.go_type() {
                Some(type_) => decode_typed(&object, type_),
                None => Ok(object),
            };
        }
        match &self.origin {
            Origin::Custom(_) => {
                let has_metadata = matches!(object.get("metadata"), None | Some(Value::Object(_)));
                if !object.is_object() || !has_metadata {
                    let name = &self.kind;
                    return Err(format!(
                        "after admission, {name} or its metadata is not an object"
                    ));
                }
            }
            Origin::Builtin(builtin) => {
                let Some(type_) = builtin.type_ else {
                    return Ok(object);
                };
                object = decode_typed(&object, type_)?;
                builtin.convert(&mut object);
            }
        }
        self.set_defaults(&mut object);
        Ok(object)
    }

    /// Sets the defaults of the kind in an object.
    pub(crate) fn set_defaults(&self, object: &mut Value) {
        match &self.origin {
            Origin::Custom(custom) => {
                object::fill_in_defaults(&custom.schema, object);
            }
            Origin::Builtin(builtin) => {
                if let Some(type_) = builtin.type_ {
                    defaults::set_defaults(object, type_);
                }
            }
        }
    }

    /// Sets the generation and status of a new object, and the other fields that the server
    /// decides.
    pub(crate) fn prepare_for_create(&self, object: &mut Value, creation: &mut Creation<'_>) {
        if self.flags.generation {
            metadata::set_field(object, "generation", Some(1.into()));
        }
        match &self.origin {
            Origin::Custom(_) if self.has_status => set_member(object, "status", None),
            Origin::Custom(_) => {}
            Origin::Builtin(builtin) => builtin.prepare_for_create(object, creation),
        }
    }

    /// Completes a new object after its name has been generated.
    pub(crate) fn canonicalize(&self, object: &mut Value) {
        if let Origin::Builtin(builtin) = &self.origin {
            builtin.strategy.canonicalize(object);
        }
    }

    /// Restores the fields that an update of an object or a subresource does not change.
    pub(crate) fn prepare_for_update(&self, subresource: &str, object: &mut Value, old: &Value) {
        match (subresource, &self.origin) {
            ("status", Origin::Custom(_)) => {
                let status = object.get("status").cloned();
                let fields = object["metadata"]["managedFields"].take();
                *object = old.clone();
                let fields = Some(fields).filter(Value::is_array);
                metadata::set_field(object, "managedFields", fields);
                set_member(object, "status", status);
            }
            ("approval" | "status", Origin::Builtin(builtin)) => {
                builtin.prepare_for_status_update(object, old);
            }
            (name, Origin::Builtin(builtin)) if builtin.strategy.subresource(name).is_some() => {
                builtin.prepare_for_subresource_update(name, object, old);
            }
            ("finalize", _) => set_member(object, "status", old.get("status").cloned()),
            (_, Origin::Custom(_)) if self.has_status => {
                set_member(object, "status", old.get("status").cloned());
            }
            (_, Origin::Custom(_)) => {}
            (_, Origin::Builtin(builtin)) => builtin.prepare_for_update(object, old),
        }
    }

    /// Returns whether an update increments the generation: it changes a field outside of
    /// `metadata`, or the annotations of some kinds. A status that is a subresource does not count.
    pub(crate) fn changes_generation(
        &self,
        subresource: &str,
        object: &Value,
        old: &Value,
    ) -> bool {
        if !self.flags.generation {
            return false;
        }
        let counts_annotations = match &self.origin {
            Origin::Builtin(builtin) => builtin.strategy.counts_annotations(),
            Origin::Custom(_) => false,
        };
        if counts_annotations && subresource.is_empty() {
            let annotations = |value: &Value| value["metadata"].get("annotations").cloned();
            if annotations(object) != annotations(old) {
                return true;
            }
        }
        let counted = |value: &Value| {
            let mut members = value.as_object().cloned().unwrap_or_default();
            members.remove("metadata");
            if self.has_status {
                members.remove("status");
            }
            members
        };
        counted(object) != counted(old)
    }

    /// Validates a new object, or an update of an object or a subresource. Adds warnings that are
    /// sent even if there are errors.
    pub(crate) fn validate(
        &self,
        subresource: &str,
        object: &Value,
        old: Option<&Value>,
        warnings: &mut Vec<String>,
    ) -> field::ErrorList {
        match &self.origin {
            Origin::Custom(custom) => {
                let api_version = self.api_version();
                let resource = custom.resource(self, &api_version);
                let rules = Evaluation {
                    rules: custom.rules.get_or_init(|| Rules::compile(&custom.schema)),
                    warnings: RefCell::default(),
                };
                let causes = match old {
                    None => resource.validate_create(object, &rules),
                    Some(old) if subresource == "status" => {
                        resource.validate_status(object, old, &rules)
                    }
                    Some(old) => resource.validate_update(object, old, &rules),
                };
                warnings.append(&mut rules.warnings.into_inner());
                causes
            }
            Origin::Builtin(builtin) => {
                if subresource != "status" {
                    warnings.extend(builtin.warnings_before_validation(object, old));
                }
                match old {
                    None => builtin.validate(object),
                    Some(old) => builtin.validate_update(subresource, object, old),
                }
            }
        }
    }

    /// Returns the warnings about an object that validation has accepted.
    pub(crate) fn warnings(
        &self,
        subresource: &str,
        object: &Value,
        old: Option<&Value>,
    ) -> Vec<String> {
        match (&self.origin, old) {
            (Origin::Custom(_), old) => meta::finalizer_warnings(
                Metadata::from_object(object),
                old.map(Metadata::from_object),
            ),
            (Origin::Builtin(builtin), None) => builtin.warnings_on_create(object),
            (Origin::Builtin(builtin), Some(old)) => {
                builtin.warnings_on_update(subresource, object, old)
            }
        }
    }

    /// Returns whether a custom resource has a subresource. An empty name is that of the objects.
    pub(crate) fn has_custom_subresource(&self, name: &str) -> bool {
        match name {
            "" => true,
            "status" => self.has_status,
            "scale" => self.custom().is_some_and(|custom| custom.scale.is_some()),
            _ => false,
        }
    }

    /// Returns the rules that a DELETE of one object follows.
    pub(crate) fn deletion_rule(&self) -> DeletionRule {
        self.builtin()
            .map_or(DeletionRule::Generic, |it| it.strategy.deletion_rule())
    }

    /// Returns whether an object that is being deleted remains although it has no finalizers in its
    /// metadata.
    pub(crate) fn delays_deletion(&self, object: &Value) -> bool {
        self.builtin()
            .is_some_and(|it| it.strategy.delays_deletion(object))
    }

    /// Returns whether the garbage collector handles the objects.
    pub(crate) fn is_garbage_collected(&self) -> bool {
        self.builtin()
            .is_none_or(|it| it.strategy.is_garbage_collected())
    }

    /// Returns whether the objects have cluster IPs and node ports, which no two objects share.
    pub(crate) fn allocates_addresses(&self) -> bool {
        self.builtin()
            .is_some_and(|it| it.strategy.allocates_addresses())
    }

    /// Returns the Go type of the objects, or `None` for a custom resource.
    pub(crate) fn go_type(&self) -> Option<GoType> {
        match &self.origin {
            Origin::Builtin(builtin) => builtin.type_,
            Origin::Custom(_) => None,
        }
    }

    /// Returns the part of storage keys that names the resource. Built-in kinds are stored without
    /// their group, except for those of apiextensions-apiserver and kube-aggregator.
    pub(crate) fn storage_prefix(&self) -> String {
        let has_group = self.custom().is_some() || GROUPS_IN_STORAGE_KEYS.contains(&self.group());
        if has_group {
            format!("{}/{}", self.group(), self.plural())
        } else {
            self.plural().to_owned()
        }
    }

    /// Checks that field selectors of the kind support a field.
    ///
    /// # Errors
    ///
    /// The message of kube-apiserver, if they do not.
    pub(crate) fn check_selectable(&self, field: &str) -> Result<(), String> {
        let (is_selectable, message) = match &self.origin {
            Origin::Builtin(builtin) => (
                builtin.is_selectable(field),
                builtin.unsupported_field(field),
            ),
            Origin::Custom(custom) => (
                matches!(field, "metadata.name" | "metadata.namespace")
                    || custom.selectable_fields.iter().any(|path| path == field),
                format!("field label not supported: {field}"),
            ),
        };
        if is_selectable { Ok(()) } else { Err(message) }
    }

    /// Returns the value of a field that field selectors of the kind support.
    pub(crate) fn field_value(&self, object: &Value, field: &str) -> String {
        match &self.origin {
            Origin::Builtin(builtin) => builtin.strategy.field_value(object, field),
            Origin::Custom(_) => selectable::text_at(object, field),
        }
    }
}

/// Decodes an object of a built-in kind by its Go type. Returns the object and messages about
/// unknown and duplicate fields.
fn decode_builtin(builtin: &BuiltinKind, decoded: Decoded) -> Result<(Value, Vec<String>), String> {
    let mut findings = decoded.duplicate_fields();
    let Decoded {
        value: sent,
        duplicates,
        text,
        ..
    } = decoded;
    let Some(type_) = builtin.type_ else {
        let mut object = sent;
        builtin.convert(&mut object);
        return Ok((object, findings));
    };
    let decoded = types::decode(&sent, type_).map_err(|error| error.to_string())?;
    findings = match findings.len() + decoded.unknown.len() {
        2.. if !text.is_empty() => decode::in_order(&text, &duplicates, &decoded.unknown),
        _ => findings.into_iter().chain(decoded.unknown).collect(),
    };
    let mut object = decoded.value;
    // Decoding drops empty lists. Some are restored, among them an empty list of managed fields: it
    // asks to drop all entries.
    let is_empty = |path: &&&str| {
        let found = path.split('.').try_fold(&sent, |it, name| it.get(name));
        found == Some(&json!([]))
    };
    for path in builtin.strategy.kept_empty_lists().iter().filter(is_empty) {
        let list = path.split('.').fold(&mut object, |it, name| &mut it[name]);
        *list = json!([]);
    }
    if sent["metadata"]["managedFields"] == json!([]) {
        metadata::set_field(&mut object, "managedFields", Some(json!([])));
    }
    builtin.convert(&mut object);
    Ok((object, findings))
}

fn decode_typed(object: &Value, type_: GoType) -> Result<Value, String> {
    match types::decode(object, type_) {
        Ok(decoded) => Ok(decoded.value),
        Err(error) => Err(error.to_string()),
    }
}

fn set_member(object: &mut Value, name: &str, value: Option<Value>) {
    if let Value::Object(members) = object {
        match value {
            Some(value) => members.insert(name.to_owned(), value),
            None => members.remove(name),
        };
    }
}

/// CEL rules of a schema, evaluated for a write. If an update does not change the values that a
/// rule applies to, a violation of the rule becomes a warning.
struct Evaluation<'a> {
    rules: &'a Rules,
    warnings: RefCell<Vec<String>>,
}

impl ObjectRules for Evaluation<'_> {
    fn validate_rules(&self, object: &Value, old: Option<&Value>) -> field::ErrorList {
        let checked = self
            .rules
            .check(object, old, "", OBJECT_BUDGET, old.is_some());
        let warnings = checked.warnings.iter().map(ToString::to_string);
        self.warnings.borrow_mut().extend(warnings);
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
