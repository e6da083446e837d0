//! Factory for syntax tree nodes, which assigns their ids.

use super::ast::{Comprehension, Element, Entry, Expr, ExprKind, Literal, Span};

#[derive(Debug, Default)]
pub(super) struct Nodes {
    count: usize,
    /// True if a macro was not expanded because the result would be too large.
    gave_up: bool,
}

/// Number of nodes beyond which [`Nodes::copy`] copies nothing.
const MAX_NODES: usize = 50_000;

impl Nodes {
    /// Returns the number of assigned ids.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Returns whether every macro was expanded.
    pub(super) fn complete(&self) -> bool {
        !self.gave_up
    }

    pub(super) fn node(&mut self, kind: ExprKind, span: Span, height: usize) -> Expr {
        let id = self.count;
        self.count += 1;
        Expr {
            id,
            span,
            kind,
            height,
        }
    }

    fn above(&mut self, kind: ExprKind, span: Span) -> Expr {
        let mut node = self.node(kind, span, 1);
        node.height = 1 + node
            .children()
            .iter()
            .map(|child| child.height)
            .max()
            .unwrap_or(0);
        node
    }

    pub(super) fn literal(&mut self, literal: Literal, span: Span) -> Expr {
        self.node(ExprKind::Literal(literal), span, 1)
    }

    pub(super) fn ident(&mut self, name: &str, span: Span) -> Expr {
        self.node(ExprKind::Ident(name.to_owned()), span, 1)
    }

    /// Makes a call of an operator or of a function without a receiver.
    pub(super) fn operator(&mut self, function: &str, args: Vec<Expr>, span: Span) -> Expr {
        self.call(function, span.clone(), None, args, span)
    }

    pub(super) fn call(
        &mut self,
        function: &str,
        name_span: Span,
        target: Option<Expr>,
        args: Vec<Expr>,
        span: Span,
    ) -> Expr {
        let function = function.to_owned();
        let target = target.map(Box::new);
        self.above(
            ExprKind::Call {
                function,
                name_span,
                target,
                args,
            },
            span,
        )
    }

    pub(super) fn list(&mut self, elements: Vec<Element>, span: Span) -> Expr {
        self.above(ExprKind::List(elements), span)
    }

    pub(super) fn map(&mut self, entries: Vec<Entry>, span: Span) -> Expr {
        self.above(ExprKind::Map(entries), span)
    }

    pub(super) fn comprehension(&mut self, fold: Comprehension, span: Span) -> Expr {
        self.above(ExprKind::Comprehension(Box::new(fold)), span)
    }

    /// Copies an expression with new ids. Each call in a chain of `optMap` copies all calls before
    /// it, which doubles the nodes. Beyond [`MAX_NODES`], the copy is therefore a null literal, and
    /// [`Self::complete`] returns false.
    pub(super) fn copy(&mut self, original: &Expr) -> Expr {
        if self.count > MAX_NODES {
            self.gave_up = true;
            return self.literal(Literal::Null, original.span.clone());
        }
        let mut copy = original.clone();
        self.renumber(&mut copy);
        copy
    }

    /// Gives new ids to a node and all nodes below it.
    fn renumber(&mut self, node: &mut Expr) {
        node.id = self.count;
        self.count += 1;
        match &mut node.kind {
            ExprKind::Literal(_) | ExprKind::Ident(_) => {}
            ExprKind::Select(select) => self.renumber(&mut select.operand),
            ExprKind::Call { target, args, .. } => {
                let nodes = target.as_deref_mut().into_iter().chain(args);
                nodes.for_each(|node| self.renumber(node));
            }
            ExprKind::List(elements) => elements
                .iter_mut()
                .for_each(|element| self.renumber(&mut element.value)),
            ExprKind::Map(entries) => {
                for entry in entries {
                    self.renumber(&mut entry.key);
                    self.renumber(&mut entry.value);
                }
            }
            ExprKind::Struct { fields, .. } => fields
                .iter_mut()
                .for_each(|(_, value)| self.renumber(value)),
            ExprKind::Comprehension(fold) => {
                for part in [
                    &mut fold.range,
                    &mut fold.start,
                    &mut fold.condition,
                    &mut fold.step,
                    &mut fold.result,
                ] {
                    self.renumber(part);
                }
            }
        }
    }
}
