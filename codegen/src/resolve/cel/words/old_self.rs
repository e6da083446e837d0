//! Help for rules with `optional_old_self` that use `oldSelf` as if every object had an old value.

use std::collections::BTreeSet;

use genclient_cel::Type;
use genclient_cel::ast::{Expr, ExprKind, Span};
use genclient_cel::error::TypeErrorKind;

use super::expression::{Words, source};

/// Methods of an optional. A call on `oldSelf` itself needs no change.
const METHODS: [&str; 4] = ["hasValue", "value", "or", "orValue"];

/// Returns whether the error may be caused by an optional in place of its value.
pub(super) fn takes_optional(error: &TypeErrorKind) -> bool {
    let is_optional = |type_: &Type| matches!(type_, Type::Optional(_));
    match error {
        TypeErrorKind::NoMatchingOverload { types, .. } => types.iter().any(is_optional),
        TypeErrorKind::NotBoolean { type_, .. } | TypeErrorKind::NotIterable { type_, .. } => {
            is_optional(type_)
        }
        _ => false,
    }
}

impl Words<'_> {
    /// Help for an error at `span` in a condition that uses the optional `oldSelf` as a value: the
    /// condition with `oldSelf.value()`, and a guard that accepts objects without an old value.
    /// Help that suggests `orValue` would lead to a rule that refuses every new object.
    ///
    /// Returns `None` for a message expression, or if the condition does not use `oldSelf` so.
    pub(super) fn guarded_old_self(&self, span: &Span) -> Option<String> {
        if !self.is_rule || !matches!(self.environment.old_self, Type::Optional(_)) {
            return None;
        }
        let condition = condition_at(self.root, span);
        let mut uses = BTreeSet::new();
        let mut is_guarded = false;
        self.root
            .visit(&mut |node| is_guarded |= tests_presence(node));
        bare_uses(condition, &mut uses);
        let mut written = source(condition, self.text)?.to_owned();
        for end in uses.iter().rev() {
            written.insert_str(end - condition.span.start, ".value()");
        }
        if uses.is_empty() {
            return None;
        }
        Some(if is_guarded {
            format!("write `{written}`")
        } else if condition.id == self.root.id {
            format!("write `!oldSelf.hasValue() || {written}`")
        } else {
            format!("write `(!oldSelf.hasValue() || {written})`")
        })
    }
}

/// Returns the operand at `span` of the `&&`, `||` and `?:` that combine the conditions of a rule.
fn condition_at<'e>(node: &'e Expr, span: &Span) -> &'e Expr {
    let parts = match &node.kind {
        ExprKind::Call { function, args, .. } => match (function.as_str(), args.as_slice()) {
            ("_&&_" | "_||_", args) => args,
            ("_?_:_", [_, branches @ ..]) => branches,
            _ => &[],
        },
        _ => &[],
    };
    let inside = |part: &&Expr| part.span.start <= span.start && span.end <= part.span.end;
    match parts.iter().find(inside) {
        Some(part) => condition_at(part, span),
        None => node,
    }
}

fn is_old_self(node: &Expr) -> bool {
    matches!(&node.kind, ExprKind::Ident(name) if name == "oldSelf")
}

fn tests_presence(node: &Expr) -> bool {
    matches!(&node.kind, ExprKind::Call { function, target: Some(target), .. }
        if function == "hasValue" && is_old_self(target))
}

/// Collects the ends of every `oldSelf` that is not the receiver of an optional's method and not
/// the operand of `.?`.
fn bare_uses(node: &Expr, ends: &mut BTreeSet<usize>) {
    if is_old_self(node) {
        ends.insert(node.span.end);
    }
    let receiver = match &node.kind {
        ExprKind::Call {
            function,
            target: Some(target),
            ..
        } if METHODS.contains(&function.as_str()) => Some(&**target),
        ExprKind::Call { function, args, .. } if matches!(function.as_str(), "_?._" | "_[?_]") => {
            args.first()
        }
        _ => None,
    };
    for child in node.children() {
        let is_receiver = receiver.is_some_and(|receiver| receiver.id == child.id);
        if !(is_receiver && is_old_self(child)) {
            bare_uses(child, ends);
        }
    }
}
