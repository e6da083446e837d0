//! Plan of an expression: a tree in which calls are bound to functions, and a variable with its
//! selections, such as `self.a[0]`, is one node (cel-go's `interpreter`, planner.go).

use std::collections::HashSet;
use std::rc::Rc;
use std::sync::Arc;

use genclient_apimachinery::go::time::Timestamp;

use super::cost::Charge;
use super::library::{Binding, CompiledPattern};
use super::value::{Key, List, MapValue, Text, Value};
use crate::ast::Literal;
use crate::functions::Overload;

/// A node of a plan. The number in a variant is the id of the expression node. The flag of a list
/// element or map entry is true if `?` precedes it.
#[derive(Debug)]
pub(super) enum Node {
    Constant(usize, Constant),
    Attribute(Attribute),
    And(usize, [Box<Node>; 2]),
    Or(usize, [Box<Node>; 2]),
    Equal(usize, [Box<Node>; 2]),
    NotEqual(usize, [Box<Node>; 2]),
    Call(PlannedCall),
    /// `in` with a constant list.
    Member(usize, Box<Node>, HashSet<Key>),
    List(usize, Vec<(Node, bool)>),
    Map(usize, Vec<(Node, Node, bool)>),
    Fold(Box<PlannedFold>),
    /// `or` or `orValue` of an optional. The flag is true for `orValue`.
    OptionalOr(usize, [Box<Node>; 2], bool),
}

#[derive(Clone, Debug)]
pub(super) enum Constant {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Double(f64),
    Text(String),
    Bytes(Arc<[u8]>),
    Duration(i64),
    Timestamp(Timestamp),
    Type(&'static str),
    List(Vec<Constant>),
    Map(Vec<(Constant, Constant)>),
}

/// A variable or another operand with the selections on it: `self.a[0]`.
#[derive(Clone, Debug)]
pub(super) struct Attribute {
    pub(super) root: Arc<Root>,
    pub(super) qualifiers: Vec<Arc<Qualifier>>,
    /// True for `has`: the last qualifier only tests for presence.
    pub(super) test: bool,
}

#[derive(Debug)]
pub(super) enum Root {
    Variable(usize, String),
    Operand(usize, Node),
    Conditional {
        id: usize,
        condition: Node,
        branches: [Attribute; 2],
    },
}

#[derive(Debug)]
pub(super) struct Qualifier {
    pub(super) id: usize,
    pub(super) key: QualifierKey,
    pub(super) optional: bool,
    pub(super) test: bool,
}

#[derive(Debug)]
pub(super) enum QualifierKey {
    Constant(Constant),
    /// The value of an attribute: `a[b.c]`.
    Attribute(Attribute),
    /// The result of another expression: `a[1 + 1]`.
    Computed(Attribute),
}

#[derive(Debug)]
pub(super) struct PlannedCall {
    pub(super) id: usize,
    pub(super) function: String,
    pub(super) args: Vec<Node>,
    pub(super) binding: Binding,
    /// The overload, if type inference leaves exactly one.
    pub(super) overload: Option<Arc<Overload>>,
    pub(super) candidates: Vec<Arc<Overload>>,
    pub(super) compiled: Option<CompiledPattern>,
    pub(super) charge: Charge,
}

#[derive(Debug)]
pub(super) struct PlannedFold {
    pub(super) id: usize,
    pub(super) range: Node,
    pub(super) variable: String,
    pub(super) second_variable: Option<String>,
    pub(super) accumulator: String,
    pub(super) start: Node,
    pub(super) condition: Node,
    pub(super) step: Node,
    pub(super) result: Node,
}

impl Constant {
    pub(super) fn value(&self) -> Value<'_> {
        match self {
            Self::Null => Value::Null,
            Self::Bool(value) => Value::Bool(*value),
            Self::Int(value) => Value::Int(*value),
            Self::Uint(value) => Value::Uint(*value),
            Self::Double(value) => Value::Double(*value),
            Self::Text(text) => Value::Text(Text::Borrowed(text)),
            Self::Bytes(bytes) => Value::Bytes(Rc::from(&**bytes)),
            Self::Duration(value) => Value::Duration(*value),
            Self::Timestamp(time) => Value::Timestamp(*time),
            Self::Type(name) => Value::Type(name),
            Self::List(items) => {
                Value::List(List::from_values(items.iter().map(Self::value).collect()))
            }
            Self::Map(entries) => Value::Map(MapValue::from_entries(
                entries
                    .iter()
                    .map(|(key, value)| (key.value(), value.value())),
            )),
        }
    }

