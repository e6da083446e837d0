//! Defaults of `#[serde(default)]`: their values in the CRD, and their check against the schema.

use genclient_schema::values;
use genclient_syntax::{SchemaAttrs, suggest};
use syn::{Field, Ident, Item, LitStr};

use super::serde_attrs::{Default_, SerdeAttrs};
use super::{Resolver, words};
use crate::model::Schema;
use crate::resolve::paths::Found;
use crate::sources::bare_name;

impl Resolver<'_, '_> {
    /// Returns the default in the CRD: the value that the function in `#[serde(default = "…")]`
    /// returns. If the field has `#[crd(default = …)]` or `#[crd(no_default)]`, that attribute
    /// decides, and the function is not evaluated. Reports a function whose source does not
    /// determine the value.
    pub(super) fn default_of(
        &mut self,
        serde: &SerdeAttrs,
        attrs: &SchemaAttrs,
        field: &Field,
    ) -> Option<serde_json::Value> {
        let Default_::Function(path) = &serde.default else {
            return None;
        };
        if attrs.default.is_some() || attrs.no_default.is_set() {
            return None;
        }
        let value = self.default_returned(path, &field.ty);
        if value.is_none() && !self.reports_missing(path) {
            self.report(
                path,
                format!("cannot determine the return value of `{}`", path.value()),
                "give the default: `#[crd(default = …)]`, or `#[crd(no_default)]` for none in the CRD",
            );
        }
        // A default of `None` need not be in the CRD: serde reads an absent field as `None` as
        // well.
        value.filter(|value| !value.is_null())
    }

    /// Reports a default function that the module neither defines nor imports. Returns false if
    /// nothing is reported, for example because a macro or a glob import of another crate may
    /// define the function.
    fn reports_missing(&mut self, path: &LitStr) -> bool {
        let Ok(name) = path.parse::<Ident>() else {
            return false;
        };
        let found = self.paths.find_value(self.module, &name.clone().into());
        let is_foreign = matches!(&found, Some(Found::Foreign(path)) if path.len() == 1);
        let own = ["crate", "self", "super", "genclient"];
        let names = self.sources.names(self.module);
        let may_import = names.globs().any(|import| {
            let first = import.path.first();
            first.is_none_or(|first| !own.contains(&first.as_str()))
        });
        if !is_foreign || may_import || self.macro_that_makes(&name.clone().into()).is_some() {
            return false;
        }
        let items = self.sources[self.module].items.iter();
        let functions: Vec<_> = items.filter_map(function_name).collect();
        let help = match suggest::closest(&bare_name(&name), functions.iter().map(String::as_str)) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => "define it beside the type, or write `#[serde(default)]`".to_owned(),
        };
        self.report(path, format!("no such function `{}`", path.value()), help);
        true
    }

    /// Checks the value of a default function against the constraints of its field.
    pub(super) fn check_returned(
        &mut self,
        default: &serde_json::Value,
        schema: &Schema,
        serde: &SerdeAttrs,
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
                path,
                reason,
                "return another value, or give the default: `#[crd(default = …)]`, or `#[crd(no_default)]` for none",
            );
        }
    }

    pub(super) fn check_absent(
        &mut self,
        field: &Field,
        attrs: &SchemaAttrs,
        schema: &Schema,
        serde: &SerdeAttrs,
    ) {
        self.check_plain_default(field, attrs, schema, serde);
        self.warn_of_omission(field, attrs, schema, serde);
    }

    /// Checks the value that serde fills in for an absent field with `#[serde(default)]`. serde
    /// writes the value back, and the API server refuses the object if the value violates a
    /// constraint.
    fn check_plain_default(
        &mut self,
        field: &Field,
        attrs: &SchemaAttrs,
        schema: &Schema,
        serde: &SerdeAttrs,
    ) {
        let is_read = matches!(serde.default, Default_::Plain)
            && schema.default.is_none()
            && !attrs.required.is_set()
            && serde.with.is_none()
            && !self.from_kube;
        let value = is_read
            .then(|| self.default_of_type(&field.ty))
            .flatten()
            .filter(|value| !value.is_null() && !self.is_omitted(field, value, serde));
        let (Some(value), Some(ident)) = (value, &field.ident) else {
            return;
        };
        for reason in refusals(
            schema,
            &value,
            &format!("an absent `{ident}` is deserialized as {value}, which"),
            &format!("the default of `{ident}`"),
        ) {
            self.report(
                ident,
                reason,
                "make the field an `Option`, omit the value with `skip_serializing_if`, or give a default: `#[crd(default = …)]`",
            );
        }
    }
}

fn function_name(item: &Item) -> Option<String> {
    match item {
        Item::Fn(function) => Some(bare_name(&function.sig.ident)),
        _ => None,
    }
}

/// Returns the reasons why the API server refuses `value`. A reason about the whole value begins
/// with `whole`; a reason about a part begins with the part's path and `name`.
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
