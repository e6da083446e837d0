//! Evaluation of JSON paths on objects.
//!
//! Follows `k8s.io/client-go/util/jsonpath` with `AllowMissingKeys`. Members of objects are visited
//! in the order of their names. `range` and `end` are not supported.

use std::borrow::Cow;
use std::cmp::Ordering;

use serde_json::Value;

use super::template::{self, Filter, Slice, TemplateNode};

/// A parsed path, such as that of a printer column or a selectable field.
#[derive(Clone, Debug, PartialEq)]
pub struct JsonPath {
    nodes: Vec<TemplateNode>,
}

/// Values found before a step failed, with the error.
type Failure<'v> = (Vec<Cow<'v, Value>>, String);
type FoundValues<'v> = Result<Vec<Cow<'v, Value>>, Failure<'v>>;

impl JsonPath {
    /// Parses a path without braces: `.spec.replicas`.
    ///
    /// # Errors
    ///
    /// Returns client-go's error message, or an error if filters or unions are nested too deeply.
    pub fn parse(path: &str) -> Result<Self, String> {
        let nodes = template::parse(&format!("{{{path}}}"))?;
        Ok(Self { nodes })
    }

    /// Returns the values at the path in an object, empty if a field is missing.
    ///
    /// # Errors
    ///
    /// Returns an error if a step does not fit the value, such as an index out of bounds, or if the
    /// path has an unknown identifier or operator.
    pub fn find<'v>(&self, object: &'v Value) -> Result<Vec<Cow<'v, Value>>, String> {
        let mut first = Ok(Vec::new());
        for (at, node) in self.nodes.iter().enumerate() {
            let found = walk(vec![Cow::Borrowed(object)], node).map_err(|(_, error)| error)?;
            if at == 0 {
                first = Ok(found);
            }
        }
        first
    }
}

fn walk<'v>(values: Vec<Cow<'v, Value>>, node: &TemplateNode) -> FoundValues<'v> {
    let literal = |value: Value| values.iter().map(|_| Cow::Owned(value.clone())).collect();
    Ok(match node {
        TemplateNode::List(nodes) => return list(values, nodes),
        TemplateNode::Text(text) => vec![Cow::Owned(text.as_str().into())],
        TemplateNode::Integer(number) => literal((*number).into()),
        TemplateNode::Float(number) => literal((*number).into()),
        TemplateNode::Bool(bool) => literal((*bool).into()),
        TemplateNode::Field(name) => {
            let members = values.into_iter().filter_map(|value| member(value, name));
            members.collect()
        }
        TemplateNode::Wildcard => values.into_iter().flat_map(children).collect(),
        TemplateNode::Recursive => values.into_iter().flat_map(descendants).collect(),
        TemplateNode::Slice(slice) => return items(values, *slice),
        TemplateNode::Union(lists) => {
            let mut found = Vec::new();
            for nodes in lists {
                let part = list(values.clone(), nodes);
                found.extend(part.map_err(|(_, error)| (values.clone(), error))?);
            }
            found
        }
        TemplateNode::Filter(filter) => return filtered(values, filter),
        TemplateNode::Identifier(name) => {
            return Err((values, format!("unrecognized identifier {name}")));
        }
    })
}

fn list<'v>(values: Vec<Cow<'v, Value>>, nodes: &[TemplateNode]) -> FoundValues<'v> {
    nodes.iter().try_fold(values, walk)
}

fn member<'v>(value: Cow<'v, Value>, name: &str) -> Option<Cow<'v, Value>> {
    match value {
        Cow::Borrowed(value) => value.as_object()?.get(name).map(Cow::Borrowed),
        Cow::Owned(value) => value.as_object()?.get(name).cloned().map(Cow::Owned),
    }
}

fn item<'v>(value: &Cow<'v, Value>, at: usize) -> Option<Cow<'v, Value>> {
    match value {
        Cow::Borrowed(value) => value.get(at).map(Cow::Borrowed),
        Cow::Owned(value) => value.get(at).cloned().map(Cow::Owned),
    }
}

