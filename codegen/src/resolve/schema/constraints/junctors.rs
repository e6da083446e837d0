//! `all_of`, `any_of`, `one_of` and `not`: schemas beside the one of the type.

use genclient_schema::definition::{SchemaError, keyword_errors, structural_errors};
use genclient_syntax::Junctor;
use proc_macro2::Span;
use serde_json::json;

use super::{Apply, json};
use crate::model::Schema;
use crate::resolve::schema::words;

impl Apply<'_> {
    /// Adds the schemas; what the API server refuses of them is reported.
    pub(super) fn junctors(&mut self, schema: &mut Schema) {
        for (junctor, written) in &self.attrs.junctors {
            let name = junctor.value.as_str();
            let value = json!({ name: json(written) });
            let Some(added) = self.read(name, value, written.span) else {
                continue;
            };
            self.check_names(&added, schema, written.span);
            let of_type = errors(schema);
            add(junctor.value, added, schema);
            for error in errors(schema) {
                if !of_type.contains(&error) {
                    let (message, help) = words::schema_error(&error, true);
                    self.error(written.span, message, help);
                }
            }
        }
    }

    /// Names in `required` are of fields that the type has: others are never there.
    fn check_names(&mut self, added: &Schema, schema: &Schema, span: Span) {
        let declared = &schema.properties;
        if !declared.is_empty() && !schema.preserve_unknown_fields {
            for name in added
                .required
                .iter()
                .filter(|name| !declared.contains_key(*name))
            {
                self.no_field(name, schema, span);
            }
        }
        let branches = [&added.all_of, &added.any_of, &added.one_of];
        for branch in branches.into_iter().flatten().chain(added.not.as_deref()) {
            self.check_names(branch, schema, span);
        }
    }
}

fn errors(schema: &Schema) -> Vec<SchemaError> {
    let mut errors = structural_errors(schema);
    errors.extend(keyword_errors(schema));
    errors
}

/// Adds what `added` has of `junctor`; where the schema has some already, both have to hold.
fn add(junctor: Junctor, added: Schema, schema: &mut Schema) {
    match junctor {
        Junctor::All => schema.all_of.extend(added.all_of),
        Junctor::Any if schema.any_of.is_empty() => schema.any_of = added.any_of,
        Junctor::One if schema.one_of.is_empty() => schema.one_of = added.one_of,
        Junctor::Not if schema.not.is_none() => schema.not = added.not,
        Junctor::Any | Junctor::One | Junctor::Not => schema.all_of.push(added),
    }
}
