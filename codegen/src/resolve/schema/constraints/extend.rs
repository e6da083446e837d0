//! `#[schemars(extend("key" = ..))]`: keys that are set in the finished schema.

use serde_json::Value;

use super::{Apply, json};
use crate::model::Schema;

impl Apply<'_> {
    /// Sets the keys; one that makes no schema of it is reported, and the schema stays as it is.
    pub(super) fn lay_over(&mut self, schema: &mut Schema) {
        for (key, value) in &self.attrs.extend {
            match with(schema, &key.value, json(value)) {
                Ok(changed) => {
                    // Where rules were written is not part of the JSON.
                    let validations = std::mem::take(&mut schema.validations);
                    *schema = Schema {
                        validations,
                        ..changed
                    };
                }
                Err(error) => self.error(
                    value.span,
                    format!("`{}` is not that in a CRD: {error}", key.value),
                    "write the value as `JSONSchemaProps` has it",
                ),
            }
        }
    }
}

fn with(schema: &Schema, key: &str, value: Value) -> serde_json::Result<Schema> {
    let mut whole = serde_json::to_value(schema)?;
    whole[key] = value;
    serde_json::from_value(whole)
}
