//! Expression → plan: calls with their functions, selections as one step with the variable that
//! they start from, constants computed (cel-go's `interpreter`, planner.go and decorators.go).

use std::collections::HashSet;
use std::rc::Rc;
use std::sync::Arc;

use super::cost::{Charge, charge};
use super::library::{self, Binding, Compiled};
use super::list::List;
use super::map::{Key, Map, lossless_int, lossless_uint};
use super::time::Timestamp;
use super::value::{Text, Value};
use crate::cel::Inferred;
use crate::cel::ast::{Expr, ExprKind, Literal};
use crate::cel::functions::{Functions, Overload};
use crate::cel::types::Type;

/// A step of an evaluation; `id` is the number of the node that it comes from.
#[derive(Debug)]
pub(super) enum Node {
    Constant(usize, Constant),
    Attribute(Attribute),
    And(usize, [Box<Node>; 2]),
    Or(usize, [Box<Node>; 2]),
    Equal(usize, [Box<Node>; 2]),
    NotEqual(usize, [Box<Node>; 2]),
    Call(Call),
    /// `in` of a list of constants.
    Member(usize, Box<Node>, HashSet<Key>),
    List(usize, Vec<(Node, bool)>),
    Map(usize, Vec<(Node, Node, bool)>),
    Fold(Box<Fold>),
    /// `or` and `orValue` of an optional; true for the latter.
    OptionalOr(usize, [Box<Node>; 2], bool),
}

/// A value that is known before the evaluation.
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

/// A variable or a value, and what is selected of it.
#[derive(Clone, Debug)]
pub(super) struct Attribute {
    pub(super) root: Arc<Root>,
    pub(super) qualifiers: Vec<Arc<Qualifier>>,
    /// True for `has`, whose last qualifier only tests.
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
    /// A key that is selected from a variable.
    Attribute(Attribute),
    /// A key that is computed.
    Computed(Attribute),
}

#[derive(Debug)]
pub(super) struct Call {
    pub(super) id: usize,
    pub(super) function: String,
    pub(super) args: Vec<Node>,
    pub(super) binding: Binding,
    /// The overload, if the types leave but one.
    pub(super) overload: Option<Arc<Overload>>,
    pub(super) candidates: Vec<Arc<Overload>>,
    pub(super) compiled: Option<Compiled>,
    pub(super) charge: Charge,
}

