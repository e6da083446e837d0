//! Paths into an object, `.spec.replicas`: whether its schema has what they name.

use genclient_syntax::{ResourceAttrs, Spanned};

use crate::diagnostic::{Diagnostic, Location, Sink};
use crate::load::Module;
use crate::model::Schema;

/// Checks every path that a version names. What the API server refuses is an error; what it takes though it shows or does nothing,
/// a warning.
pub(super) fn check(attrs: &ResourceAttrs, schema: &Schema, module: &Module, sink: &mut Sink) {
    for path in &attrs.selectable_fields {
        let message = match find(schema, &path.value) {
            Found::Field(field) if is_selectable(field) => continue,
            Found::Unknown => continue,
            Found::Field(_) => format!(
                "`{}` cannot be selected by: it is no string, integer or boolean",
                path.value
            ),
            Found::Nothing => format!("there is no field `{}` to select by", path.value),
        };
        let finding = Diagnostic::error(message).at(Location::of(&module.source, path.span));
        sink.push(finding.help("write the path of a field as it is in JSON: `.spec.name`"));
    }
    let columns = attrs.printcolumns.iter().map(|column| &column.json_path);
    let scale = attrs.scale.iter().flat_map(|scale| {
        [
            Some(&scale.spec_replicas_path),
            Some(&scale.status_replicas_path),
            scale.label_selector_path.as_ref(),
        ]
    });
    for path in columns.chain(scale.flatten()) {
        warn_of_nothing(path, schema, module, sink);
    }
    let selector = attrs.scale.as_ref();
    if let Some(path) = selector.and_then(|scale| scale.label_selector_path.as_ref()) {
        warn_of_null(path, schema, module, sink);
    }
}

/// The API server refuses every object whose label selector is `null`.
fn warn_of_null(path: &Spanned<String>, schema: &Schema, module: &Module, sink: &mut Sink) {
    if matches!(find(schema, &path.value), Found::Field(field) if field.nullable) {
        sink.push(
            Diagnostic::warning(format!(
                "`{}` may be null, with which the API server refuses the object",
                path.value
            ))
            .at(Location::of(&module.source, path.span))
            .help("write `#[serde(skip_serializing_if = \"Option::is_none\")]` on the field"),
        );
    }
}

fn warn_of_nothing(path: &Spanned<String>, schema: &Schema, module: &Module, sink: &mut Sink) {
    if matches!(find(schema, &path.value), Found::Nothing) {
        sink.push(
            Diagnostic::warning(format!("there is no field `{}`", path.value))
                .at(Location::of(&module.source, path.span))
                .help("write the path of a field as it is in JSON: `.spec.name`"),
        );
    }
}

enum Found<'a> {
    Field(&'a Schema),
    Nothing,
    /// The path is more than names, or leads to where anything may be.
    Unknown,
}

fn find<'a>(schema: &'a Schema, path: &str) -> Found<'a> {
    let Some(names) = path.strip_prefix('.') else {
        return Found::Unknown;
    };
    let mut at = schema;
    for (depth, name) in names.split('.').enumerate() {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        let is_metadata = depth == 0 && name == "metadata";
        if is_metadata || !name.chars().all(plain) || is_open(at) {
            return Found::Unknown;
        }
        match at.properties.get(name) {
            Some(field) => at = field,
            None => return Found::Nothing,
        }
    }
    Found::Field(at)
}

/// True if the schema does not say what is in it.
fn is_open(schema: &Schema) -> bool {
    schema.preserve_unknown_fields
        || schema.additional_properties.is_some()
        || schema.type_.is_none()
}

fn is_selectable(field: &Schema) -> bool {
    matches!(
        field.type_.as_deref(),
        Some("string" | "integer" | "boolean")
    )
}
