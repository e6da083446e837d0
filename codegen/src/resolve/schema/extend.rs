//! `#[schemars(extend("key" = ..))]`: keys that are set in the finished schema.

use genclient_syntax::{Json, Spanned};
use serde_json::Value;

use super::constraints::json;
use crate::diagnostic::{Diagnostic, Location, Sink};
use crate::load::Module;
use crate::model::Schema;

/// Sets the keys; one that makes no schema of it is reported, and the schema stays as it is.
pub(super) fn lay_over(
    keys: &[(Spanned<String>, Json)],
    mut schema: Schema,
    module: &Module,
    sink: &mut Sink,
) -> Schema {
    for (key, value) in keys {
        match with(&schema, &key.value, json(value)) {
            // Where its rules were written is not part of the JSON.
            Ok(changed) => {
                schema = Schema {
                    validations: schema.validations,
                    ..changed
                }
            }
            Err(error) => sink.push(
                Diagnostic::error(format!("`{}` is not that in a CRD: {error}", key.value))
                    .at(Location::of(&module.source, value.span))
                    .help("write the value as `JSONSchemaProps` has it"),
            ),
        }
    }
    schema
}

fn with(schema: &Schema, key: &str, value: Value) -> serde_json::Result<Schema> {
    let mut whole = serde_json::to_value(schema)?;
    whole[key] = value;
    serde_json::from_value(whole)
}
