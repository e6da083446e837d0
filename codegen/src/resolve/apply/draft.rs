//! Apply configurations that are being read, and the types in them.

use super::config_path::ConfigPath;
use crate::diagnostic::Location;
use crate::model::{ApplyType, ApplyValue, TypeName};

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
