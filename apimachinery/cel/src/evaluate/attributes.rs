//! Evaluation of attributes: variables or other values with their selections, such as `self.a[0]`
//! (cel-go, interpreter/attributes.go).

use std::rc::Rc;

use super::map::lossless_int;
use super::program::{Attribute, Qualifier, QualifierKey, Root};
use super::run::{Cancelled, Evaluated, Frame, Runner};
use super::value::{List, MapValue, Native, Value};

impl<'a> Runner<'a> {
    /// Returns the value of a variable. The initial value of an accumulator is computed on first
    /// access.
    pub(super) fn variable(
        &mut self,
        name: &str,
        mut scope: Option<usize>,
    ) -> Result<Option<Value<'a>>, Cancelled> {
        while let Some(place) = scope {
            let frame = &self.frames[place];
            let fold = frame.fold;
            if name == fold.accumulator {
                return match &frame.accumulated {
                    Some(value) => Ok(Some(value.clone())),
                    None => self.start_accumulator(place).map(Some),
                };
            }
            if !frame.loop_finished {
                if name == fold.variable {
                    return Ok(Some(frame.first.clone()));
                }
                if fold.second_variable.as_deref() == Some(name) {
                    return Ok(Some(frame.second.clone()));
                }
            }
            scope = frame.parent;
        }
        Ok(match name {
            "self" => Some(self.variables.self_.clone()),
            "oldSelf" => self.variables.old_self.clone(),
            _ => None,
        })
    }

    /// Computes the initial value of the accumulator of the frame at `place`. An empty list or map
    /// is grown in place, so that `map` and `filter` do not copy the list in each iteration (`fold`
    /// in cel-go's interpretable.go). [`Runner::fold`] turns it into an ordinary value at the end.
    fn start_accumulator(&mut self, place: usize) -> Evaluated<'a> {
        let Frame { fold, parent, .. } = self.frames[place];
        let start = match self.node(&fold.start, parent)? {
            Value::List(list) if list.len() == 0 => Value::List(List::Growing(Rc::default())),
            Value::Map(map) if map.len() == 0 => Value::Map(MapValue::Growing(Rc::default())),
            other => other,
        };
        let frame = &mut self.frames[place];
        frame.growing = matches!(
            start,
            Value::List(List::Growing(_)) | Value::Map(MapValue::Growing(_))
        );
        frame.accumulated = Some(start.clone());
        Ok(start)
    }

    /// Returns the value of an attribute. With `has`, an optional value becomes a boolean.
    pub(super) fn attribute(
        &mut self,
        attribute: &'a Attribute,
        scope: Option<usize>,
    ) -> Evaluated<'a> {
        Ok(match self.resolve(attribute, scope)? {
            Err(error) => Value::Error(error),
            Ok(found) => match found.value() {
                Value::Optional(value) if attribute.test => Value::Bool(value.is_some()),
                value => value,
            },
        })
    }

    /// Returns the value of an attribute.
    fn resolve(
        &mut self,
        attribute: &'a Attribute,
        scope: Option<usize>,
    ) -> Result<Selected<'a>, Cancelled> {
        let value = match &*attribute.root {
            Root::Variable(_, name) => match self.variable(name, scope)? {
                Some(value) => value,
                None => return Ok(Err(format!("no such attribute(s): {name}").into())),
            },
            Root::Operand(_, node) => self.node(node, scope)?,
            Root::Conditional {
                condition,
                branches: [then, otherwise],
                ..
            } => {
                return match self.node(condition, scope)? {
                    Value::Bool(true) => self.resolve(then, scope),
                    Value::Bool(false) => self.resolve(otherwise, scope),
                    Value::Error(error) => Ok(Err(error)),
                    _ => Ok(Err("no such overload".into())),
                };
            }
        };
        if let Value::Error(error) = value {
            return Ok(Err(error));
        }
        self.apply_qualifiers(value, attribute, scope)
    }

    /// Applies the qualifiers of an attribute, such as `.a` and `[0]`. An optional value is
    /// unwrapped first. If the value is optional, or a qualifier is, such as `.?a`, the result is
    /// an optional value.
    fn apply_qualifiers(
        &mut self,
        value: Value<'a>,
        attribute: &'a Attribute,
        scope: Option<usize>,
    ) -> Result<Selected<'a>, Cancelled> {
        let (mut object, mut optional) = match value {
            Value::Optional(None) => return Ok(Ok(Native::Value(value))),
            Value::Optional(Some(inner)) => (inner.native(), true),
            value => (Native::Value(value), false),
        };
        for qualifier in &attribute.qualifiers {
            optional |= qualifier.optional;
            match self.apply_qualifier(object, qualifier, optional, scope)? {
                Err(error) => return Ok(Err(error)),
                Ok(None) => return Ok(Ok(Native::Value(Value::Optional(None)))),
                Ok(Some(found)) => object = found,
            }
        }
        if optional {
            object = Native::Value(Value::some(object.rewrapped()));
        }
        Ok(Ok(object))
    }

    /// Applies one qualifier. With `optional`, returns `None` for a missing field or item.
    fn apply_qualifier(
        &mut self,
        object: Native<'a>,
        qualifier: &'a Qualifier,
        optional: bool,
        scope: Option<usize>,
    ) -> Result<SelectedOption<'a>, Cancelled> {
        let key = match &qualifier.key {
            QualifierKey::Constant(constant) => Ok(constant.value()),
            QualifierKey::Attribute(attribute) | QualifierKey::Computed(attribute) => {
                self.resolve(attribute, scope)?.and_then(qualifier_key)
            }
        };
        let missing_is_none = optional || qualifier.test;
        let found = key.and_then(|key| select_member(object, &key, missing_is_none));
        // `observed` is what the cost tracker sees as the result of this qualifier. The early
        // returns are not charged: cel-go records an optional selection only if it finds a value
        // (`evalWatchQual.QualifyIfPresent` in interpretable.go).
        let (observed, found) = match found {
            Err(error) if optional => return Ok(Err(error)),
            Err(error) => (Value::Error(error.clone()), Err(error)),
            Ok(None) if optional => return Ok(Ok(None)),
            // `has(a.b)`: the result is whether the last field is present.
            Ok(found) if qualifier.test && !optional => {
                let present = Native::Bool(found.is_some());
                (Value::Bool(found.is_some()), Ok(Some(present)))
            }
            Ok(Some(found)) => (found.clone().value(), Ok(Some(found))),
            Ok(None) => (Value::Null, Ok(None)),
        };
        if let QualifierKey::Computed(attribute) = &qualifier.key {
            self.drop_result(attribute.id());
        }
        self.cost += 1;
        self.push(qualifier.id, &observed)?;
        Ok(found)
    }
}

