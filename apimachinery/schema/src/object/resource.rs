//! Validation of custom resources on create, update and status update.
//!
//! Follows `k8s.io/apiextensions-apiserver/pkg/registry/customresource` and
//! `k8s.io/apiserver/pkg/registry/rest`. Both packages validate the metadata of an update, so some
//! causes appear twice.

use genclient_apimachinery::field;
use genclient_apimachinery::validation::NameRule;
use serde_json::Value;

use super::{Scale, embedded_causes};
use crate::meta::{self, Metadata};
use crate::values::{self, Correlated, Prefix};
use crate::{JsonType, Schema};

/// One version of a custom resource.
#[derive(Clone, Copy, Debug)]
pub struct CustomResource<'d> {
    /// The kind, such as `Widget`.
    pub kind: &'d str,
    /// The group and version, such as `example.com/v1`.
    pub api_version: &'d str,
    /// Whether objects are namespaced.
    pub namespaced: bool,
    /// The schema of the version.
    pub schema: &'d Schema,
    /// The paths of the scale subresource, if the version has one.
    pub scale: Option<&'d Scale>,
    /// Whether the schema has rules that are evaluated: the result of [`Schema::has_rules`].
    pub has_rules: bool,
}

/// Evaluation of the CEL rules in a schema.
pub trait ObjectRules {
    /// Returns the errors of the schema's rules for an object. On update, `old` is the old object.
    fn validate_rules(&self, object: &Value, old: Option<&Value>) -> field::ErrorList;
}

/// Implementation that evaluates no rules.
impl ObjectRules for () {
    fn validate_rules(&self, _: &Value, _: Option<&Value>) -> field::ErrorList {
        Vec::new()
    }
}

