//! List values: literals, results of functions, and lists of the validated object.
//!
//! For lists of the validated object, equality and addition follow `x-kubernetes-list-type`
//! (k8s.io/apiserver/pkg/cel/common, valuesunstructured.go).

use std::rc::Rc;

use super::equality::{equal_values, equals_method};
use super::shape::Shape;
use super::value::{Elements, List, Merging, Native, Text, TypedList, Value};

impl<'a> List<'a> {
    pub(super) fn from_values(items: Vec<Value<'a>>) -> Self {
        Self::Values(items.into())
    }

    pub(super) fn texts(items: impl IntoIterator<Item = Text<'a>>) -> Self {
        Self::Texts(items.into_iter().collect())
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Values(items) => items.len(),
            Self::Texts(items) => items.len(),
            Self::Parts(parts) => parts.iter().map(Self::len).sum(),
            Self::Native(elements) => elements.len(),
            Self::Growing(items) => items.borrow().len(),
            Self::Typed(list) => list.elements.len(),
        }
    }

    /// Returns whether the list is empty. A list of the validated object always returns false: its
    /// Go type does not implement `traits.Zeroer`.
    pub(super) fn is_zero(&self) -> bool {
        !matches!(self, Self::Typed(_)) && self.len() == 0
    }

    pub(super) fn get(&self, index: usize) -> Option<Value<'a>> {
        match self {
            Self::Values(items) => items.get(index).cloned(),
            Self::Texts(items) => items.get(index).cloned().map(Value::Text),
            Self::Parts(parts) => {
                let mut index = index;
                for part in parts.iter() {
                    if index < part.len() {
                        return part.get(index);
                    }
                    index -= part.len();
                }
                None
            }
            Self::Native(elements) => elements.get(index).map(Native::value),
            Self::Growing(items) => items.borrow().get(index).cloned(),
            Self::Typed(list) => list.get(index),
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Value<'a>> + '_ {
        (0..self.len()).filter_map(|index| self.get(index))
    }

    pub(super) fn native(&self) -> Native<'a> {
        match self {
            Self::Native(elements) => Native::Array(elements.clone()),
            Self::Typed(list) => Native::Array(list.elements.clone()),
            Self::Parts(_) => {
                let items = self.iter().map(|item| item.native());
                Native::Array(Elements::Natives(items.collect()))
            }
            Self::Growing(_) => Native::Value(Value::list(Vec::new())),
            _ => Native::Value(Value::List(self.clone())),
        }
    }

    pub(super) fn go_type(&self) -> &'static str {
        match self {
            Self::Parts(_) => "*types.concatList",
            Self::Growing(_) => "*types.mutableList",
            Self::Typed(list) => match list.merge {
                Merging::Atomic => "*common.unstructuredList",
                Merging::Set(_) => "*common.unstructuredSetList",
                Merging::Map(_) => "*common.unstructuredMapList",
            },
            _ => "*types.baseList",
        }
    }

    /// Compares with another value, as cel-go's method `Equal`.
    pub(super) fn equals(&self, other: &Value<'a>) -> Value<'a> {
        let Value::List(right) = other else {
            return match self {
                Self::Typed(_) => other.error_or_no_such_overload(),
                _ => Value::Bool(false),
            };
        };
        if self.len() != right.len() {
            return Value::Bool(false);
        }
        if let Self::Typed(list) = self {
            return list.equals(right);
        }
        let mut error = None;
        for (left, right) in self.iter().zip(right.iter()) {
            match equal_values(&left, &right) {
                Value::Bool(false) => return Value::Bool(false),
                failed @ Value::Error(_) if matches!(self, Self::Parts(_)) => {
                    error.get_or_insert(failed);
                }
                _ => {}
            }
        }
        error.unwrap_or(Value::Bool(true))
    }

    /// Returns whether the list contains an item, as cel-go's method `Contains` for `in`.
    pub(super) fn contains(&self, item: &Value<'a>) -> Value<'a> {
        let mut error = None;
        match self {
            Self::Parts(parts) => {
                for part in parts.iter() {
                    match part.contains(item) {
                        Value::Bool(true) => return Value::Bool(true),
                        failed @ Value::Error(_) => drop(error.get_or_insert(failed)),
                        _ => {}
                    }
                }
            }
            Self::Typed(_) if item.is_error() => return item.clone(),
            Self::Typed(_) => {
                for element in self.iter() {
                    match equals_method(&element, item) {
                        Value::Bool(true) => return Value::Bool(true),
                        failed @ Value::Error(_) => drop(error.get_or_insert(failed)),
                        _ => {}
                    }
                }
            }
            _ => {
                let found = self
                    .iter()
                    .any(|element| matches!(equals_method(item, &element), Value::Bool(true)));
                return Value::Bool(found);
            }
        }
        error.unwrap_or(Value::Bool(false))
    }

    /// Concatenates two lists, as cel-go's method `Add`.
    pub(super) fn add(&self, other: &Value<'a>) -> Value<'a> {
        let Value::List(right) = other else {
            return other.error_or_no_such_overload();
        };
        match self {
            Self::Growing(items) => {
                let added: Vec<_> = right.iter().collect();
                items.borrow_mut().extend(added);
                Value::List(self.clone())
            }
            Self::Typed(list) => Value::List(Self::Typed(list.add(right))),
            _ if self.len() == 0 => other.clone(),
            _ if right.len() == 0 => Value::List(self.clone()),
            _ => {
                let mut parts = Vec::new();
                for list in [self, right] {
                    match list {
                        Self::Parts(inner) => parts.extend(inner.iter().cloned()),
                        list => parts.push(list.clone()),
                    }
                }
                Value::List(Self::Parts(parts.into()))
            }
        }
    }
}

impl<'a> TypedList<'a> {
    pub(super) fn atomic(elements: Elements<'a>, items: &'a Shape) -> Self {
        Self {
            elements,
            items,
            merge: Merging::Atomic,
        }
    }

    pub(super) fn set(elements: Elements<'a>, items: &'a Shape) -> Self {
        Self {
            elements,
            items,
            merge: Merging::Set(Rc::default()),
        }
    }

    pub(super) fn map(elements: Elements<'a>, items: &'a Shape, keys: &'a [String]) -> Self {
        Self {
            elements,
            items,
            merge: Merging::Map(keys),
        }
    }

    fn get(&self, index: usize) -> Option<Value<'a>> {
        let element = self.elements.get(index)?;
        Some(self.items.value(element))
    }

    fn equals(&self, other: &List<'a>) -> Value<'a> {
        match &self.merge {
            Merging::Atomic => self.equals_in_order(other),
            Merging::Set(set) => {
                let mut set = set.borrow_mut();
                let set = set.get_or_insert_with(|| self.elements.iter().collect());
                let known = |item: Value<'a>| {
                    let item = item.native();
                    set.iter().any(|element| element.is_same_key(&item))
                };
                Value::Bool(other.iter().all(known))
            }
            Merging::Map(keys) => self.equals_by_keys(keys, other),
        }
    }

    fn equals_in_order(&self, other: &List<'a>) -> Value<'a> {
        for (index, right) in other.iter().enumerate() {
            match self.get(index).map(|left| equals_method(&left, &right)) {
                Some(Value::Bool(true)) => {}
                Some(other) => return other,
                None => return Value::Bool(false),
            }
        }
        Value::Bool(true)
    }

    /// Compares lists by merge keys. If two elements have the same keys, only the last one is
    /// compared.
    fn equals_by_keys(&self, keys: &[String], other: &List<'a>) -> Value<'a> {
        let known: Vec<_> = self
            .elements
            .iter()
            .map(|element| (merge_key_values(&element, keys), element))
            .collect();
        for right in other.iter() {
            let key = merge_key_values(&right.native(), keys);
            let left = known.iter().rev().find(|(known, _)| same_key(known, &key));
            let Some((_, left)) = left else {
                return Value::Bool(false);
            };
            match equals_method(&self.items.value(left.clone()), &right) {
                Value::Bool(true) => {}
                other => return other,
            }
        }
        Value::Bool(true)
    }

    /// Concatenates the elements by the list type: a set gains new ones, a map replaces those with
    /// equal keys.
    fn add(&self, other: &List<'a>) -> Self {
        let mut elements: Vec<_> = self.elements.iter().collect();
        let added = other.iter().map(|item| item.native());
        match &self.merge {
            Merging::Atomic => elements.extend(added),
            Merging::Set(set) => {
                let mut set = set.borrow_mut();
                let set = set.get_or_insert_with(|| elements.clone());
                for item in added {
                    if !set.iter().any(|element| element.is_same_key(&item)) {
                        set.push(item.clone());
                        elements.push(item);
                    }
                }
            }
            Merging::Map(keys) => {
                let known: Vec<_> = elements
                    .iter()
                    .map(|element| merge_key_values(element, keys))
                    .collect();
                for item in added {
                    let key = merge_key_values(&item, keys);
                    match known.iter().rposition(|known| same_key(known, &key)) {
                        Some(place) => elements[place] = item,
                        None => elements.push(item),
                    }
                }
            }
        }
        let merge = match &self.merge {
            Merging::Set(_) => Merging::Set(Rc::default()),
            merge => merge.clone(),
        };
        Self {
            elements: Elements::Natives(elements.into()),
            items: self.items,
            merge,
        }
    }
}

/// Returns the values of the merge keys, or `None` if the element is not an object.
fn merge_key_values<'a>(element: &Native<'a>, keys: &[String]) -> Option<Vec<Native<'a>>> {
    let Native::Object(members) = element else {
        return None;
    };
    let value = |key: &String| members.get(key).map_or(Native::Nil, Native::from);
    Some(keys.iter().map(value).collect())
}

fn same_key<'a>(left: &Option<Vec<Native<'a>>>, right: &Option<Vec<Native<'a>>>) -> bool {
    let (Some(left), Some(right)) = (left, right) else {
        return false;
    };
    left.iter()
        .zip(right)
        .all(|(one, two)| one.is_same_key(two))
}
