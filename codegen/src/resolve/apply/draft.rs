//! Apply configurations that are being read, and the types in them.

use super::config_path::ConfigPath;
use crate::diagnostic::Location;
use crate::model::{ApplyContent, ApplyForm, ApplyType, ApplyValue, TypeArgument, TypeName};

/// An apply configuration before its keys are known.
pub(super) struct ApplyDraft {
    pub(super) path: ConfigPath,
    /// The module of the type, for messages.
    pub(super) module: String,
    /// The name of the type.
    pub(super) place: Location,
    /// With all `cfg` conditions, and without keys.
    pub(super) config: ApplyType,
}

/// Returns the types of the fields, or of the variants' contents.
pub(super) fn values_of(form: &ApplyForm) -> Vec<&ApplyValue> {
    match form {
        ApplyForm::Kind(_, body) | ApplyForm::Struct(body) => {
            body.fields.iter().map(|field| &field.value).collect()
        }
        ApplyForm::Union(union) => {
            let variants = union.variants.iter();
            let values = variants.filter_map(|variant| match &variant.content {
                ApplyContent::Value(value) => Some(value),
                ApplyContent::Unit | ApplyContent::Empty => None,
            });
            values.collect()
        }
    }
}

/// Returns whether the type is an apply configuration, or contains one.
pub(super) fn has_config(value: &ApplyValue) -> bool {
    configs_in(value).next().is_some()
}

/// Returns the apply configurations in a type.
pub(super) fn configs_in(value: &ApplyValue) -> impl Iterator<Item = &TypeName> {
    let mut open = vec![value];
    std::iter::from_fn(move || {
        while let Some(value) = open.pop() {
            match value {
                ApplyValue::Config(name) => return Some(name),
                ApplyValue::Text | ApplyValue::Plain(_) => {}
                ApplyValue::Option(inner) | ApplyValue::Array(inner, _) => open.push(inner),
                ApplyValue::List { item, .. } => open.push(item),
                ApplyValue::Map { key, value, .. } => open.extend([&**value, key]),
            }
        }
        None
    })
}

/// Returns the types that are sent as they are, with their arguments.
pub(super) fn plain_types_in(value: &ApplyValue) -> Vec<&TypeName> {
    let mut found = Vec::new();
    let mut open = vec![value];
    let mut arguments: Vec<&TypeArgument> = Vec::new();
    while let Some(value) = open.pop() {
        match value {
            ApplyValue::Plain(name) => {
                found.push(name);
                arguments.extend(&name.arguments);
            }
            ApplyValue::Text | ApplyValue::Config(_) => {}
            ApplyValue::Option(inner) | ApplyValue::Array(inner, _) => open.push(inner),
            ApplyValue::List { item, .. } => open.push(item),
            ApplyValue::Map { key, value, .. } => open.extend([&**value, key]),
        }
    }
    while let Some(argument) = arguments.pop() {
        match argument {
            TypeArgument::Type(name) => {
                found.push(name);
                arguments.extend(&name.arguments);
            }
            TypeArgument::Array(item, _) => arguments.push(item),
            TypeArgument::Other(_) => {}
        }
    }
    found
}
