//! Short forms of expressions and operators for messages.

use genclient_cel::ast::{Expr, ExprKind, Literal};
use genclient_cel::{Environment, Type};

use crate::resolve::cel::FieldOrigin;

/// Wording of the errors of an expression, which was checked in `environment`.
pub(in crate::resolve::cel) struct Words<'w> {
    pub(in crate::resolve::cel) root: &'w Expr,
    /// The text of the expression.
    pub(in crate::resolve::cel) text: &'w str,
    /// Types, by node id.
    pub(in crate::resolve::cel) types: &'w [Type],
    pub(in crate::resolve::cel) environment: &'w Environment<'w>,
    /// The declaration of `self`.
    pub(in crate::resolve::cel) origin: FieldOrigin,
    /// True for a rule, false for a message expression.
    pub(in crate::resolve::cel) is_rule: bool,
}

impl Words<'_> {
    pub(super) fn node(&self, id: usize) -> &Expr {
        self.root.find(id).unwrap_or(self.root)
    }

    pub(super) fn shown(&self, id: usize) -> String {
        shown(self.node(id))
    }
}

/// Returns the part of `text` that an expression was parsed from. Returns `None` if it has
/// unbalanced brackets, since a node's span lacks the brackets around its first operand.
pub(in crate::resolve::cel) fn source<'t>(expression: &Expr, text: &'t str) -> Option<&'t str> {
    let source = text.get(expression.span.clone())?;
    let count = |brackets: [char; 2]| brackets.map(|bracket| source.matches(bracket).count());
    let is_balanced = |brackets| {
        let [open, closed] = count(brackets);
        open == closed
    };
    (is_balanced(['(', ')']) && is_balanced(['[', ']'])).then_some(source)
}

/// Returns the symbol of an operator by its name in CEL: `+` for `_+_`.
pub(in crate::resolve::cel) fn symbol(function: &str) -> Option<&str> {
    match function {
        "@in" => Some("in"),
        "_[_]" | "_[?_]" => Some("[]"),
        "_?_:_" => Some("?:"),
        "!_" => Some("!"),
        "-_" => Some("-"),
        _ => function.strip_prefix('_')?.strip_suffix('_'),
    }
}

/// Returns the short form of an expression: its dotted name, or an outline such as `self.a.map(…)`.
pub(in crate::resolve::cel) fn shown(expression: &Expr) -> String {
    match &expression.kind {
        ExprKind::Call {
            target: Some(target),
            function,
            ..
        } => format!("{}.{function}(…)", shown(target)),
        ExprKind::Call { function, args, .. } if function == "_[_]" && args.len() == 2 => {
            format!("{}[…]", shown(&args[0]))
        }
        ExprKind::Call { function, .. } if function == "_?._" => {
            path(expression, ".?").unwrap_or_else(|| "(…)".to_owned())
        }
        ExprKind::Call { function, .. } if symbol(function).is_none() => format!("{function}(…)"),
        ExprKind::Select(select) => format!("{}.{}", shown(&select.operand), select.field),
        ExprKind::Ident(name) => name.clone(),
        ExprKind::List(_) => "[…]".to_owned(),
        ExprKind::Map(_) => "{…}".to_owned(),
        _ => "(…)".to_owned(),
    }
}

/// Returns a path such as `self.?a.b` as text, with `optional` in place of each `.?`.
pub(super) fn path(expression: &Expr, optional: &str) -> Option<String> {
    match &expression.kind {
        ExprKind::Ident(name) => Some(name.clone()),
        ExprKind::Select(select) if !select.test => Some(format!(
            "{}.{}",
            path(&select.operand, optional)?,
            select.field
        )),
        ExprKind::Call { function, args, .. } if function == "_?._" => {
            let [operand, name] = args.as_slice() else {
                return None;
            };
            let ExprKind::Literal(Literal::Text(field)) = &name.kind else {
                return None;
            };
            Some(format!("{}{optional}{field}", path(operand, optional)?))
        }
        _ => None,
    }
}
