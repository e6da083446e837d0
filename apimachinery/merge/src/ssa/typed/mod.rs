//! Operations on typed values: field sets, comparison, merge, removal, reconciliation and
//! validation.
//!
//! Source: structured-merge-diff, package typed.

pub(super) mod compare;
mod field_set;
mod items;
mod merge;
mod named_fields;
mod reconcile;
mod remove;
mod validate;

use std::fmt;

use genclient_apimachinery::fieldpath::is_scalar;
use serde_json::Value;

use super::types::{Atom, List, Map, Scalar, TypeId, Types};

pub(super) use compare::{Comparison, compare};
pub(super) use field_set::field_set;
pub(super) use merge::merge_values;
pub(super) use named_fields::add_named_fields;
pub(super) use reconcile::reconcile;
pub(super) use remove::remove_paths;
pub(super) use validate::{Duplicates, validate_value};

/// Part of an [`Atom`]: the type of a value as a map, a scalar or a list.
#[derive(Clone, Copy)]
enum Shape<'a> {
    Map(&'a Map),
    Scalar(Scalar),
    List(&'a List),
}

/// Form of a value. It selects the part of the value's type ([`Atom`]).
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Scalar,
    List,
    Map,
    /// The type has no parts, or it has several parts and none matches the value.
    Any,
}

impl Atom {
    /// Returns the form of a value. If the type has only one part, returns the form of that part,
    /// whatever the value is.
    fn form(&self, value: &Value) -> Form {
        let form = match value {
            value if is_scalar(value) && self.scalar.is_some() => Form::Scalar,
            Value::Array(_) if self.list.is_some() => Form::List,
            Value::Object(_) if self.map.is_some() => Form::Map,
            _ => Form::Any,
        };
        match (&self.scalar, &self.list, &self.map) {
            (Some(_), None, None) => Form::Scalar,
            (None, Some(_), None) => Form::List,
            (None, None, Some(_)) => Form::Map,
            _ => form,
        }
    }

    /// Returns the part of this type for a form, or `None` if the type has no such part.
    /// [`Form::Any`] selects the first part in the order map, scalar, list.
    fn shape(&self, form: Form) -> Option<Shape<'_>> {
        let map = self.map.as_ref().map(Shape::Map);
        let scalar = self.scalar.map(Shape::Scalar);
        let list = self.list.as_ref().map(Shape::List);
        match form {
            Form::Map => map,
            Form::Scalar => scalar,
            Form::List => list,
            Form::Any => map.or(scalar).or(list),
        }
    }
}

impl Types {
    /// Returns the part of a type that applies to a value. `type_` is `None` for undeclared fields.
    fn shape_of(&self, type_: Option<TypeId>, value: &Value) -> Option<Shape<'_>> {
        let atom = self.atom(type_?);
        atom.shape(atom.form(value))
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TypingError {
    path: String,
    message: String,
}

impl fmt::Display for TypingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.path {
            "" => f.write_str(&self.message),
            path => write!(f, "{path}: {}", self.message),
        }
    }
}

/// Type errors of a value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct TypingErrors(Vec<TypingError>);

impl TypingErrors {
    fn push(&mut self, path: String, message: impl Into<String>) {
        let message = message.into();
        self.0.push(TypingError { path, message });
    }

    /// Calls `find`, and puts `element` in front of the paths of the errors that `find` adds.
    fn at_element<T>(
        &mut self,
        element: impl fmt::Display,
        find: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let known = self.0.len();
        let found = find(self);
        if let Some(new) = self.0.get_mut(known..).filter(|new| !new.is_empty()) {
            let prefix = element.to_string();
            for error in new {
                error.path.insert_str(0, &prefix);
            }
        }
        found
    }

    fn result<T>(self, value: T) -> Result<T, Self> {
        if self.0.is_empty() {
            Ok(value)
        } else {
            Err(self)
        }
    }
}

impl fmt::Display for TypingErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let [only] = &*self.0 {
            return only.fmt(f);
        }
        f.write_str("errors:")?;
        self.0.iter().try_for_each(|error| write!(f, "\n  {error}"))
    }
}
