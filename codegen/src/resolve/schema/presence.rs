//! Presence of fields for serde and the API server: optional, nullable and omitted fields.

use genclient_syntax::SchemaAttrs;
use proc_macro2::Span;
use serde_json::{Value, json};
use syn::{Field, Ident};

use super::serde_attrs::{SerdeAttrs, SkipIf};
use super::{Resolver, Slot, constraints};
use crate::diagnostic::Diagnostic;
use crate::model::{Schema, Validation};

impl Resolver<'_, '_> {
    /// True if the field may be absent. Reports a field that serde needs for reading, if serde may
    /// omit the field or an attribute makes the field optional.
    pub(super) fn is_optional(
        &mut self,
        slot: &Slot,
        attrs: &SchemaAttrs,
        serde: &SerdeAttrs,
        container: &SerdeAttrs,
    ) -> bool {
        let reader_fills_in = (slot.optional && !serde.has_custom_reader())
            || serde.default.is_some()
            || container.default.is_some()
            || serde.skip_deserializing;
        let optional = reader_fills_in || attrs.default.is_some();
        let needed = |message: &str| Diagnostic::error(message);
        let found = match (attrs.optional.span(), serde.skip_serializing) {
            _ if optional => None,
            (Some(span), _) => Some((
                needed("serde needs this field to deserialize the object"),
                span,
                "make it `Option<…>`, or add `#[serde(default)]`",
            )),
            (None, Some(span)) => Some((
                needed("serde never serializes this field, but needs it to deserialize the object"),
                span,
                "add `default` to `#[serde(…)]`, or write `skip` for both directions",
            )),
            (None, None) => serde.skip_serializing_if.as_ref().map(|skip| {
                let message = "serde may omit this field, but needs it to deserialize the object";
                (
                    Diagnostic::warning(message),
                    skip.key,
                    "add `default` to `#[serde(…)]`",
                )
            }),
        };
        if let Some((finding, span, help)) = found {
            let at = self.locate(&span);
            self.sink.push(finding.at(at).help(help));
        }
        optional && !attrs.required.is_set()
    }

    pub(super) fn once_set(&mut self, name: &str, ident: &Ident, span: Span) -> Option<Validation> {
        let source = self.made.rules.add(self.locate(&span), None, None);
        let rule = constraints::once_set(name, Some(source));
        if rule.is_none() {
            let message = format!("a rule cannot refer to the field `{name}`");
            self.report(ident, message, constraints::RENAME);
        }
        rule
    }

    /// Reports a nullable field that serde cannot read from `null`.
    pub(super) fn check_null(&mut self, attrs: &SchemaAttrs, slot: &Slot, serde: &SerdeAttrs) {
        let reads_anything = slot.schema.type_.is_none();
        let reads_null = slot.optional || reads_anything || serde.with.is_some();
        if let Some(span) = attrs.nullable.span()
            && !reads_null
        {
            let message = "serde cannot deserialize `null` into this field";
            self.report(&span, message, "make it `Option<…>`");
        }
    }
}

impl Resolver<'_, '_> {
    /// Warns if serde leaves out a value other than the default. The API server would fill in the
    /// default, so that value could never be stored.
    pub(super) fn warn_of_omission(
        &mut self,
        field: &Field,
        attrs: &SchemaAttrs,
        schema: &Schema,
        serde: &SerdeAttrs,
    ) {
        let default = schema.default.as_ref();
        let Some((default, skip)) = default.zip(serde.skip_serializing_if.as_ref()) else {
            return;
        };
        let omitted = self.omitted(skip, default, field);
        // An omitted `None` means that the user has chosen no value. The default is meant for this
        // case.
        let Some(omitted) = omitted.filter(|value| !value.is_null() && value != default) else {
            return;
        };
        let message = format!("serde omits `{omitted}`, and the API server then sets the default");
        let without = match attrs.default {
            Some(_) => "remove `#[crd(default = …)]`",
            None => "add `#[crd(no_default)]`",
        };
        let help = format!(
            "remove `skip_serializing_if`, so that `{omitted}` is serialized; or {without}"
        );
        self.warn(&skip.key, message, help);
    }

    /// True if serde leaves the value out when writing. An unknown function is assumed to leave out
    /// every value: the CRD then has no default, and serde fills the value in when reading.
    pub(super) fn is_omitted(&self, field: &Field, value: &Value, serde: &SerdeAttrs) -> bool {
        let Some(skip) = &serde.skip_serializing_if else {
            return false;
        };
        if skip.name() == "is_some" {
            return !value.is_null();
        }
        let omitted = self.omitted(skip, value, field);
        omitted.is_none_or(|omitted| omitted == *value)
    }

    /// Returns the value that `skip` omits, with the type of `like`; `None` if the function of
    /// `skip` is unknown.
    fn omitted(&self, skip: &SkipIf, like: &Value, field: &Field) -> Option<Value> {
        match (skip.name(), like) {
            ("is_none", _) => Some(Value::Null),
            ("is_empty", Value::Array(_)) => Some(json!([])),
            ("is_empty", Value::Object(_)) => Some(json!({})),
            ("is_empty", Value::String(_)) => Some(json!("")),
            ("not", _) => Some(json!(false)),
            ("is_default", _) => self.default_of_type(&field.ty),
            _ => None,
        }
    }
}
