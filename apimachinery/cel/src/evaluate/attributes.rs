//! Evaluation of attributes: variables or other values with their selections, such as `self.a[0]`.

use std::rc::Rc;

use super::map::lossless_int;
use super::program::{Attribute, Qualifier, QualifierKey, Root};
use super::run::{Cancelled, Evaluated, Runner};
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
                if let Some(value) = &frame.accumulated {
                    return Ok(Some(value.clone()));
                }
                let parent = frame.parent;
                let start = self.node(&fold.start, parent)?;
                let frame = &mut self.frames[place];
                let start = match start {
                    Value::List(list) if list.len() == 0 => {
                        Value::List(List::Growing(Rc::default()))
                    }
                    Value::Map(map) if map.len() == 0 => {
                        Value::Map(MapValue::Growing(Rc::default()))
                    }
                    other => {
                        frame.accumulated = Some(other.clone());
                        return Ok(Some(other));
                    }
                };
                frame.growing = true;
                frame.accumulated = Some(start.clone());
                return Ok(Some(start));
            }
            if !frame.over {
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
        self.qualified(value, attribute, scope)
    }

    /// Applies the qualifiers of an attribute, such as `.a` and `[0]`. An optional value is
    /// unwrapped first. If the value is optional, or a qualifier is, such as `.?a`, the result is
    /// an optional value.
    fn qualified(
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
            match self.qualify(object, qualifier, optional, scope)? {
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
    fn qualify(
        &mut self,
        object: Native<'a>,
        qualifier: &'a Qualifier,
        optional: bool,
        scope: Option<usize>,
    ) -> Result<Result<Option<Native<'a>>, Rc<str>>, Cancelled> {
        let key = match &qualifier.key {
            QualifierKey::Constant(constant) => Ok(constant.value()),
            QualifierKey::Attribute(attribute) | QualifierKey::Computed(attribute) => {
                self.resolve(attribute, scope)?.and_then(key_of)
            }
        };
        let tests = optional || qualifier.test;
        let found = key.and_then(|key| select(object, &key, tests));
        let (seen, found) = match found {
            Err(error) if optional => return Ok(Err(error)),
            Err(error) => (Value::Error(error.clone()), Err(error)),
            Ok(None) if optional => return Ok(Ok(None)),
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
        self.push(qualifier.id, &seen)?;
        Ok(found)
    }
}

/// Result of a selection: the value, or the error message.
type Selected<'a> = Result<Native<'a>, Rc<str>>;

/// Converts a value into a map key or list index.
fn key_of(key: Native<'_>) -> Result<Value<'_>, Rc<str>> {
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

/// Selects a field or item by key. If the key is missing, returns `None` if `tests` is set, and
/// otherwise an error.
fn select<'a>(
    object: Native<'a>,
    key: &Value<'a>,
    tests: bool,
) -> Result<Option<Native<'a>>, Rc<str>> {
    let missing_key = || {
        if tests {
            Ok(None)
        } else {
            Err(format!("no such key: {}", key.printed()).into())
        }
    };
    let missing_index = || {
        if tests {
            Ok(None)
        } else {
            Err(format!("index out of bounds: {}", key.printed()).into())
        }
    };
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
            let index = index_of(key)?;
            let index = usize::try_from(index).ok();
            match index.and_then(|index| list.get(index)) {
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

fn index_of(key: &Value<'_>) -> Result<i64, Rc<str>> {
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
