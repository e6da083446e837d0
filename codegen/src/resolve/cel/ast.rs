//! A CEL expression as the type checker sees it: macros are expanded, and every node knows its place in the text.

use std::ops::Range;

/// Bytes of the rule's text.
pub(super) type Span = Range<usize>;

/// One node.
#[derive(Clone, Debug)]
pub(super) struct Expr {
    /// Counted up from zero, so that what is found out about a node can be kept in a list.
    pub(super) id: usize,
    pub(super) span: Span,
    pub(super) kind: ExprKind,
    /// How many nodes there are to the deepest leaf.
    pub(super) height: usize,
}

#[derive(Clone, Debug)]
pub(super) enum ExprKind {
    Literal(Literal),
    Ident(String),
    Select(Select),
    /// `f(a)` or, with a target, `t.f(a)`; operators have names such as `_+_`.
    Call {
        function: String,
        name_span: Span,
        target: Option<Box<Expr>>,
        args: Vec<Expr>,
    },
    List(Vec<Element>),
    Map(Vec<Entry>),
    /// `Type{field: value}`
    Struct {
        name: String,
        fields: Vec<(String, Expr)>,
    },
    Comprehension(Box<Comprehension>),
}

/// `operand.field`, or `has(operand.field)` if it only tests.
#[derive(Clone, Debug)]
pub(super) struct Select {
    pub(super) operand: Box<Expr>,
    pub(super) field: String,
    pub(super) field_span: Span,
    pub(super) test: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Literal {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Double(f64),
    Text(String),
    Bytes(Vec<u8>),
}

/// An item of a list literal; `?` leaves it out if it is none.
#[derive(Clone, Debug)]
pub(super) struct Element {
    pub(super) value: Expr,
    pub(super) optional: bool,
}

/// An entry of a map literal.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) key: Expr,
    pub(super) value: Expr,
    pub(super) optional: bool,
}

/// A loop that folds a list or map into one value: what every macro such as `all` stands for.
#[derive(Clone, Debug)]
pub(super) struct Comprehension {
    pub(super) range: Expr,
    pub(super) variable: String,
    pub(super) second_variable: Option<String>,
    pub(super) accumulator: String,
    pub(super) start: Expr,
    pub(super) condition: Expr,
    pub(super) step: Expr,
    pub(super) result: Expr,
}

impl Expr {
    /// The dotted name that this is, if it is one: `a.b.c`.
    pub(super) fn qualified_name(&self) -> Option<String> {
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
    pub(super) fn children(&self) -> Vec<&Self> {
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
    pub(super) fn visit<'e>(&'e self, visit: &mut impl FnMut(&'e Self)) {
        visit(self);
        for child in self.children() {
            child.visit(visit);
        }
    }
}