impl CustomResource<'_> {
    /// Returns the API server's errors for the creation of an object. The object has been decoded
    /// and defaulted, and has its final name.
    pub fn validate_create(&self, object: &Value, rules: &dyn ObjectRules) -> field::ErrorList {
        let metadata = Metadata::from_object(object);
        let mut causes = self.type_causes(object);
        if causes.is_empty() {
            let rule = NameRule::Subdomain;
            causes.extend(meta::validate(metadata, self.namespaced, rule, "metadata"));
            causes.extend(values::validate_value(
                self.schema,
                object,
                None,
                Prefix::OBJECT,
            ));
            causes.extend(self.scale.and_then(|scale| scale.spec_causes(object)));
            causes.extend(self.scale.iter().flat_map(|it| it.status_causes(object)));
        }
        causes.extend(embedded_causes(self.schema, object, ""));
        causes.extend(values::list_causes(self.schema, object));
        self.rules(&mut causes, || rules.validate_rules(object, None));
        // `rest.BeforeCreate` validates the metadata of every kind again if the strategy reports
        // nothing. This finds a `generateName` such as `a%-`.
        if causes.is_empty() {
            let rule = NameRule::PathSegment;
            return meta::validate(metadata, self.namespaced, rule, "metadata");
        }
        causes
    }

    /// Returns the API server's errors for an update. Both objects have been decoded and defaulted.
    /// Fields that the update cannot change, such as the status if it is a subresource, are equal
    /// in both.
    pub fn validate_update(
        &self,
        object: &Value,
        old: &Value,
        rules: &dyn ObjectRules,
    ) -> field::ErrorList {
        let mut causes = self.common_causes(object, old);
        let mut of_resource = self.type_causes(object);
        if of_resource.is_empty() {
            of_resource.extend(metadata_update(object, old));
            let correlated = self.correlated(object, old);
            let of_schema =
                values::validate_value(self.schema, object, Some(correlated), Prefix::OBJECT);
            of_resource.extend(of_schema);
            of_resource.extend(self.scale.and_then(|scale| scale.spec_causes(object)));
            of_resource.extend(self.scale.iter().flat_map(|it| it.status_causes(object)));
        }
        of_resource.extend(embedded_causes(self.schema, object, ""));
        self.lists(object, old, &mut of_resource);
        self.rules(&mut of_resource, || rules.validate_rules(object, Some(old)));
        causes.append(&mut of_resource);
        causes
    }

    /// Returns the API server's errors for a status update. The new object differs from the old one
    /// only in its status.
    pub fn validate_status(
        &self,
        object: &Value,
        old: &Value,
        rules: &dyn ObjectRules,
    ) -> field::ErrorList {
        let mut causes = self.common_causes(object, old);
        let mut of_resource = self.type_causes(object);
        if of_resource.is_empty() {
            of_resource.extend(metadata_update(object, old));
            let of_status = self.schema.properties.get("status");
            if let (Some(schema), Some(new)) = (of_status, object.get("status")) {
                let correlated = Correlated {
                    schema,
                    new,
                    old: old.get("status").unwrap_or(&Value::Null),
                };
                let prefix = Prefix("status");
                of_resource.extend(values::validate_value(
                    schema,
                    new,
                    Some(correlated),
                    prefix,
                ));
            }
            of_resource.extend(self.scale.iter().flat_map(|it| it.status_causes(object)));
        }
        self.lists(object, old, &mut of_resource);
        self.rules(&mut of_resource, || rules.validate_rules(object, Some(old)));
        causes.append(&mut of_resource);
        causes
    }

    fn correlated<'v>(&'v self, new: &'v Value, old: &'v Value) -> Correlated<'v> {
        let schema = self.schema;
        Correlated { schema, new, old }
    }

    /// Checks `kind` and `apiVersion` (`ValidateTypeMeta`).
    fn type_causes(&self, object: &Value) -> field::ErrorList {
        let fields = [("kind", self.kind), ("apiVersion", self.api_version)];
        let wrong = fields.into_iter().filter_map(|(field, expected)| {
            let found = object
                .get(field)
                .and_then(Value::as_str)
                .unwrap_or_default();
            let wrong = found != expected;
            wrong.then(|| {
                field::Error::invalid(field, &found.into(), &format!("must be {expected}"))
            })
        });
        wrong.collect()
    }

    /// Checks the metadata as for an update of any resource (`rest.validateCommonFields`).
    fn common_causes(&self, object: &Value, old: &Value) -> field::ErrorList {
        let (metadata, rule) = (Metadata::from_object(object), NameRule::PathSegment);
        let mut causes = meta::validate(metadata, self.namespaced, rule, "metadata");
        causes.extend(metadata_update(object, old));
        causes
    }

    /// Reports duplicate list items, unless the old object has duplicates, too.
    fn lists(&self, object: &Value, old: &Value, causes: &mut field::ErrorList) {
        let mut of_object = values::list_causes(self.schema, object);
        if !of_object.is_empty() && values::list_causes(self.schema, old).is_empty() {
            causes.append(&mut of_object);
        }
    }

    /// Adds the errors of `evaluate`. If an existing error prevents the evaluation, reports that
    /// rules were not checked.
    fn rules(&self, causes: &mut field::ErrorList, evaluate: impl FnOnce() -> field::ErrorList) {
        const BLOCKING: [&str; 5] = [
            "FieldValueNotSupported",
            "FieldValueRequired",
            "FieldValueTooLong",
            "FieldValueTooMany",
            "FieldValueTypeInvalid",
        ];
        if !self.has_rules {
            return;
        }
        if causes.iter().any(|cause| BLOCKING.contains(&cause.reason)) {
            causes.push(field::Error::invalid(
                "<nil>",
                &Value::Null,
                "some validation rules were not checked because the object was invalid; correct \
                 the existing errors to complete validation",
            ));
        } else {
            causes.extend(evaluate());
        }
    }
}

fn metadata_update(object: &Value, old: &Value) -> field::ErrorList {
    meta::validate_update(
        Metadata::from_object(object),
        Metadata::from_object(old),
        "metadata",
    )
}

impl Schema {
    /// Returns whether the schema has a rule that the API server evaluates. Rules in a property do
    /// not count if the property or the object that has it lacks a CEL type (`validator` of
    /// `pkg/apiserver/schema/cel`).
    pub fn has_rules(&self) -> bool {
        let values = self.items.iter().chain(&self.additional_properties);
        let mut properties = self
            .properties
            .values()
            .filter(|property| self.has_cel_type() && property.has_cel_type());
        !self.validations.is_empty()
            || values.into_iter().any(|schema| schema.has_rules())
            || properties.any(|property| property.has_rules())
    }

    /// Returns whether values of the schema have a CEL type (`SchemaDeclType` of
    /// `k8s.io/apiserver/pkg/cel/common`).
    pub(crate) fn has_cel_type(&self) -> bool {
        match self.type_ {
            _ if self.int_or_string => true,
            None => false,
            Some(JsonType::Array) => self.items.as_ref().is_some_and(|it| it.has_cel_type()),
            Some(JsonType::Object) => {
                let values = self
                    .additional_properties
                    .as_ref()
                    .filter(|schema| schema.boolean.is_none());
                values.is_none_or(|schema| schema.has_cel_type())
            }
            Some(_) => true,
        }
    }
}
