//! Iteration over the schemas nested in a schema, with the path step to each.

use super::error::SchemaPathStep;
use crate::Schema;

/// Returns the schemas of fields, items and values.
pub(super) fn nested(schema: &Schema) -> impl Iterator<Item = (SchemaPathStep, &Schema)> {
    let fields = schema.properties.iter();
    let fields = fields.map(|(name, field)| (SchemaPathStep::Property(name.clone()), &**field));
    let items = schema.items.as_deref();
    let values = schema.additional_properties.as_deref();
    fields
        .chain(items.map(|items| (SchemaPathStep::Items, items)))
        .chain(values.map(|values| (SchemaPathStep::Values, values)))
}

/// Returns the branches of `allOf`, `anyOf`, `oneOf` and `not`.
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
