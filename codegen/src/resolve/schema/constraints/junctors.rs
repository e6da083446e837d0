//! Junctors: schemas in `all_of`, `any_of`, `one_of` and `not`, added to the schema of the type.

use genclient_schema::definition::{SchemaPathStep, keyword_errors, structural_errors};
use genclient_syntax::{Json, JsonValue, Junctor, Spanned};
use proc_macro2::Span;

use super::{Apply, json, written};
use crate::model::Schema;
use crate::resolve::schema::words;

impl Apply<'_> {
    /// Adds the schemas of the junctors, and reports what the API server refuses.
    pub(super) fn junctors(&mut self, schema: &mut Schema) {
        for (junctor, written) in &self.attrs.junctors {
            let name = junctor.value.as_str();
            let key = Spanned::new(name.to_owned(), written.span);
            let whole = Json {
                value: JsonValue::Object(vec![(key, written.clone())]),
                span: written.span,
            };
            if !self.check_written(&whole) {
                continue;
            }
            let Some(added) = self.read(name, json(&whole), written.span) else {
                continue;
            };
            self.check_names(&added, schema, written.span);
            self.check_branches(&added, schema, &whole);
            add(junctor.value, added, schema);
        }
    }

    /// Checks the branches of `added` as a part of the type's schema.
    fn check_branches(&mut self, added: &Schema, schema: &Schema, written: &Json) {
        let together = Schema {
            all_of: added.all_of.clone(),
            any_of: added.any_of.clone(),
            one_of: added.one_of.clone(),
            not: added.not.clone(),
            ..schema.clone()
        };
        let mut errors = structural_errors(&together);
        errors.extend(keyword_errors(&together));
        for error in errors {
            let first = error.path.first();
            if matches!(
                first,
                Some(SchemaPathStep::Branch(..) | SchemaPathStep::Not)
            ) {
                let (message, help) = words::schema_error(&error, true);
                self.error(written::place(&error, written), message, help);
            }
        }
    }

    /// Checks that `required` in `added` names only fields of the type. The API server prunes any
    /// other field, so the field would never be present.
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

/// Adds the schemas of one junctor. If the schema already has the same keyword, the added schemas
/// go into `allOf`, so that both apply.
fn add(junctor: Junctor, added: Schema, schema: &mut Schema) {
    match junctor {
        Junctor::All => schema.all_of.extend(added.all_of),
        Junctor::Any if schema.any_of.is_empty() => schema.any_of = added.any_of,
        Junctor::One if schema.one_of.is_empty() => schema.one_of = added.one_of,
        Junctor::Not if schema.not.is_none() => schema.not = added.not,
        Junctor::Any | Junctor::One | Junctor::Not => schema.all_of.push(added),
    }
}
