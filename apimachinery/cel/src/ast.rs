//! Syntax tree of CEL expressions, with macros expanded and a source span for every node.

use std::ops::Range;

/// Byte range in the text of an expression.
pub type Span = Range<usize>;

/// A node of the syntax tree.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Number of the node, from zero: its index in lists with an entry for each node.
    pub id: usize,
    /// Source span of the node.
    pub span: Span,
    /// Kind of the node.
    pub kind: ExprKind,
    /// Number of nodes on the path to the deepest leaf.
    pub(super) height: usize,
}

/// Kind of a node.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// `1`
    Literal(Literal),
    /// `self`
    Ident(String),
    /// `operand.field`
    Select(Select),
    /// `f(a)` or, with a target, `t.f(a)`. Operators have names such as `_+_`.
    Call {
        /// The function.
        function: String,
        /// Source span of its name.
        name_span: Span,
        /// The receiver of a method call.
        target: Option<Box<Expr>>,
        /// The arguments.
        args: Vec<Expr>,
    },
    /// `[a, b]`
    List(Vec<Element>),
    /// `{'a': b}`
    Map(Vec<Entry>),
    /// `Type{field: value}`
    Struct {
        /// The type.
        name: String,
        /// The fields and their values.
        fields: Vec<(String, Expr)>,
    },
    /// The expansion of macros such as `all`.
    Comprehension(Box<Comprehension>),
}

/// `operand.field`, or `has(operand.field)` if `test` is set.
#[derive(Clone, Debug)]
pub struct Select {
    /// The value.
    pub operand: Box<Expr>,
    /// The name of its field.
    pub field: String,
    /// Source span of the field name.
    pub field_span: Span,
    /// True for `has`.
    pub test: bool,
}

/// A literal.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "the names are CEL's own")]
pub enum Literal {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Double(f64),
    Text(String),
    Bytes(Vec<u8>),
}

/// An element of a list literal.
#[derive(Clone, Debug)]
pub struct Element {
    /// The value.
    pub value: Expr,
    /// True for `?value`: the element is omitted if its value is `optional.none()`.
    pub optional: bool,
}

/// An entry of a map literal.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The key.
    pub key: Expr,
    /// The value.
    pub value: Expr,
    /// True for `?key: value`: the entry is omitted if its value is `optional.none()`.
    pub optional: bool,
}

/// A loop that folds a list or map into one value.
#[derive(Clone, Debug)]
pub struct Comprehension {
    /// The list or map.
    pub range: Expr,
    /// First variable: the list item or map key. In a macro with two variables, the list index or
    /// map key.
    pub variable: String,
    /// Second variable, if the macro has two: the list item or map value.
    pub second_variable: Option<String>,
    /// Variable for the accumulated result.
    pub accumulator: String,
    /// Initial value of the accumulator.
    pub start: Expr,
    /// Condition for running another iteration.
    pub condition: Expr,
    /// Value of the accumulator after an iteration.
    pub step: Expr,
    /// Value of the comprehension.
    pub result: Expr,
}

impl Expr {
    /// Returns the node `id` in this subtree.
    pub fn find(&self, id: usize) -> Option<&Self> {
        if self.id == id {
            return Some(self);
        }
        self.children().into_iter().find_map(|child| child.find(id))
    }

    /// Returns the name `a` or the dotted name `a.b.c`, or `None` for any other expression.
    pub fn qualified_name(&self) -> Option<String> {
        match &self.kind {
            ExprKind::Ident(name) => Some(name.clone()),
            ExprKind::Select(select) if !select.test => Some(format!(
                "{}.{}",
                select.operand.qualified_name()?,
                select.field
            )),
            _ => None,
        }
    }

    /// Returns the direct children.
    pub fn children(&self) -> Vec<&Self> {
        match &self.kind {
            ExprKind::Literal(_) | ExprKind::Ident(_) => Vec::new(),
            ExprKind::Select(select) => vec![&select.operand],
            ExprKind::Call { target, args, .. } => {
                target.as_deref().into_iter().chain(args).collect()
            }
            ExprKind::List(elements) => elements.iter().map(|element| &element.value).collect(),
            ExprKind::Map(entries) => entries
                .iter()
                .flat_map(|entry| [&entry.key, &entry.value])
                .collect(),
            ExprKind::Struct { fields, .. } => fields.iter().map(|(_, value)| value).collect(),
            ExprKind::Comprehension(fold) => {
                vec![
                    &fold.range,
                    &fold.start,
                    &fold.condition,
                    &fold.step,
                    &fold.result,
                ]
            }
        }
    }

    /// Calls `visit` with every node of this subtree.
    pub fn visit<'e>(&'e self, visit: &mut impl FnMut(&'e Self)) {
        visit(self);
        for child in self.children() {
            child.visit(visit);
        }
    }
}
