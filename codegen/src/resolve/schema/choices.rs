//! Check of `exactly_one_of = […]` and similar keys against fields that serde always writes.

use genclient_syntax::SchemaAttrs;
use syn::{Field, Fields};

use super::Resolver;
use super::fields::is_option;
use super::serde_attrs::{self, SerdeAttrs};
use crate::diagnostic::Sink;
use crate::model::Schema;
use crate::sources::bare_name;

impl Resolver<'_, '_> {
    /// Reports fields of `at_most_one_of = […]` and similar keys that serde writes even if they
    /// are empty: to the API server, they are always set.
    ///
    /// Fields that are required or have a default are reported with the schema.
    pub(super) fn check_choices(
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
                    format!("`{name}` is written when it is empty, and so is always set"),
                    "make the field an `Option`",
                );
            }
        }
    }

    /// True if there is a field of that name that serde never leaves out.
    fn is_always_written(&self, name: &str, fields: &Fields, container: &SerdeAttrs) -> bool {
        // Errors in the attributes have been reported.
        let source = &self.sources[self.module];
        let serde = |field: &Field| serde_attrs::parse(&field.attrs, source, &mut Sink::new());
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
