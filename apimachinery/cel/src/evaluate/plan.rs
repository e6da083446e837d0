//! Planner: conversion of a checked expression into a plan, with constant folding (cel-go's
//! `interpreter`, planner.go and decorators.go).

use std::collections::HashSet;
use std::sync::Arc;

use super::apply::call_function;
use super::cost::choose_charge;
use super::library::{self, CompiledPattern};
use super::map::{lossless_int, lossless_uint};
use super::program::{
    Attribute, Constant, Node, PlannedCall, PlannedFold, Qualifier, QualifierKey, Root,
};
use super::value::{Key, Value};
use crate::ast::{Expr, ExprKind};
use crate::functions::{Functions, Overload};
use crate::infer::Inferred;
use crate::types::Type;

/// Plans an expression.
///
/// # Errors
///
/// Returns the API server's error, such as the one for a failed conversion of a constant.
pub(super) fn plan_node(
    expression: &Expr,
    inferred: &Inferred,
    functions: &Functions,
) -> Result<Node, String> {
    let planner = Planner {
        inferred,
        functions,
    };
    planner.node(expression)
}

struct Planner<'i> {
    inferred: &'i Inferred,
    functions: &'i Functions,
}

/// The types that rules can name.
const TYPES: [(&str, &str); 16] = [
    ("bool", "bool"),
    ("bytes", "bytes"),
    ("double", "double"),
    ("int", "int"),
    ("list", "list"),
    ("map", "map"),
    ("null_type", "null_type"),
    ("string", "string"),
    ("type", "type"),
    ("uint", "uint"),
    ("google.protobuf.Timestamp", "google.protobuf.Timestamp"),
    ("google.protobuf.Duration", "google.protobuf.Duration"),
    ("optional_type", "optional_type"),
    ("net.IP", "net.IP"),
    ("net.CIDR", "net.CIDR"),
    ("dyn", "dyn"),
];

fn type_named(name: &str) -> Option<&'static str> {
    let found = TYPES.iter().find(|(known, _)| *known == name);
    found.map(|(_, name)| *name)
}