/// Returns the members of an object, the items of a list, or the bytes of a string.
fn children(value: Cow<'_, Value>) -> Vec<Cow<'_, Value>> {
    match &value {
        Cow::Borrowed(Value::Object(members)) => members.values().map(Cow::Borrowed).collect(),
        Cow::Borrowed(Value::Array(items)) => items.iter().map(Cow::Borrowed).collect(),
        Cow::Owned(Value::Object(members)) => members.values().cloned().map(Cow::Owned).collect(),
        Cow::Owned(Value::Array(items)) => items.iter().cloned().map(Cow::Owned).collect(),
        Cow::Borrowed(Value::String(text)) => bytes(text),
        Cow::Owned(Value::String(text)) => bytes(text),
        _ => Vec::new(),
    }
}

fn bytes<'v>(text: &str) -> Vec<Cow<'v, Value>> {
    text.bytes().map(|byte| Cow::Owned(byte.into())).collect()
}

/// Returns the value and all values inside it, in preorder, except values without children.
fn descendants(value: Cow<'_, Value>) -> Vec<Cow<'_, Value>> {
    let mut found = Vec::new();
    let mut rest = vec![value];
    while let Some(value) = rest.pop() {
        let inside = children(value.clone());
        if !inside.is_empty() {
            found.push(value);
            rest.extend(inside.into_iter().rev());
        }
    }
    found
}

fn items<'v>(values: Vec<Cow<'v, Value>>, slice: Slice) -> FoundValues<'v> {
    let mut found = Vec::new();
    for value in &values {
        let count = match &**value {
            Value::Null => continue,
            Value::Array(items) => i64::try_from(items.len()).unwrap_or(i64::MAX),
            _ => return Err((values, "value is not array or slice".to_owned())),
        };
        match range(slice, count) {
            Err(error) => return Err((values, error)),
            Ok(None) => return Ok(found),
            Ok(Some(places)) => found.extend(places.filter_map(|at| item(value, at))),
        }
    }
    Ok(found)
}

/// Returns the indices of a slice in a list of `count` items, or `None` for an empty slice.
fn range(slice: Slice, count: i64) -> Result<Option<impl Iterator<Item = usize>>, String> {
    let from_end = |at: i64| if at < 0 { at + count } else { at };
    let start = from_end(slice.start.unwrap_or_default());
    let end = match slice.end {
        None => count,
        Some(0) if slice.is_index => count,
        Some(end) => from_end(end),
    };
    if start == end {
        return Ok(None);
    }
    let out_of_bounds = |at: i64| {
        Err(format!(
            "array index out of bounds: index {at}, length {count}"
        ))
    };
    if !(0..count).contains(&start) {
        return out_of_bounds(start);
    }
    if !(0..=count).contains(&end) {
        return out_of_bounds(end - 1);
    }
    if start > end {
        return Err(format!(
            "starting index {start} is greater than ending index {end}"
        ));
    }
    let step = slice.step.unwrap_or(1);
    let step = usize::try_from(step)
        .ok()
        .filter(|step| *step > 0)
        .ok_or("step must be > 0")?;
    let place = |at: i64| usize::try_from(at).unwrap_or_default();
    Ok(Some((place(start)..place(end)).step_by(step)))
}

fn filtered<'v>(values: Vec<Cow<'v, Value>>, filter: &Filter) -> FoundValues<'v> {
    let mut found = Vec::new();
    for value in &values {
        let Some(items) = value.as_array() else {
            let error = "value is not array or slice and cannot be filtered";
            return Err((values, error.to_owned()));
        };
        for at in 0..items.len() {
            let Some(item) = item(value, at) else {
                continue;
            };
            match passes(&item, filter) {
                Ok(true) => found.push(item),
                Ok(false) => {}
                Err(error) => return Err((values, error)),
            }
        }
    }
    Ok(found)
}

fn passes(item: &Value, filter: &Filter) -> Result<bool, String> {
    let left = list(vec![Cow::Borrowed(item)], &filter.left);
    let Some((operator, right)) = &filter.compared else {
        let found = left.unwrap_or_else(|(found, _)| found);
        return Ok(!found.is_empty());
    };
    let left = left.map_err(|(_, error)| error)?;
    let Some(left) = only(&left)? else {
        return Ok(false);
    };
    let right = list(vec![Cow::Borrowed(item)], right).map_err(|(_, error)| error)?;
    let Some(right) = only(&right)? else {
        return Ok(false);
    };
    compare(operator, left, right)
}

fn only<'f>(found: &'f [Cow<'_, Value>]) -> Result<Option<&'f Value>, String> {
    match found {
        [] => Ok(None),
        [one] => Ok(Some(one)),
        _ => Err("can only compare one element at a time".to_owned()),
    }
}

fn compare(operator: &str, left: &Value, right: &Value) -> Result<bool, String> {
    const TYPES: &str = "invalid type for comparison";
    let order = match (left, right) {
        (Value::Bool(left), Value::Bool(right)) if ["==", "!="].contains(&operator) => {
            left.cmp(right)
        }
        (Value::String(left), Value::String(right)) => left.cmp(right),
        (Value::Number(left), Value::Number(right)) => {
            let float = |number: &serde_json::Number| number.as_f64().unwrap_or_default();
            match (left.as_i64(), right.as_i64()) {
                (Some(left), Some(right)) => left.cmp(&right),
                (None, None) => float(left)
                    .partial_cmp(&float(right))
                    .unwrap_or(Ordering::Equal),
                _ => return Err("incompatible types for comparison".to_owned()),
            }
        }
        _ => return Err(TYPES.to_owned()),
    };
    match operator {
        "<" => Ok(order.is_lt()),
        ">" => Ok(order.is_gt()),
        "==" => Ok(order.is_eq()),
        "!=" => Ok(order.is_ne()),
        "<=" => Ok(order.is_le()),
        ">=" => Ok(order.is_ge()),
        operator => Err(format!("unrecognized filter operator {operator}")),
    }
}
