//! `exactly_one_of = […]` and similar keys: limits on the number of set fields, as CEL rules.

use genclient_syntax::{OneOf, OneOfKind, SchemaAttrs, Spanned, suggest};
use proc_macro2::Span;
use syn::{Field, Fields};

use super::{Apply, RENAME};
use crate::diagnostic::Sink;
use crate::model::{Schema, Validation};
use crate::resolve::cel;
use crate::resolve::schema::Resolver;
use crate::resolve::schema::fields::is_option;
use crate::resolve::schema::serde_attrs::{self, SerdeAttrs};
use crate::resolve::schema::serde_keys::SerdeSite;
use crate::sources::bare_name;

impl Apply<'_> {
    /// Adds a rule for each key such as `exactly_one_of`.
    pub(super) fn one_of(&mut self, schema: &mut Schema) {
        let attrs = self.attrs;
        // controller-gen sorts the rules by the kind of limit.
        let mut choices: Vec<_> = attrs.one_of.iter().collect();
        choices.sort_by_key(|choice| choice.kind);
        for choice in choices {
            let known = choice
                .fields
                .iter()
                .map(|field| self.check_choice(field, schema));
            if known.collect::<Vec<_>>().into_iter().all(|known| known) {
                schema.validations.push(Validation {
                    source: Some(self.rule_at(choice.span)),
                    ..rule(choice)
                });
            }
        }
    }

    pub(super) fn no_field(&mut self, name: &str, schema: &Schema, span: Span) {
        let help = suggest::field(name, schema.properties.keys().map(String::as_str));
        self.error(span, format!("no such field `{name}`"), help);
    }

    /// Checks that a field in `exactly_one_of = […]` or a similar list can be unset: it is not
    /// required and has no default. Returns false if a rule cannot refer to the field.
    fn check_choice(&mut self, field: &Spanned<String>, schema: &Schema) -> bool {
        let name = &field.value;
        if name.contains('.') || schema.is_unknown() {
            // The error has been reported: the grammar refuses a path, and a schema is unknown only
            // after an error in its type.
            return false;
        }
        let Some(property) = schema.properties.get(name) else {
            self.no_field(name, schema, field.span);
            return false;
        };
        if cel::escape(name).is_none() {
            self.error(
                field.span,
                format!("a rule cannot refer to the field `{name}`"),
                RENAME,
            );
            return false;
        }
        if schema.required.contains(name) {
            self.error(
                field.span,
                format!("`{name}` is required, so it is always set"),
                "make the field an `Option`",
            );
        } else if property.default.is_some() {
            self.error(
                field.span,
                format!("`{name}` has a default, so it is always set"),
                "remove the default, and make the field an `Option`",
            );
        }
        true
    }
}

fn rule(choice: &OneOf) -> Validation {
    let names: Vec<_> = choice
        .fields
        .iter()
        .map(|field| field.value.as_str())
        .collect();
    let has = names
        .iter()
        .filter_map(|name| cel::escape(name))
        .map(|name| format!("has(self.{name})"));
    let sum = || {
        let ones = has.clone().map(|has| format!("({has}?1:0)"));
        ones.collect::<Vec<_>>().join("+")
    };
    let named = names.join(" ");
    let (rule, message) = match choice.kind {
        OneOfKind::AtMost => (
            format!("{} <= 1", sum()),
            format!("at most one of the fields in [{named}] may be set"),
        ),
        OneOfKind::Exactly => (
            format!("{} == 1", sum()),
            format!("exactly one of the fields in [{named}] must be set"),
        ),
        OneOfKind::AtLeast => (
            has.clone().collect::<Vec<_>>().join("||"),
            format!("at least one of the fields in [{named}] must be set"),
        ),
    };
    Validation {
        rule,
        message: Some(message),
        ..Validation::default()
    }
}

impl Resolver<'_, '_> {
    /// Reports a field in `at_most_one_of = […]` or a similar list if serde writes the field even
    /// when it is empty. To the API server, such a field is always set.
    ///
    /// `check_choice` reports fields that are required or have a default.
    pub(in crate::resolve::schema) fn check_choices(
        &mut self,
        attrs: &SchemaAttrs,
        fields: &Fields,
        container: &SerdeAttrs,
        schema: &Schema,
    ) {
        for choice in attrs.one_of.iter().flat_map(|choice| &choice.fields) {
            let name = choice.value.as_str();
            let may_be_absent = schema.properties.get(name).is_some_and(|property| {
                let known = schema.required.contains(name) || property.default.is_some();
                !known && !property.nullable
            });
            if may_be_absent && self.is_always_written(name, fields, container) {
                self.report(
                    &choice.span,
                    format!("`{name}` is serialized even if it is empty, so it is always set"),
                    "make the field an `Option`",
                );
            }
        }
    }

    /// True if serde always writes the field that has this name in JSON.
    fn is_always_written(&self, name: &str, fields: &Fields, container: &SerdeAttrs) -> bool {
        // Errors in the attributes have been reported.
        let source = &self.sources[self.module];
        let serde = |field: &Field| {
            serde_attrs::parse(&field.attrs, SerdeSite::Field, source, &mut Sink::new())
        };
        fields.iter().any(|field| {
            let serde = serde(field);
            let Some(ident) = field.ident.as_ref().filter(|_| !serde.flatten) else {
                return false;
            };
            let leaves_out =
                serde.skip_serializing_if.is_some() || serde.skip_serializing.is_some();
            let written = serde.rename.clone();
            let written = written.unwrap_or_else(|| container.rename_all.field(&bare_name(ident)));
            // `skip_serializing_none` applies to `Option` only.
            let skips_none = container.skips_none && is_option(&field.ty) && !serde.always;
            written == name && !leaves_out && !skips_none
        })
    }
}
