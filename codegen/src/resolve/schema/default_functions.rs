//! Defaults that serde fills in: what the CRD says of them, and whether the API server takes them.

use genclient_schema::values;
use genclient_syntax::SchemaAttrs;
use syn::Field;

use super::serde_attrs::{Default_, SerdeAttrs};
use super::{Resolver, defaults, words};
use crate::model::Schema;
use crate::sources::ModuleId;

impl Resolver<'_, '_> {
    /// A default function promises a value, which the CRD has to promise, too.
    pub(super) fn default_of(
        &mut self,
        serde: &SerdeAttrs,
        attrs: &SchemaAttrs,
        field: &Field,
        module: ModuleId,
    ) -> Option<serde_json::Value> {
        let Default_::Function(path) = &serde.default else {
            return None;
        };
        if attrs.default.is_some() || attrs.no_default.is_set() {
            return None;
        }
        let value = defaults::returned(self.sources, self.paths, module, path, &field.ty);
        if value.is_none() {
            self.report(
                module,
                path,
                format!("what `{}` returns cannot be seen from here", path.value()),
                "state it: `#[crd(default = …)]`, or `#[crd(no_default)]` for none in the CRD",
            );
        }
        // What is absent is `None` anyway.
        value.filter(|value| !value.is_null())
    }

    /// What a default function returns is held against the constraints of its field.
    pub(super) fn check_returned(
        &mut self,
        default: &serde_json::Value,
        schema: &Schema,
        serde: &SerdeAttrs,
        module: ModuleId,
    ) {
        let Default_::Function(path) = &serde.default else {
            return;
        };
        for reason in refusals(
            schema,
            default,
            &format!("the default {default}"),
            "the default",
        ) {
            self.report(
                module,
                path,
                reason,
                "return another value, or state it: `#[crd(default = …)]`, `#[crd(no_default)]` for none",
            );
        }
    }

    /// Checks what an absent field is to serde and to the API server.
    pub(super) fn check_absent(
        &mut self,
        field: &Field,
        attrs: &SchemaAttrs,
        schema: &Schema,
        serde: &SerdeAttrs,
        module: ModuleId,
    ) {
        self.check_plain_default(field, attrs, schema, serde, module);
        self.warn_of_omission(field, schema.default.as_ref(), serde, module);
    }

    /// Checks the value that `#[serde(default)]` reads for an absent field: serde writes it back,
    /// and the API server refuses an object whose value breaks a constraint.
    fn check_plain_default(
        &mut self,
        field: &Field,
        attrs: &SchemaAttrs,
        schema: &Schema,
        serde: &SerdeAttrs,
        module: ModuleId,
    ) {
        let is_read = matches!(serde.default, Default_::Plain)
            && schema.default.is_none()
            && !attrs.required.is_set()
            && serde.with.is_none()
            && !self.from_kube;
        let value = is_read
            .then(|| defaults::of_type(self.sources, self.paths, module, &field.ty))
            .flatten()
            .filter(|value| !value.is_null() && !self.is_omitted(field, value, serde, module));
        let (Some(value), Some(ident)) = (value, &field.ident) else {
            return;
        };
        for reason in refusals(
            schema,
            &value,
            &format!("an absent `{ident}` is read as {value}, which"),
            &format!("the default of `{ident}`"),
        ) {
            self.report(
                module,
                ident,
                reason,
                "make the field an `Option`, leave the value out with `skip_serializing_if`, or state a default: `#[crd(default = …)]`",
            );
        }
    }
}

/// Reasons why the API server refuses `value`. `whole` is the subject of those about all of it,
/// `name` is what its parts belong to.
fn refusals(schema: &Schema, value: &serde_json::Value, whole: &str, name: &str) -> Vec<String> {
    let reason = |violation: values::Violation| {
        let violated = words::violation(&violation.kind);
        match &violation.path[..] {
            [] => format!("{whole} {violated}"),
            part => format!("`{}` of {name} {violated}", values::display(part)),
        }
    };
    values::mistakes(schema, value)
        .into_iter()
        .map(reason)
        .collect()
}
