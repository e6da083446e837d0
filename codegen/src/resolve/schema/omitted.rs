//! `skip_serializing_if`: values that serde leaves out, compared with the default.

use serde_json::{Value, json};
use syn::Field;

use super::Resolver;
use super::serde_attrs::{SerdeAttrs, SkipIf};

impl Resolver<'_, '_> {
    /// Warns if the API server would fill in the default for another value that serde leaves out:
    /// that value could never be stored.
    pub(super) fn warn_of_omission(
        &mut self,
        field: &Field,
        default: Option<&Value>,
        serde: &SerdeAttrs,
    ) {
        let Some((default, skip)) = default.zip(serde.skip_serializing_if.as_ref()) else {
            return;
        };
        let omitted = self.omitted(skip, default, field);
        // `None` means that no value was chosen, which is what a default is for.
        let Some(omitted) = omitted.filter(|value| !value.is_null() && value != default) else {
            return;
        };
        let message = format!(
            "serde leaves `{omitted}` out, and the API server fills in the default for what is absent"
        );
        let help = format!(
            "remove `skip_serializing_if`, so that `{omitted}` is written; or add `#[crd(no_default)]`"
        );
        self.warn(&skip.key, message, help);
    }

    /// True if serde leaves the value out. An unknown function is assumed to: the reader fills the
    /// value in either way.
    pub(super) fn is_omitted(&self, field: &Field, value: &Value, serde: &SerdeAttrs) -> bool {
        let Some(skip) = &serde.skip_serializing_if else {
            return false;
        };
        if skip.name() == "is_some" {
            return !value.is_null();
        }
        let omitted = self.omitted(skip, value, field);
        omitted.is_none_or(|omitted| omitted == *value)
    }

    /// Returns the omitted value, of the same type as `like`; `None` if the function is unknown.
    fn omitted(&self, skip: &SkipIf, like: &Value, field: &Field) -> Option<Value> {
        match (skip.name(), like) {
            ("is_none", _) => Some(Value::Null),
            ("is_empty", Value::Array(_)) => Some(json!([])),
            ("is_empty", Value::Object(_)) => Some(json!({})),
            ("is_empty", Value::String(_)) => Some(json!("")),
            ("not", _) => Some(json!(false)),
            ("is_default", _) => self.default_of_type(&field.ty),
            _ => None,
        }
    }
}
