//! Validation of values against a schema.
//!
//! The API server checks objects in this way, and the defaults of a definition when it is created,
//! after it has filled in the defaults inside of them. What is found is data; [`cause`] words it as
//! the API server does.

mod causes;
mod compare;
mod lists;
mod validation;
mod violation;

use serde_json::Value;

pub use self::causes::{Cause, cause};
pub use self::compare::{equal, is_multiple, less};
pub use self::violation::{BranchRule, Limit, Step, Violation, ViolationKind, display};
use crate::Schema;

/// Returns everything that the API server says against a value, in its order; fields in that of
/// their names.
pub fn violations(schema: &Schema, value: &Value) -> Vec<Violation> {
    let mut value = value.clone();
    fill_in(schema, &mut value);
    let mut violations = validation::violations(schema, &value);
    violations.extend(lists::duplicates(schema, &value));
    violations
}

/// Returns everything that is wrong with a value, of each part the first thing only: the others go
/// with it.
pub fn mistakes(schema: &Schema, value: &Value) -> Vec<Violation> {
    let mut mistakes: Vec<Violation> = Vec::new();
    for violation in violations(schema, value) {
        let said_otherwise = violation.in_branch
            || matches!(
                violation.kind,
                ViolationKind::Branches(BranchRule::AllOf { .. })
            );
        if !said_otherwise
            && !mistakes
                .iter()
                .any(|known| known.is_of_the_part_of(&violation))
        {
            mistakes.push(violation);
        }
    }
    mistakes
}

/// Fills in the defaults inside a value, as the API server does.
fn fill_in(schema: &Schema, value: &mut Value) {
    match value {
        Value::Object(members) => {
            for (name, property) in &schema.properties {
                if let Some(default) = &property.default
                    && !members.contains_key(name)
                {
                    members.insert(name.clone(), default.clone());
                }
            }
            for (name, member) in members {
                let property = schema.properties.get(name);
                if let Some(schema) = property.or(schema.additional_properties.as_ref()) {
                    fill_in(schema, member);
                }
            }
        }
        Value::Array(items) => {
            if let Some(schema) = &schema.items {
                items.iter_mut().for_each(|item| fill_in(schema, item));
            }
        }
        _ => {}
    }
}

#[cfg(test)]
pub(crate) mod verdicts;
