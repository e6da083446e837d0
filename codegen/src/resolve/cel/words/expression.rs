//! Expressions and operators in short, as messages name them.

use genclient_schema::cel::ast::{Expr, ExprKind};

/// An operator as it is written.
pub(super) fn symbol(function: &str) -> Option<&str> {
    match function {
        "@in" => Some("in"),
        "_[_]" | "_[?_]" => Some("[]"),
        "_?_:_" => Some("?:"),
        "!_" => Some("!"),
        "-_" => Some("-"),
        _ => function.strip_prefix('_')?.strip_suffix('_'),
    }
}

/// An expression in short: its dotted name, or what it is.
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
        ExprKind::Call { function, .. } if symbol(function).is_none() => format!("{function}(…)"),
        ExprKind::Select(select) => format!("{}.{}", shown(&select.operand), select.field),
        ExprKind::Ident(name) => name.clone(),
        ExprKind::List(_) => "[…]".to_owned(),
        ExprKind::Map(_) => "{…}".to_owned(),
        _ => "(…)".to_owned(),
    }
}