#[derive(Debug)]
pub(super) struct Fold {
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
            Self::List(items) => Value::List(List::of(items.iter().map(Self::value).collect())),
            Self::Map(entries) => Value::Map(Map::of(
                entries
                    .iter()
                    .map(|(key, value)| (key.value(), value.value())),
            )),
        }
    }

    /// The constant of a value; none if it is of a type that has no literals.
    fn of(value: &Value<'_>) -> Option<Self> {
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
                    .map(|item| Self::of(&item))
                    .collect::<Option<_>>()?,
            ),
            Value::Map(map) => {
                let entries = map.entries();
                let entries = entries
                    .iter()
                    .map(|(key, value)| Some((Self::of(key)?, Self::of(value)?)));
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
    /// The number by which the result is found among the arguments of a call.
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
    fn new(root: Root) -> Self {
        Self {
            root: Arc::new(root),
            qualifiers: Vec::new(),
            test: false,
        }
    }

    /// The number of the last qualifier, or of the root.
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

    /// Selects one more; of a choice, in both branches.
    fn select(mut self, qualifier: &Arc<Qualifier>) -> Self {
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

/// Makes the plan of an expression.
///
/// # Errors
///
/// Why the API server could not run it: a constant that does not convert, a pattern.
pub(super) fn plan(expression: &Expr, inferred: &Inferred) -> Result<Node, String> {
    Planner { inferred }.node(expression)
}

struct Planner<'i> {
    inferred: &'i Inferred,
}

/// The types that have a name in rules.
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
    fn nodes(&self, left: &Expr, right: &Expr) -> Result<[Box<Node>; 2], String> {
        Ok([Box::new(self.node(left)?), Box::new(self.node(right)?)])
    }

    fn is_type(&self, node: &Expr) -> bool {
        matches!(self.inferred.types.get(node.id), Some(Type::Meta))
    }

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
                Ok(list(id, items?))
            }
            ExprKind::Map(entries) => {
                let entries: Result<Vec<_>, String> = entries
                    .iter()
                    .map(|entry| {
                        let key = self.node(&entry.key)?;
                        Ok((key, self.node(&entry.value)?, entry.optional))
                    })
                    .collect();
                Ok(map(id, entries?))
            }
            ExprKind::Struct { name, .. } => Err(format!("unknown type: {name}")),
            ExprKind::Comprehension(fold) => Ok(Node::Fold(Box::new(Fold {
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

    /// The node as something to select from.
    fn attribute(&self, node: &Expr) -> Result<Attribute, String> {
        Ok(match self.node(node)? {
            Node::Attribute(attribute) => attribute,
            other => Attribute::new(Root::Operand(other.id(), other)),
        })
    }

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
            ("_==_", [left, right]) => return Ok(Node::Equal(id, self.nodes(left, right)?)),
            ("_!=_", [left, right]) => return Ok(Node::NotEqual(id, self.nodes(left, right)?)),
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
        let functions = Functions::all();
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
        self.function(id, name, args?)
    }

    /// A chain of `&&` or `||` as the tree that cel-go makes of it.
    fn logic(
        &self,
        id: usize,
        args: &[Expr],
        make: &impl Fn(usize, [Box<Node>; 2]) -> Node,
    ) -> Result<Node, String> {
        match args {
            [only] => self.node(only),
            [left, right] => Ok(make(id, self.nodes(left, right)?)),
            _ => {
                let middle = args.len().div_ceil(2);
                let (left, right) = args.split_at(middle);
                let inner = |args: &[Expr]| {
                    // A node of its own, of which no other has the number.
                    let id = args.last().map_or(id, |last| usize::MAX - last.id);
                    self.logic(id, args, make)
                };
                Ok(make(id, [Box::new(inner(left)?), Box::new(inner(right)?)]))
            }
        }
    }

    fn branch(&self, node: &Expr) -> Result<Attribute, String> {
        Ok(match self.node(node)? {
            // A test in a branch runs as one; a variable is not charged for.
            Node::Attribute(attribute) => Attribute {
                test: false,
                ..attribute
            },
            other => Attribute::new(Root::Operand(other.id(), other)),
        })
    }

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

    fn function(&self, id: usize, function: String, args: Vec<Node>) -> Result<Node, String> {
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
            Some(Node::Constant(_, Constant::Text(pattern))) => Compiled::new(&function, pattern),
            _ => None,
        };
        let call = Call {
            id,
            charge: charge(&function, overload.as_deref()),
            candidates: candidates(&function),
            binding,
            overload,
            compiled: compiled.transpose()?,
            args,
            function,
        };
        if let ([Node::Constant(_, constant)], true) =
            (&call.args[..], is_conversion(&call.function))
        {
            let value = super::run::apply(&call, &[constant.value()]);
            if let Value::Error(error) = &value {
                return Err(error.to_string());
            }
            if let Some(constant) = Constant::of(&value) {
                return Ok(Node::Constant(id, constant));
            }
        }
        Ok(Node::Call(call))
    }
}

/// The overloads of a function, in the order in which they are tried.
fn candidates(function: &str) -> Vec<Arc<Overload>> {
    Functions::all().get(function).unwrap_or_default().to_vec()
}

/// The elements of the list of constants that `in` is asked of; none for another call.
fn constant_members(overload: Option<&Overload>, args: &[Node]) -> Option<HashSet<Key>> {
    let of_list = matches!(overload?.args.get(1), Some(Type::List(_)));
    match args {
        [_, Node::Constant(_, Constant::List(items))] if of_list => members(items),
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

fn list(id: usize, items: Vec<(Node, bool)>) -> Node {
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

fn map(id: usize, entries: Vec<(Node, Node, bool)>) -> Node {
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

/// The elements of a list of constants with all numbers that equal them; none if one has no key.
fn members(items: &[Constant]) -> Option<HashSet<Key>> {
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
        set.extend(Key::of(&value));
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