    /// Returns a value as a constant, or `None` if no variant can hold the value.
    pub(super) fn from_value(value: &Value<'_>) -> Option<Self> {
        Some(match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(*value),
            Value::Int(value) => Self::Int(*value),
            Value::Uint(value) => Self::Uint(*value),
            Value::Double(value) => Self::Double(*value),
            Value::Text(text) => Self::Text(text.to_string()),
            Value::Bytes(bytes) => Self::Bytes(Arc::from(&**bytes)),
            Value::Duration(value) => Self::Duration(*value),
            Value::Timestamp(time) => Self::Timestamp(*time),
            Value::Type(name) => Self::Type(name),
            Value::List(list) => Self::List(
                list.iter()
                    .map(|item| Self::from_value(&item))
                    .collect::<Option<_>>()?,
            ),
            Value::Map(map) => {
                let entries = map.entries();
                let entries = entries
                    .iter()
                    .map(|(key, value)| Some((Self::from_value(key)?, Self::from_value(value)?)));
                Self::Map(entries.collect::<Option<_>>()?)
            }
            _ => return None,
        })
    }
}

impl From<&Literal> for Constant {
    fn from(literal: &Literal) -> Self {
        match literal {
            Literal::Null => Self::Null,
            Literal::Bool(value) => Self::Bool(*value),
            Literal::Int(value) => Self::Int(*value),
            Literal::Uint(value) => Self::Uint(*value),
            Literal::Double(value) => Self::Double(*value),
            Literal::Text(text) => Self::Text(text.clone()),
            Literal::Bytes(bytes) => Self::Bytes(bytes.as_slice().into()),
        }
    }
}

impl Node {
    /// Returns the node id. The cost of a call depends on the results of its arguments, which are
    /// stored by their ids.
    pub(super) fn id(&self) -> usize {
        match self {
            Self::Attribute(attribute) => attribute.id(),
            Self::Call(call) => call.id,
            Self::Fold(fold) => fold.id,
            Self::Constant(id, _)
            | Self::And(id, _)
            | Self::Or(id, _)
            | Self::Equal(id, _)
            | Self::NotEqual(id, _)
            | Self::Member(id, ..)
            | Self::List(id, _)
            | Self::Map(id, _)
            | Self::OptionalOr(id, ..) => *id,
        }
    }
}

impl Attribute {
    pub(super) fn new(root: Root) -> Self {
        Self {
            root: Arc::new(root),
            qualifiers: Vec::new(),
            test: false,
        }
    }

    /// Returns the id under which the runner stores the result: that of the last qualifier, or
    /// that of the root if there is no qualifier. In `(c ? a : b).x`, [`Self::select`] has added
    /// the qualifier `.x` to both branches, so both return its id.
    pub(super) fn id(&self) -> usize {
        if let Some(last) = self.qualifiers.last() {
            return last.id;
        }
        match &*self.root {
            Root::Variable(id, _) | Root::Operand(id, _) => *id,
            Root::Conditional { id, branches, .. } => match branches {
                [then, otherwise] if then.id() == otherwise.id() => then.id(),
                _ => *id,
            },
        }
    }

    /// Appends a qualifier: to both branches of a conditional, otherwise to the attribute itself.
    pub(super) fn select(mut self, qualifier: &Arc<Qualifier>) -> Self {
        self.test |= qualifier.test;
        match Arc::try_unwrap(self.root) {
            Ok(Root::Conditional {
                id,
                condition,
                branches,
            }) => {
                let branches = branches.map(|branch| branch.select(qualifier));
                self.root = Arc::new(Root::Conditional {
                    id,
                    condition,
                    branches: branches.map(|mut branch| {
                        branch.test = false;
                        branch
                    }),
                });
            }
            Ok(root) => {
                self.root = Arc::new(root);
                self.qualifiers.push(qualifier.clone());
            }
            Err(root) => {
                self.root = root;
                self.qualifiers.push(qualifier.clone());
            }
        }
        self
    }
}
