//! Fields of apply configurations, and their setters.

use super::head::paragraphs;
use super::imports::Imports;
use crate::emit::names::{cfg, ident};
use crate::emit::package::doc_comments;
use crate::model::{ApplyField, ApplyPlace, ApplyType};
use crate::template::rust;

/// The declaration of a field.
pub(super) fn declaration(
    type_: &ApplyType,
    field: &ApplyField,
    imports: &mut Imports<'_>,
) -> String {
    let verb = if field.is_extended() {
        "Extended"
    } else {
        "Set"
    };
    let setter = &field.setter;
    let docs = doc_comments([&*format!("{verb} by [`Self::{setter}()`].")]);
    let conditions = cfg(&field.cfg);
    let serde = serde_attribute(field);
    let name = ident(&field.name);
    let type_ = field.type_text(&conditions_of(type_, field), imports);
    rust!(docs, conditions, serde, name, type_ => "
        $docs
        $conditions
        $serde
        pub $name: $type_,
    ")
}

/// The conditions of an item that is about a field.
fn conditions_of(type_: &ApplyType, field: &ApplyField) -> Vec<String> {
    [&*type_.cfg, &*field.cfg].concat()
}

fn serde_attribute(field: &ApplyField) -> String {
    let rename = field
        .rename
        .as_ref()
        .map(|name| format!("rename = {name:?}"));
    let (flatten, optional) = match field.place {
        ApplyPlace::Member => (false, true),
        ApplyPlace::FlattenedOption => (true, true),
        ApplyPlace::Flattened | ApplyPlace::FlattenedMap => (true, false),
    };
    let arguments: Vec<_> = rename
        .into_iter()
        .chain(flatten.then(|| "flatten".to_owned()))
        .chain(optional.then(|| "skip_serializing_if = \"Option::is_none\"".to_owned()))
        .collect();
    format!("#[serde({})]", arguments.join(", "))
}

/// The setter of a field.
pub(super) fn setter(type_: &ApplyType, field: &ApplyField, imports: &mut Imports<'_>) -> String {
    let docs = setter_docs(field);
    let conditions = cfg(&field.cfg);
    let (setter, name) = (ident(&field.setter), ident(&field.name));
    let parameter = field.value.parameter(&conditions_of(type_, field), imports);
    let assignment = field.assignment();
    rust!(docs, conditions, setter, name, parameter, assignment => "
        $docs
        $conditions
        pub fn $setter(mut self, $name: $parameter) -> Self {
            $assignment
            self
        }
    ")
}

fn setter_docs(field: &ApplyField) -> String {
    let title = match field.place {
        _ if !field.summary.is_empty() => field.summary.clone(),
        ApplyPlace::FlattenedMap => vec!["Adds fields of any name.".to_owned()],
        _ if field.is_extended() => vec![format!("Adds to `{}`.", field.name)],
        _ => vec![format!("Sets `{}`.", field.name)],
    };
    let replacement: &[_] = match field.place {
        ApplyPlace::Flattened => &["Replaces the fields that earlier calls stated.".to_owned()],
        _ => &[],
    };
    let notes = field.notes.chunks(1);
    doc_comments(paragraphs([&*title, replacement].into_iter().chain(notes)))
}
