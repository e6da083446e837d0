//! Optional and nullable fields, for serde and for the API server.

use proc_macro2::Span;
use syn::Ident;

use genclient_syntax::SchemaAttrs;

use super::serde_attrs::SerdeAttrs;
use super::{Resolver, Slot, constraints};
use crate::diagnostic::Diagnostic;
use crate::model::Validation;

impl Resolver<'_, '_> {
    /// True if the field may be absent. Reports a field that may be absent although serde requires
    /// it.
    pub(super) fn is_optional(
        &mut self,
        slot: &Slot,
        attrs: &SchemaAttrs,
        serde: &SerdeAttrs,
        container: &SerdeAttrs,
    ) -> bool {
        let reader_fills_in = (slot.optional && !serde.reads_itself())
            || serde.default.is_some()
            || container.default.is_some()
            || serde.skip_deserializing;
        let optional = reader_fills_in || attrs.default.is_some();
        let needed = |message: &str| Diagnostic::error(message);
        let found = match (attrs.optional.span(), serde.skip_serializing) {
            _ if optional => None,
            (Some(span), _) => Some((
                needed("serde needs this field when it reads the object"),
                span,
                "make it `Option<…>`, or add `#[serde(default)]`",
            )),
            (None, Some(span)) => Some((
                needed("serde never writes this field, and needs it when it reads the object"),
                span,
                "add `default` to `#[serde(…)]`, or write `skip` for both ways",
            )),
            (None, None) => serde.skip_serializing_if.as_ref().map(|skip| {
                let message =
                    "serde may leave this field out, and needs it when it reads the object";
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

    /// Returns the rule of an optional immutable field: once set, it stays.
    pub(super) fn once_set(&mut self, name: &str, ident: &Ident, span: Span) -> Option<Validation> {
        let source = self.made.rules.add(self.locate(&span), None, None);
        let rule = constraints::once_set(name, Some(source));
        if rule.is_none() {
            let message = format!("no rule can name the field `{name}`");
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
            let message = "serde cannot read `null` into this field";
            self.report(&span, message, "make it `Option<…>`");
        }
    }
}
