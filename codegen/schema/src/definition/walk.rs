//! The schemas inside a schema, each with the step to it.

use super::error::SchemaPathStep;
use crate::Schema;

/// The schemas of fields, items and values.
pub(super) fn nested(schema: &Schema) -> impl Iterator<Item = (SchemaPathStep, &Schema)> {
    let fields = schema.properties.iter();
    let fields = fields.map(|(name, field)| (SchemaPathStep::Property(name.clone()), &**field));
    let items = schema.items.as_deref();
    let values = schema.additional_properties.as_deref();
    fields
        .chain(items.map(|items| (SchemaPathStep::Items, items)))
        .chain(values.map(|values| (SchemaPathStep::Values, values)))
}

/// The branches of `allOf`, `anyOf`, `oneOf` and `not`.
pub(super) fn branches(schema: &Schema) -> impl Iterator<Item = (SchemaPathStep, &Schema)> {
    let groups = [
        ("allOf", &schema.all_of),
        ("anyOf", &schema.any_of),
        ("oneOf", &schema.one_of),
    ];
    let listed = groups.into_iter().flat_map(|(keyword, branches)| {
        let branches = branches.iter().enumerate();
        branches.map(move |(at, branch)| (SchemaPathStep::Branch(keyword, at), branch))
    });
    listed.chain(schema.not.as_deref().map(|not| (SchemaPathStep::Not, not)))
}
