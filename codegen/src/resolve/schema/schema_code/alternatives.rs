//! Alternatives: `oneOf` and `anyOf` of whole schemas, which no structural schema has.

use genclient_schema::definition::structural_errors;
use serde_json::Value;

use crate::model::{JsonType, Schema};
use crate::resolve::schema::union::{self, Cause, Conflict};

/// The alternatives have several types.
pub(super) struct SeveralTypes;

/// Moves what alternatives declare to the schema around them, as kube does. A schema is returned as
/// it is if it declares something beside them, or if they cannot be merged.
pub(super) fn merge(schema: Schema) -> Result<Schema, SeveralTypes> {
    let (choices, is_one_of) = match (&schema.one_of[..], &schema.any_of[..]) {
        (choices, []) => (choices, true),
        ([], choices) => (choices, false),
        _ => return Ok(schema),
    };
    let alone = Schema {
        description: schema.description.clone(),
        title: schema.title.clone(),
        one_of: schema.one_of.clone(),
        any_of: schema.any_of.clone(),
        ..Schema::default()
    };
    let choices: Option<Vec<_>> = choices.iter().map(typed).collect();
    let Some(choices) = choices.filter(|all| !all.is_empty() && schema == alone) else {
        return Ok(schema);
    };
    let union = match union::merge(&choices.iter().collect::<Vec<_>>()) {
        Ok(union) => union,
        Err(Conflict {
            cause: Cause::Types(..),
            path,
            ..
        }) if path.is_empty() => return Err(SeveralTypes),
        Err(_) => return Ok(schema),
    };
    let mut branches = union.branches;
    // Whatever fits is accepted: that alternatives exclude each other is lost in them.
    if branches.iter().any(|branch| *branch == Schema::default()) {
        branches.clear();
    }
    let (one_of, any_of) = match is_one_of {
        true => (branches, Vec::new()),
        false => (Vec::new(), branches),
    };
    Ok(Schema {
        description: schema.description,
        title: schema.title,
        one_of,
        any_of,
        ..union.structure
    })
}

/// Returns an alternative that is a whole schema. A list of strings says its type.
fn typed(choice: &Schema) -> Option<Schema> {
    let is_text = choice.type_.is_none()
        && !choice.enum_.is_empty()
        && choice.enum_.iter().all(Value::is_string);
    let choice = Schema {
        type_: choice.type_.or(is_text.then_some(JsonType::String)),
        ..choice.clone()
    };
    structural_errors(&choice).is_empty().then_some(choice)
}