impl Planner<'_> {
    fn operands(&self, left: &Expr, right: &Expr) -> Result<[Box<Node>; 2], String> {
        Ok([Box::new(self.node(left)?), Box::new(self.node(right)?)])
    }

    fn is_type(&self, node: &Expr) -> bool {
        matches!(self.inferred.types.get(node.id), Some(Type::Meta))
    }

    /// Plans a node with all nodes below it.
    fn node(&self, node: &Expr) -> Result<Node, String> {
        let id = node.id;
        match &node.kind {
            ExprKind::Literal(literal) => Ok(Node::Constant(id, literal.into())),
            ExprKind::Ident(name) => Ok(match type_named(name).filter(|_| self.is_type(node)) {
                Some(name) => Node::Constant(id, Constant::Type(name)),
                None => Node::Attribute(Attribute::new(Root::Variable(id, name.clone()))),
            }),
            ExprKind::Select(select) => {
                if self.is_type(node)
                    && let Some(name) = node.qualified_name().and_then(|name| type_named(&name))
                {
                    return Ok(Node::Constant(id, Constant::Type(name)));
                }
                let operand = self.attribute(&select.operand)?;
                let qualifier = Qualifier {
                    id,
                    key: QualifierKey::Constant(Constant::Text(select.field.clone())),
                    optional: false,
                    test: select.test,
                };
                Ok(Node::Attribute(operand.select(&Arc::new(qualifier))))
            }
            ExprKind::Call {
                function,
                target,
                args,
                ..
            } => self.call(node, function, target.as_deref(), args),
            ExprKind::List(elements) => {
                let items: Result<Vec<_>, String> = elements
                    .iter()
                    .map(|element| Ok((self.node(&element.value)?, element.optional)))
                    .collect();
                Ok(plan_list(id, items?))
            }
            ExprKind::Map(entries) => {
                let entries: Result<Vec<_>, String> = entries
                    .iter()
                    .map(|entry| {
                        let key = self.node(&entry.key)?;
                        Ok((key, self.node(&entry.value)?, entry.optional))
                    })
                    .collect();
                Ok(plan_map(id, entries?))
            }
            ExprKind::Struct { name, .. } => Err(format!("unknown type: {name}")),
            ExprKind::Comprehension(fold) => Ok(Node::Fold(Box::new(PlannedFold {
                id,
                range: self.node(&fold.range)?,
                variable: fold.variable.clone(),
                second_variable: fold.second_variable.clone(),
                accumulator: fold.accumulator.clone(),
                start: self.node(&fold.start)?,
                condition: self.node(&fold.condition)?,
                step: self.node(&fold.step)?,
                result: self.node(&fold.result)?,
            }))),
        }
    }

    /// Plans a node as an attribute, to which selections can be added.
    fn attribute(&self, node: &Expr) -> Result<Attribute, String> {
        Ok(match self.node(node)? {
            Node::Attribute(attribute) => attribute,
            other => Attribute::new(Root::Operand(other.id(), other)),
        })
    }

    /// Plans a call or an operator.
    fn call(
        &self,
        node: &Expr,
        function: &str,
        target: Option<&Expr>,
        args: &[Expr],
    ) -> Result<Node, String> {
        let id = node.id;
        match (function, args) {
            ("_&&_", _) => return self.logic(id, args, &Node::And),
            ("_||_", _) => return self.logic(id, args, &Node::Or),
            ("_==_", [left, right]) => return Ok(Node::Equal(id, self.operands(left, right)?)),
            ("_!=_", [left, right]) => return Ok(Node::NotEqual(id, self.operands(left, right)?)),
            ("_?_:_", [condition, then, otherwise]) => {
                return Ok(Node::Attribute(Attribute::new(Root::Conditional {
                    id,
                    condition: self.node(condition)?,
                    branches: [self.branch(then)?, self.branch(otherwise)?],
                })));
            }
            ("_[_]", [operand, key]) => return self.index(id, operand, key, false),
            ("_[?_]" | "_?._", [operand, key]) => return self.index(id, operand, key, true),
            _ => {}
        }
        let functions = self.functions;
        let namespaced = target
            .and_then(Expr::qualified_name)
            .map(|prefix| format!("{prefix}.{function}"))
            .filter(|name| functions.get(name).is_some());
        let (name, target) = match namespaced {
            Some(name) => (name, None),
            None => (function.to_owned(), target),
        };
        let args: Result<Vec<_>, _> = target
            .into_iter()
            .chain(args)
            .map(|arg| self.node(arg))
            .collect();
        self.bind_call(id, name, args?)
    }

    /// Plans a chain of `&&` or `||` as a balanced tree with two operands per node, as cel-go does.
    fn logic(
        &self,
        id: usize,
        args: &[Expr],
        make: &impl Fn(usize, [Box<Node>; 2]) -> Node,
    ) -> Result<Node, String> {
        match args {
            [only] => self.node(only),
            [left, right] => Ok(make(id, self.operands(left, right)?)),
            _ => {
                let middle = args.len().div_ceil(2);
                let (left, right) = args.split_at(middle);
                let inner = |args: &[Expr]| {
                    // The expression has no node for this part of the chain. Results are found by
                    // id, so the part gets an id that no node has.
                    let id = args.last().map_or(id, |last| usize::MAX - last.id);
                    self.logic(id, args, make)
                };
                Ok(make(id, [Box::new(inner(left)?), Box::new(inner(right)?)]))
            }
        }
    }

    fn branch(&self, node: &Expr) -> Result<Attribute, String> {
        Ok(match self.node(node)? {
            // `Attribute::test` makes the runner refund the charge for the variable. A variable in
            // a branch of a conditional is not charged, so the flag is cleared. The last qualifier
            // keeps its own `test`.
            Node::Attribute(attribute) => Attribute {
                test: false,
                ..attribute
            },
            other => Attribute::new(Root::Operand(other.id(), other)),
        })
    }

    /// Plans `operand[key]`, or `operand[?key]` and `operand.?key` if `optional` is set.
    fn index(&self, id: usize, operand: &Expr, key: &Expr, optional: bool) -> Result<Node, String> {
        let operand = self.attribute(operand)?;
        let key = match self.node(key)? {
            Node::Constant(
                _,
                constant @ (Constant::Text(_)
                | Constant::Int(_)
                | Constant::Uint(_)
                | Constant::Bool(_)
                | Constant::Double(_)),
            ) => QualifierKey::Constant(constant),
            Node::Constant(_, other) => {
                return Err(format!(
                    "invalid qualifier type: {}",
                    other.value().go_type()
                ));
            }
            Node::Attribute(attribute) => QualifierKey::Attribute(attribute),
            other => QualifierKey::Computed(Attribute::new(Root::Operand(id, other))),
        };
        let qualifier = Qualifier {
            id,
            key,
            optional,
            test: false,
        };
        Ok(Node::Attribute(operand.select(&Arc::new(qualifier))))
    }

    /// Binds a call to its function. A conversion of a constant is evaluated now, and so is a
    /// constant pattern.
    fn bind_call(&self, id: usize, function: String, args: Vec<Node>) -> Result<Node, String> {
        let fitting = self
            .inferred
            .overloads
            .get(id)
            .map_or(&[][..], Vec::as_slice);
        let overload = match fitting {
            [only] => Some(only.clone()),
            _ => None,
        };
        if let ("or" | "orValue", 2) = (&*function, args.len()) {
            let mut args = args.into_iter().map(Box::new);
            if let (Some(left), Some(right)) = (args.next(), args.next()) {
                return Ok(Node::OptionalOr(id, [left, right], function == "orValue"));
            }
            return Err(format!("no such overload: {function}"));
        }
        let binding = library::binding(&function)
            .ok_or_else(|| format!("no such overload: {function}(...)"))?;
        if function == "@in"
            && let Some(set) = constant_members(overload.as_deref(), &args)
        {
            return Ok(match args.into_iter().next() {
                Some(item) if !set.is_empty() => Node::Member(id, Box::new(item), set),
                _ => Node::Constant(id, Constant::Bool(false)),
            });
        }
        let compiled = match args.get(1) {
            Some(Node::Constant(_, Constant::Text(pattern))) => {
                CompiledPattern::new(&function, pattern)
            }
            _ => None,
        };
        let call = PlannedCall {
            id,
            charge: choose_charge(&function, overload.as_deref()),
            candidates: self.functions.get(&function).unwrap_or_default().to_vec(),
            binding,
            overload,
            compiled: compiled.transpose()?,
            args,
            function,
        };
        if let ([Node::Constant(_, constant)], true) =
            (&call.args[..], is_conversion(&call.function))
        {
            let value = call_function(&call, &[constant.value()]);
            if let Value::Error(error) = &value {
                return Err(error.to_string());
            }
            if let Some(constant) = Constant::from_value(&value) {
                return Ok(Node::Constant(id, constant));
            }
        }
        Ok(Node::Call(call))
    }
}

