//! Expressions as the type checker sees them: macros expanded, and every node with its place in the
//! text.

use std::ops::Range;

/// Bytes of the text.
pub type Span = Range<usize>;

/// A node.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Its number, counted up from zero, so that what is known of nodes fits into a list.
    pub id: usize,
    /// The text that it is written as.
    pub span: Span,
    /// What it is.
    pub kind: ExprKind,
    /// How many nodes there are to the deepest leaf.
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
    /// `f(a)` or, with a target, `t.f(a)`; operators have names such as `_+_`.
    Call {
        /// The function.
        function: String,
        /// The text of its name.
        name_span: Span,
        /// What it is called on.
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
    /// What every macro such as `all` expands to.
    Comprehension(Box<Comprehension>),
}

/// `operand.field`, or `has(operand.field)` if it only tests.
#[derive(Clone, Debug)]
pub struct Select {
    /// The value.
    pub operand: Box<Expr>,
    /// The name of its field.
    pub field: String,
    /// The text of that name.
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
    /// True for `?value`, which is left out if it is none.
    pub optional: bool,
}

/// An entry of a map literal.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The key.
    pub key: Expr,
    /// The value.
    pub value: Expr,
    /// True for `?key: value`, which is left out if the value is none.
    pub optional: bool,
}

/// A loop that folds a list or map into one value.
#[derive(Clone, Debug)]
pub struct Comprehension {
    /// The list or map.
    pub range: Expr,
    /// The variable of the items or keys; of the indices, if there are two.
    pub variable: String,
    /// The variable of the items or values.
    pub second_variable: Option<String>,
    /// The variable of the result so far.
    pub accumulator: String,
    /// The result before the first round.
    pub start: Expr,
    /// Whether another round follows.
    pub condition: Expr,
    /// The result after a round.
    pub step: Expr,
    /// The value of the loop.
    pub result: Expr,
}

impl Expr {
    /// Returns the node with that number, this one or one below.
    pub fn find(&self, id: usize) -> Option<&Self> {
        if self.id == id {
            return Some(self);
        }
        self.children().into_iter().find_map(|child| child.find(id))
    }

    /// The dotted name that this is, if it is one: `a.b.c`.
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

    /// The nodes right below.
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

    /// Calls `visit` with this node and every node below.
    pub fn visit<'e>(&'e self, visit: &mut impl FnMut(&'e Self)) {
        visit(self);
        for child in self.children() {
            child.visit(visit);
        }
    }
}