/// Value of an attribute, or the error message. An error is a value of the expression, which `||`
/// may still ignore; [`Cancelled`] ends the evaluation.
type Selected<'a> = Result<Native<'a>, Rc<str>>;

/// Like [`Selected`]; `None` if the field or item is missing, and that is no error.
type SelectedOption<'a> = Result<Option<Native<'a>>, Rc<str>>;

/// Converts a value into a map key or list index.
fn qualifier_key(key: Native<'_>) -> Result<Value<'_>, Rc<str>> {
    match key {
        Native::Nil | Native::Object(_) | Native::Array(_) => {
            Err(format!("invalid qualifier type: {}", key.go_type()).into())
        }
        key => match key.value() {
            value @ (Value::Text(_)
            | Value::Int(_)
            | Value::Uint(_)
            | Value::Bool(_)
            | Value::Double(_)) => Ok(value),
            other => Err(format!("invalid qualifier type: {}", other.go_type()).into()),
        },
    }
}

/// Selects a field or item by key. If the key is missing, returns `None` if `missing_is_none` is
/// set, and otherwise an error (`refQualify`).
fn select_member<'a>(
    object: Native<'a>,
    key: &Value<'a>,
    missing_is_none: bool,
) -> SelectedOption<'a> {
    let missing = |reason: &str| {
        if missing_is_none {
            Ok(None)
        } else {
            Err(format!("{reason}: {}", key.printed()).into())
        }
    };
    let missing_key = || missing("no such key");
    let missing_index = || missing("index out of bounds");
    // Go data is selected from without a conversion to a CEL value.
    match (&object, key) {
        (Native::Object(members), Value::Text(name)) => {
            return members
                .get(&**name)
                .map_or_else(missing_key, |member| Ok(Some(Native::from(member))));
        }
        (Native::Array(elements), Value::Int(index)) => {
            let element = usize::try_from(*index)
                .ok()
                .and_then(|index| elements.get(index));
            return element.map_or_else(missing_index, |element| Ok(Some(element)));
        }
        _ => {}
    }
    match object.value() {
        Value::Error(error) => Err(error),
        Value::Map(map) => match map.find(key) {
            Some(Value::Error(error)) => Err(error),
            Some(found) => Ok(Some(Native::Value(found))),
            None => missing_key(),
        },
        Value::List(list) => {
            let index = list_index(key)?;
            let index = usize::try_from(index).ok();
            match index.and_then(|index| list.get(index)) {
                // Lists of the validated object accept only `int` (`unstructuredList.Get` in
                // k8s.io/apiserver/pkg/cel/common). `Get` returns the error as a value, which
                // `refQualify` takes for the item.
                Some(_) if matches!(list, List::Typed(_)) && !matches!(key, Value::Int(_)) => {
                    let key = key.printed();
                    Ok(Some(Native::Value(Value::error(format!(
                        "unsupported index: {key}"
                    )))))
                }
                Some(found) => Ok(Some(Native::Value(found))),
                None => missing_index(),
            }
        }
        _ => missing_key(),
    }
}

/// Converts a key into a list index. A double without a fraction is accepted (`IndexOrError`).
fn list_index(key: &Value<'_>) -> Result<i64, Rc<str>> {
    let unsupported = || format!("unsupported index value {} in list", key.printed()).into();
    match key {
        Value::Int(index) => Ok(*index),
        Value::Double(index) => lossless_int(*index).ok_or_else(unsupported),
        Value::Uint(index) => i64::try_from(*index).map_err(|_| unsupported()),
        other => {
            let found = other.type_name();
            Err(format!("unsupported index type '{found}' in list").into())
        }
    }
}
