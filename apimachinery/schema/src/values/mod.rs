//! Validation of values against a schema.
//!
//! The API server validates objects and, when a definition is created or updated, the defaults in
//! it. Violations are data; [`cause`] formats them with the API server's wording.

mod compare;
mod correlated;
mod field_errors;
mod lists;
mod types;
mod validation;
mod violation;

use std::collections::HashSet;

use serde_json::Value;

pub use self::compare::{equal, is_multiple, less, order};
pub use self::correlated::Correlated;
pub(crate) use self::field_errors::default_causes;
pub use self::field_errors::{Prefix, cause, list_causes, validate_value};
pub use self::validation::violations;
pub use self::violation::{BranchRule, Limit, Step, Violation, ViolationKind, display};
use crate::Schema;

/// Fills in defaults and returns the first violation of each part of the value. A missing required
/// member counts as a part. Omits violations in branches of `anyOf` and `oneOf`, and violations of
/// `allOf`, since each accompanies another violation. Also omits violations caused by an invalid
/// bound in the schema.
pub fn mistakes(schema: &Schema, value: &Value) -> Vec<Violation> {
    let mut filled = value.clone();
    fill_in_defaults(schema, &mut filled);
    distinct(violations(schema, &filled))
}

/// Returns the violations of a default as written. If the default has none, fills in the defaults
/// of its fields and items, and returns the violations of the result.
pub fn mistakes_of_default(schema: &Schema, default: &Value) -> Vec<Violation> {
    let written = distinct(violations(schema, default));
    if written.is_empty() {
        return mistakes(schema, default);
    }
    written
}

fn distinct(violations: Vec<Violation>) -> Vec<Violation> {
    let mut parts = HashSet::new();
    let is_first = |violation: &Violation| {
        let goes_with_another = violation.in_branch
            || violation.kind.is_of_bound()
            || matches!(
                violation.kind,
                ViolationKind::Branches(BranchRule::AllOf { .. })
            );
        let (path, missing) = violation.part();
        !goes_with_another && parts.insert((path.to_owned(), missing.map(str::to_owned)))
    };
    let mut distinct = violations;
    distinct.retain(is_first);
    distinct
}

/// Fills in defaults inside of a value, as the API server does on every read of an object. Defaults
/// are added for absent fields. If a null's schema is not nullable, the default replaces the null.
/// Without a default, the null is removed, except in a list
/// (`structuraldefaulting.PruneNonNullableNullsWithoutDefaults`).
pub fn fill_in_defaults(schema: &Schema, value: &mut Value) {
    match value {
        Value::Object(members) => {
            for (name, property) in &schema.properties {
                if let Some(default) = property.default.as_ref()
                    && !members.contains_key(name)
                {
                    members.insert(name.clone(), default.clone());
                }
            }
            members.retain(|name, member| {
                let property = schema.properties.get(name);
                let schema = property.or(schema.additional_properties.as_ref());
                schema.is_none_or(|schema| fill_in_part(schema, member))
            });
        }
        Value::Array(items) => {
            if let Some(schema) = &schema.items {
                for item in items {
                    fill_in_part(schema, item);
                }
            }
        }
        _ => {}
    }
}

/// Fills in the default of a part of a value and the defaults inside of the part. Returns false for
/// a null that has to be removed.
fn fill_in_part(schema: &Schema, part: &mut Value) -> bool {
    if part.is_null() && !schema.nullable {
        match &schema.default {
            Some(default) => *part = default.clone(),
            None => return false,
        }
    }
    fill_in_defaults(schema, part);
    true
}

#[cfg(test)]
pub(crate) mod verdicts;