/// Returns the right operand of `in` as a set, if it is a constant list of primitive values.
fn constant_members(overload: Option<&Overload>, args: &[Node]) -> Option<HashSet<Key>> {
    let of_list = matches!(overload?.args.get(1), Some(Type::List(_)));
    match args {
        [_, Node::Constant(_, Constant::List(items))] if of_list => constant_keys(items),
        _ => None,
    }
}

fn is_conversion(function: &str) -> bool {
    matches!(
        function,
        "bool"
            | "bytes"
            | "double"
            | "duration"
            | "dyn"
            | "int"
            | "string"
            | "timestamp"
            | "type"
            | "uint"
    )
}

fn plan_list(id: usize, items: Vec<(Node, bool)>) -> Node {
    let constants: Option<Vec<_>> = items
        .iter()
        .map(|(item, optional)| match item {
            Node::Constant(_, constant) if !optional => Some(constant.clone()),
            _ => None,
        })
        .collect();
    match constants {
        Some(constants) => Node::Constant(id, Constant::List(constants)),
        None => Node::List(id, items),
    }
}

fn plan_map(id: usize, entries: Vec<(Node, Node, bool)>) -> Node {
    let constants: Option<Vec<_>> = entries
        .iter()
        .map(|(key, value, optional)| match (key, value) {
            (Node::Constant(_, key), Node::Constant(_, value)) if !optional => {
                Some((key.clone(), value.clone()))
            }
            _ => None,
        })
        .collect();
    match constants {
        Some(constants) => Node::Constant(id, Constant::Map(constants)),
        None => Node::Map(id, entries),
    }
}

/// Converts the elements of a constant list into keys. A number yields a key for each numeric type
/// that can hold it (`1`, `1u`, `1.0`). Returns `None` if an element is not a boolean, a number or
/// a string.
fn constant_keys(items: &[Constant]) -> Option<HashSet<Key>> {
    let mut set = HashSet::new();
    for item in items {
        let value = item.value();
        let primitive = matches!(
            value,
            Value::Bool(_) | Value::Double(_) | Value::Int(_) | Value::Text(_) | Value::Uint(_)
        );
        if !primitive {
            return None;
        }
        set.extend(Key::from_value(&value));
        match value {
            Value::Double(value) => {
                set.extend(lossless_int(value).map(Key::Int));
                set.extend(lossless_uint(value).map(Key::Uint));
            }
            #[expect(clippy::cast_precision_loss, reason = "converted as Go does")]
            Value::Int(value) => {
                set.extend(Key::double(value as f64));
                set.extend(u64::try_from(value).ok().map(Key::Uint));
            }
            #[expect(clippy::cast_precision_loss, reason = "converted as Go does")]
            Value::Uint(value) => {
                set.extend(Key::double(value as f64));
                set.extend(i64::try_from(value).ok().map(Key::Int));
            }
            _ => {}
        }
    }
    Some(set)
}
