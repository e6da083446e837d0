//! Defaults in CRDs: values of `#[serde(default)]`, their check against the schema, and in kube
//! kinds the values that schemars writes.

use std::borrow::Cow;

use genclient_schema::values;
use genclient_syntax::{Flag, Help, Json, SchemaAttrs, suggest};
use proc_macro2::Span;
use serde_json::{Value, json};
use syn::spanned::Spanned as _;
use syn::{Field, Ident, Item, LitStr};

use super::serde_attrs::{Default_, SerdeAttrs, SkipIf};
use super::{Resolver, messages};
use crate::model::Schema;
use crate::resolve::paths::{self, Found};
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
            Some(meant) => Help::did_you_mean(path.value(), meant),
            None => "define it beside the type, or write `#[serde(default)]`".into(),
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
        for reason in refusal_reasons(
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
        for reason in refusal_reasons(
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

    /// Warns if serde leaves out a value other than the default. The API server would fill in the
    /// default, so that value could never be stored.
    fn warn_of_omission(
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
        let omitted = self.omitted_value(skip, default, field);
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
    fn is_omitted(&self, field: &Field, value: &Value, serde: &SerdeAttrs) -> bool {
        let Some(skip) = &serde.skip_serializing_if else {
            return false;
        };
        if skip.name() == "is_some" {
            return !value.is_null();
        }
        let omitted = self.omitted_value(skip, value, field);
        omitted.is_none_or(|omitted| omitted == *value)
    }

    /// Returns the value that `skip` omits, with the type of `like`; `None` if the function of
    /// `skip` is unknown.
    fn omitted_value(&self, skip: &SkipIf, like: &Value, field: &Field) -> Option<Value> {
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

fn function_name(item: &Item) -> Option<String> {
    match item {
        Item::Fn(function) => Some(bare_name(&function.sig.ident)),
        _ => None,
    }
}

/// Returns the reasons why the API server refuses `value`. A reason about the whole value begins
/// with `whole`; a reason about a part begins with the part's path and `name`.
fn refusal_reasons(
    schema: &Schema,
    value: &serde_json::Value,
    whole: &str,
    name: &str,
) -> Vec<String> {
    let reason = |violation: values::Violation| {
        let violated = messages::describe_violation(&violation.kind);
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

enum FieldDefault {
    Value(Value),
    /// The field has no default, or serde leaves the default out when writing.
    None,
    /// The default is known only at run time.
    Unseen,
}

impl<'a> Resolver<'a, '_> {
    /// Returns the attributes of a field with its default added: the value of `default_with`, or
    /// for a kube kind the default that schemars would write.
    pub(super) fn with_kube_default<'s>(
        &mut self,
        field: &Field,
        attrs: &'s SchemaAttrs,
        serde: &SerdeAttrs,
        container: &SerdeAttrs,
    ) -> Cow<'s, SchemaAttrs> {
        if attrs.default.is_some() || attrs.no_default.is_set() {
            return Cow::Borrowed(attrs);
        }
        let (found, span) = if let Some(path) = &attrs.default_with {
            let path = LitStr::new(&path.value, path.span);
            let value = self.default_returned(&path, &field.ty);
            (
                value.map_or(FieldDefault::Unseen, FieldDefault::Value),
                path.span(),
            )
        } else if self.from_kube && !self.has_crd_schema() {
            let found = self.filled_in(field, serde, container);
            let span = match &serde.default {
                Default_::Function(path) => path.span(),
                Default_::Plain | Default_::None => field.ty.span(),
            };
            (found, span)
        } else {
            return Cow::Borrowed(attrs);
        };
        let mut attrs = attrs.clone();
        match found {
            FieldDefault::Value(Value::Null) => {}
            FieldDefault::Value(value) => attrs.default = attribute_json(&value, span),
            FieldDefault::None => {}
            FieldDefault::Unseen => self.warn_of_unseen(span),
        }
        if attrs.default.is_none() && matches!(serde.default, Default_::Function(_)) {
            // Without this flag, `default_of` would evaluate the function again, and add the
            // default that is left out here, or report an error beside the warning.
            attrs.no_default = Flag::at(span);
        }
        Cow::Owned(attrs)
    }

    /// Returns the value that serde fills in for an absent field. The field has no default if serde
    /// leaves this value out when writing.
    fn filled_in(&self, field: &Field, serde: &SerdeAttrs, container: &SerdeAttrs) -> FieldDefault {
        let value = match &serde.default {
            Default_::Plain => self.default_of_type(&field.ty),
            Default_::Function(path) => self.default_returned(path, &field.ty),
            Default_::None if container.default.is_some() => {
                return self.filled_in_by_container(field, container, serde);
            }
            Default_::None => return FieldDefault::None,
        };
        match value {
            Some(value) if self.is_omitted(field, &value, serde) => FieldDefault::None,
            Some(value) => FieldDefault::Value(value),
            None => FieldDefault::Unseen,
        }
    }

    /// Returns the value of a field in the default of its struct, for `#[serde(default)]` on the
    /// struct.
    fn filled_in_by_container(
        &self,
        field: &Field,
        container: &SerdeAttrs,
        serde: &SerdeAttrs,
    ) -> FieldDefault {
        let Some(((_, item), ident)) = self.container().zip(field.ident.as_ref()) else {
            return FieldDefault::None;
        };
        let Some(name) = paths::item_name(item) else {
            return FieldDefault::None;
        };
        let name = syn::Ident::new(&name, Span::call_site());
        let whole = self.default_of_type(&syn::parse_quote!(#name));
        let renamed = serde.rename.clone();
        let key = renamed.unwrap_or_else(|| container.rename_all.field(&bare_name(ident)));
        match (whole, &container.default) {
            (Some(Value::Object(mut members)), Default_::Plain) => {
                let value = members.remove(&key);
                value.map_or(FieldDefault::None, |value| {
                    if self.is_omitted(field, &value, serde) {
                        FieldDefault::None
                    } else {
                        FieldDefault::Value(value)
                    }
                })
            }
            _ => FieldDefault::Unseen,
        }
    }

    /// Warns about a default that is known only at run time. The field is still optional: serde
    /// fills the value in when reading.
    fn warn_of_unseen(&mut self, span: Span) {
        self.warn(
            &span,
            "the default that serde fills in is known only at run time: the CRD has no default",
            if self.sources.has_old_schemars {
                "to have one, derive `CrdSchema` as well, and write `#[crd(default = ..)]` or `#[crd(no_default)]`"
            } else {
                "to have one, write `#[schemars(extend(\"default\" = ..))]`; or derive `CrdSchema` as well, and write `#[crd(default = ..)]` or `#[crd(no_default)]`"
            },
        );
    }
}

/// Converts a JSON value into a value of the attribute grammar.
fn attribute_json(value: &Value, span: Span) -> Option<Json> {
    let json = syn::parse_str::<Json>(&value.to_string()).ok()?;
    Some(Json { span, ..json })
}
