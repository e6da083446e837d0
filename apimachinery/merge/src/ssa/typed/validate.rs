//! Validation of values against their types.

use std::collections::BTreeSet;

use genclient_apimachinery::fieldpath::{PathElement, is_scalar};
use genclient_apimachinery::go;
use serde_json::{Map as Members, Value};

use super::super::types::{List, ListMerge, Map, Scalar, TypeId, Types};
use super::{Shape, TypingErrors, items};

const MAX_DEPTH: usize = 200;

/// Whether a list may have several items with the same identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Duplicates {
    /// Such items are allowed, as in stored objects.
    Allowed,
    /// Such items are rejected, as in applied objects.
    Refused,
}

/// Validates a value against its type.
///
/// # Errors
///
/// If the value does not match its type, or is nested too deeply. Errors are in the order of field
/// names and list items. The validation of a map ends at an undeclared field, and the validation of
/// a list ends at an item without identity.
///
/// Source: structured-merge-diff, typed/validate.go.
pub(in super::super) fn validate_value(
    types: &Types,
    type_: TypeId,
    value: &Value,
    duplicates: Duplicates,
) -> Result<(), TypingErrors> {
    let mut validation = Validation {
        types,
        duplicates,
        errors: TypingErrors::default(),
        depth: 0,
    };
    validation.validate(Some(type_), value);
    validation.errors.result(())
}

struct Validation<'a> {
    types: &'a Types,
    duplicates: Duplicates,
    errors: TypingErrors,
    depth: usize,
}

impl Validation<'_> {
    /// Validates a value, and counts the nesting depth.
    fn validate(&mut self, type_: Option<TypeId>, value: &Value) {
        if self.depth == MAX_DEPTH {
            self.fail("nested too deeply");
            return;
        }
        self.depth += 1;
        match self.types.shape_of(type_, value) {
            Some(Shape::Map(map)) => self.validate_map(map, value),
            Some(Shape::List(list)) => self.validate_list(list, value),
            Some(Shape::Scalar(scalar)) => self.validate_scalar(scalar, value),
            None => self.fail("schema error: invalid atom: inlined"),
        }
        self.depth -= 1;
    }

    fn fail(&mut self, message: impl Into<String>) {
        self.errors.push(String::new(), message);
    }

    fn validate_map(&mut self, map: &Map, value: &Value) {
        match value {
            Value::Object(members) => self.validate_members(map, members),
            Value::Null => {}
            other => self.fail(format!("expected map, got &{{{}}}", go::printed(other))),
        }
    }

    fn validate_members(&mut self, map: &Map, members: &Members<String, Value>) {
        for (name, value) in members {
            let Some(type_) = map.field_type(name) else {
                self.errors
                    .push(format!(".{name}"), "field not declared in schema");
                return;
            };
            self.validate_child(format_args!(".{name}"), type_, value);
        }
    }

    fn validate_child(&mut self, element: impl std::fmt::Display, type_: TypeId, value: &Value) {
        let mut errors = std::mem::take(&mut self.errors);
        errors.at_element(element, |errors| {
            std::mem::swap(errors, &mut self.errors);
            self.validate(Some(type_), value);
            std::mem::swap(errors, &mut self.errors);
        });
        self.errors = errors;
    }

    /// Validates the items of a list and, unless it is atomic, their identities.
    fn validate_list(&mut self, list: &List, value: &Value) {
        let items = match value {
            Value::Array(items) => items,
            Value::Null => return,
            other => return self.fail(format!("expected list, got &{{{}}}", go::printed(other))),
        };
        let mut seen = BTreeSet::new();
        for (at, item) in items.iter().enumerate() {
            if matches!(list.merge, ListMerge::Atomic) {
                self.validate_child(format_args!("[{at}]"), list.items, item);
                continue;
            }
            match items::identify_item(self.types, list, item) {
                Err(error) => return self.fail(format!("element {at}: {error}")),
                Ok(element) => self.validate_item(list, item, element, &mut seen),
            }
        }
    }

    /// Validates an item whose identity is `element`.
    fn validate_item(
        &mut self,
        list: &List,
        item: &Value,
        element: PathElement,
        seen: &mut BTreeSet<PathElement>,
    ) {
        let text = element.clone();
        if !seen.insert(element) && self.duplicates == Duplicates::Refused {
            self.fail(format!("duplicate entries for key {text}"));
        }
        self.validate_child(text, list.items, item);
    }

    /// Validates a scalar. Null is valid for every type.
    fn validate_scalar(&mut self, scalar: Scalar, value: &Value) {
        let message = match (scalar, value) {
            (_, Value::Null)
            | (Scalar::Numeric, Value::Number(_))
            | (Scalar::String, Value::String(_))
            | (Scalar::Boolean, Value::Bool(_)) => return,
            (Scalar::Untyped, value) if is_scalar(value) => return,
            (Scalar::Numeric, value) => {
                let found = go::type_name(value);
                format!("expected numeric (int or float), got {found}")
            }
            (Scalar::String, value) => {
                let found = go::go_syntax(value);
                format!("expected string, got &value.valueUnstructured{{Value:{found}}}")
            }
            (Scalar::Boolean, value) => {
                format!("expected boolean, got &{{{}}}", go::printed(value))
            }
            (Scalar::Untyped, value) => {
                format!("expected any scalar, got &{{{}}}", go::printed(value))
            }
        };
        self.fail(message);
    }
}
