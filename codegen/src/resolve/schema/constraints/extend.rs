//! `#[schemars(extend("key" = ..))]`: keys set in the finished schema.

use serde_json::Value;

use super::{Apply, json};
use crate::model::Schema;

impl Apply<'_> {
    /// Sets the keys. A key that does not result in a valid schema is reported and left out.
    pub(super) fn lay_over(&mut self, schema: &mut Schema) {
        for (key, value) in &self.attrs.extend {
            match with(schema, &key.value, json(value)) {
                Ok(changed) => {
                    // The JSON does not hold the source ids of rules.
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
