//! Cost estimator state and [`Estimate`], its result (k8s.io/apiserver/pkg/cel/library, cost.go,
//! and cel-go/checker, cost.go).

use std::collections::BTreeMap;

use super::size::{Entries, SchemaMap, Site, Size};
use crate::ast::{Expr, ExprKind, Literal, Span};
use crate::declare::{Declared, SizeBound};
use crate::infer::Inferred;
use crate::types::Type;

/// Result of a cost estimate.
#[derive(Debug, Default)]
pub struct Estimate {
    /// Maximum cost of one evaluation.
    pub cost: u64,
    /// Size bounds that the cost depends on, by path of the value.
    pub sizes: BTreeMap<String, SizeBound>,
    /// Values that a loop iterates over or a function reads more than once, by path.
    pub heavy: BTreeMap<String, Use>,
    /// The first value that the rule creates and whose size has no maximum.
    pub unbounded: Option<Span>,
}

/// The first loop over a value of [`Estimate::heavy`], or the first function that reads the value
/// more than once, whichever comes first.
#[derive(Clone, Debug)]
pub struct Use {
    /// Bound of the value's size.
    pub bound: SizeBound,
    /// The function that reads the value; `None` for a loop.
    pub function: Option<String>,
}

/// Variable of an enclosing comprehension, with the data about its value.
pub(super) struct Local<'d> {
    pub(super) name: String,
    /// Schema location of the value.
    pub(super) site: Site<'d>,
    /// Size of the value, if it does not follow from the schema.
    pub(super) size: Option<Size>,
    /// Sizes of the keys and values, if the value is a list or map that the rule creates.
    pub(super) entries: Option<Entries>,
}

/// Walk over the nodes of an expression that adds up the cost and computes the size of each value.
pub(super) struct CostEstimator<'d> {
    pub(super) map: SchemaMap<'d>,
    pub(super) inferred: &'d Inferred,
    /// Schema location of each node's value. `sites`, `sizes` and `entries` are indexed by node id.
    pub(super) sites: Vec<Site<'d>>,
    pub(super) sizes: Vec<Option<Size>>,
    pub(super) entries: Vec<Option<Entries>>,
    /// Variables in scope, innermost last.
    pub(super) locals: Vec<Local<'d>>,
    /// Path of a value, and a maximum size to assume for it in place of a larger declared one. The
    /// caller estimates twice, with and without it, to find the value's share of the cost.
    pub(super) small: Option<(&'d str, u64)>,
    pub(super) out: Estimate,
}

impl<'d> CostEstimator<'d> {
    /// Returns the innermost variable of this name.
    pub(super) fn local(&self, name: &str) -> Option<&Local<'d>> {
        self.locals.iter().rev().find(|local| local.name == name)
    }

    pub(super) fn type_of(&self, node: &Expr) -> &'d Type {
        &self.inferred.types[node.id]
    }

    /// Returns the schema location of a node's value.
    pub(super) fn site(&self, node: &Expr) -> Site<'d> {
        if let ExprKind::Ident(name) = &node.kind
            && let Some(local) = self.local(name)
        {
            return local.site;
        }
        self.sites[node.id]
    }

    /// Returns the size of a node's value, or `None` if it has no known maximum. A size that was
    /// computed for the node comes first, then that of a literal, then the maximum of the schema.
    pub(super) fn size(&mut self, node: &Expr) -> Option<Size> {
        if let Some(size) = self.sizes[node.id].or_else(|| literal_size(node)) {
            return Some(size);
        }
        if let Site::At(declared) = self.site(node) {
            let size = Size::up_to(self.declared_size(declared));
            self.sizes[node.id] = Some(size);
            return Some(size);
        }
        if is_scalar(self.type_of(node)) {
            return Some(Size::exactly(1));
        }
        match &node.kind {
            ExprKind::Ident(name) => self.local(name)?.size,
            _ => None,
        }
    }

    pub(super) fn size_or_unknown(&mut self, node: &Expr) -> Size {
        self.size(node)
            .unwrap_or_else(|| self.record_unbounded(node))
    }

    /// Returns the size of a value without a maximum, and records the value.
    pub(super) fn record_unbounded(&mut self, node: &Expr) -> Size {
        self.out.unbounded.get_or_insert_with(|| node.span.clone());
        Size::UNKNOWN
    }

    /// Returns the maximum size of a declared value, and records the keyword that bounds it.
    pub(super) fn declared_size(&mut self, declared: &Declared) -> u64 {
        if let Some(bound) = declared.bound {
            self.out.sizes.insert(declared.path.clone(), bound);
        }
        match self.small {
            Some((path, size)) if path == declared.path => declared.max.min(size),
            _ => declared.max,
        }
    }

    /// Records that a loop iterates over a value, or that a function reads it more than once.
    pub(super) fn record_heavy(&mut self, node: &Expr, function: Option<&str>) {
        if let Site::At(Declared {
            bound: Some(bound),
            path,
            ..
        }) = self.site(node)
        {
            let function = function.map(str::to_owned);
            self.out.heavy.entry(path.clone()).or_insert(Use {
                bound: *bound,
                function,
            });
        }
    }

    pub(super) fn entries_of(&self, node: &Expr) -> Option<Entries> {
        self.entries[node.id].or_else(|| match &node.kind {
            ExprKind::Ident(name) => self.local(name)?.entries,
            _ => None,
        })
    }

    /// Copies the sizes of node `from` to node `to`, whose value is the same.
    pub(super) fn copy_sizes(&mut self, to: &Expr, from: &Expr) {
        let (size, entries) = (self.size(from), self.entries_of(from));
        self.sizes[to.id] = size.or(self.sizes[to.id]);
        self.entries[to.id] = entries.or(self.entries[to.id]);
    }
}

fn literal_size(node: &Expr) -> Option<Size> {
    let size = match &node.kind {
        ExprKind::Literal(Literal::Text(text)) => text.chars().count(),
        ExprKind::Literal(Literal::Bytes(bytes)) => bytes.len(),
        ExprKind::Literal(_) => 1,
        ExprKind::List(elements) => elements.len(),
        ExprKind::Map(entries) => entries.len(),
        _ => return None,
    };
    Some(Size::exactly(size as u64))
}

fn is_scalar(type_: &Type) -> bool {
    match type_ {
        Type::Bool | Type::Double | Type::Duration | Type::Int | Type::Timestamp | Type::Uint => {
            true
        }
        Type::Optional(value) => is_scalar(value),
        _ => false,
    }
}
