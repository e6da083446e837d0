//! CEL rules of immutable fields.

use crate::model::{Schema, SourceId, Validation};
use crate::resolve::cel;

/// Returns the rule of an immutable field.
pub(super) fn immutable() -> Validation {
    Validation {
        rule: "self == oldSelf".to_owned(),
        message: Some("field is immutable".to_owned()),
        ..Validation::default()
    }
}

/// Returns the rule of an optional immutable field: once set, it stays. The rule is on the parent.
///
/// `None` if CEL cannot express the name.
pub(in crate::resolve::schema) fn once_set(
    name: &str,
    source: Option<SourceId>,
) -> Option<Validation> {
    let field = cel::escape(name)?;
    Some(Validation {
        rule: format!("!has(oldSelf.{field}) || has(self.{field})"),
        message: Some(format!("field {name} is immutable once set")),
        source,
        ..Validation::default()
    })
}

/// True for a rule of [`once_set`], which also holds if the fields of the object are absent.
pub(in crate::resolve::schema) fn is_once_set(rule: &Validation, schema: &Schema) -> bool {
    let names = schema.properties.keys();
    rule.source.is_some()
        && names
            .filter_map(|name| once_set(name, None))
            .any(|known| known == *rule)
}

/// Returns the source of a schema's `immutable`.
pub(in crate::resolve::schema) fn immutable_at(schema: &Schema) -> Option<SourceId> {
    let mut rules = schema.validations.iter();
    rules.find(|rule| **rule == immutable())?.source
}
