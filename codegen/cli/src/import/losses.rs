//! Parts of a CRD that an import loses, and the notes on them.

use genclient_codegen::doc_comment::{END, NOTE};
use genclient_codegen::{JsonType, Schema};

use super::{docs, kubernetes, names};

/// A part of a definition that `update` does not reproduce.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Note {
    /// The path of the part: `v1.spec.size`.
    pub(super) path: String,
    /// What is lost, why, and what the import does. The message appends ` at` and the path.
    pub(super) text: String,
}

pub(super) fn add_note(notes: &mut Vec<Note>, path: &str, text: String) {
    notes.push(Note {
        path: path.to_owned(),
        text,
    });
}

/// Notes the losses of a schema and of all nested schemas, each with its path.
pub(super) fn note_losses(schema: &Schema, path: &str, field: &str, notes: &mut Vec<Note>) {
    note_lines_left_out(schema, path, notes);
    if let Some(type_) = kubernetes::find_by_shape(&without_field_keywords(schema), field) {
        note_replaced_descriptions(schema, type_, path, notes);
        return;
    }
    let is_enum = !schema.enum_.is_empty();
    if is_enum && schema.nullable {
        let text = "values of a `nullable` `enum`: moved to `allOf`, with `null` added,";
        add_note(notes, path, text.to_owned());
    }
    for (name, property) in &schema.properties {
        note_losses(property, &format!("{path}.{name}"), name, notes);
    }
    let field = names::singularize(field);
    if let Some(items) = &schema.items {
        note_losses(items, &format!("{path}[]"), &field, notes);
    }
    if let Some(values) = schema
        .additional_properties
        .as_ref()
        .filter(|_| !is_open(schema))
    {
        note_losses(values, &format!("{path}.*"), &field, notes);
    }
}

/// Notes a description with lines that `update` would leave out of the CRD when it reads them from
/// a doc comment.
pub(super) fn note_lines_left_out(schema: &Schema, path: &str, notes: &mut Vec<Note>) {
    if schema.description.as_deref().is_some_and(docs::has_notes) {
        let text = format!(
            "lines of descriptions that begin with `{NOTE}` or follow `{END}`: only in the doc comment, not in the CRD,"
        );
        add_note(notes, path, text);
    }
}

/// True for an object that preserves unknown fields. If it is a map, the import writes its whole
/// schema into one attribute, so nothing in it is lost.
fn is_open(schema: &Schema) -> bool {
    schema.type_ == Some(JsonType::Object) && schema.preserve_unknown_fields
}

/// A schema without the keywords that belong to the field: description, nullability and default.
pub(super) fn without_field_keywords(schema: &Schema) -> Schema {
    Schema {
        description: None,
        nullable: false,
        default: None,
        ..schema.clone()
    }
}

/// Notes the loss of descriptions, if those of Kubernetes' own type differ.
fn note_replaced_descriptions(schema: &Schema, type_: &str, path: &str, notes: &mut Vec<Note>) {
    let Some(theirs) = kubernetes::type_schema(type_) else {
        return;
    };
    let gains_one = schema.description.is_none() && theirs.description.is_some();
    if gains_one || without_field_keywords(schema) != without_field_keywords(&theirs) {
        let text = "descriptions inside Kubernetes' own types: replaced by those of Kubernetes";
        add_note(notes, path, text.to_owned());
    }
}
