//! Help for calls without a matching overload.

use std::sync::Arc;

use genclient_schema::cel::ast::{Expr, ExprKind, Literal};
use genclient_schema::cel::{Overload, Type};

use super::expression::{shown, symbol};

/// What to write instead of a call whose arguments are of `types`, the target's first.
pub(super) fn help(
    function: &str,
    overloads: &[Arc<Overload>],
    target: Option<&Expr>,
    args: &[Expr],
    types: &[Type],
) -> String {
    if types.iter().any(|type_| matches!(type_, Type::Optional(_))) {
        return "take the value out of the optional: `.orValue(…)`".to_owned();
    }
    if let (Some(_), [left, right]) = (symbol(function), args) {
        return operands_help(function, (left, &types[0]), (right, &types[1]));
    }
    if symbol(function).is_some() {
        return "both sides need one type".to_owned();
    }
    if let ("contains", Some(list), Some(Type::List(_))) = (function, target, types.first()) {
        return format!("write `… in {}`", shown(list));
    }
    let fitting = overloads
        .iter()
        .filter(|overload| overload.method == target.is_some());
    let mut shown: Vec<_> = fitting
        .map(|overload| declaration(function, overload))
        .collect();
    if shown.is_empty() {
        shown = overloads
            .iter()
            .map(|overload| declaration(function, overload))
            .collect();
    }
    let more = shown.len() > 4;
    shown.truncate(4);
    format!(
        "there is {}{}",
        shown.join(", "),
        if more { ", …" } else { "" }
    )
}

fn operands_help(function: &str, left: (&Expr, &Type), right: (&Expr, &Type)) -> String {
    for ((literal, type_), (_, other)) in [(left, right), (right, left)] {
        match (&literal.kind, type_, other) {
            (ExprKind::Literal(Literal::Text(text)), _, Type::Int | Type::Double)
                if text.parse::<f64>().is_ok() =>
            {
                return format!("write {text} without quotes");
            }
            (ExprKind::Literal(Literal::Int(number)), _, Type::Text) => {
                return format!("write '{number}' in quotes, or convert the string: `int(…)`");
            }
            (
                ExprKind::Literal(Literal::Text(text)),
                _,
                Type::Duration
                | Type::Timestamp
                | Type::Named("Quantity" | "Semver" | "IP" | "CIDR" | "URL"),
            ) => {
                let convert = other.to_string().to_lowercase();
                return format!("write `{convert}('{text}')`");
            }
            (ExprKind::Literal(Literal::Int(number)), _, Type::Double)
                if !number.to_string().contains('.') =>
            {
                return format!("write {number}.0");
            }
            (ExprKind::Literal(Literal::Null), ..) => {
                return "ask whether it is there: `has(…)`".to_owned();
            }
            _ => {}
        }
    }
    match (left.1, right.1) {
        (Type::List(_), other) | (other, Type::List(_))
            if function != "@in" && !matches!(other, Type::List(_)) =>
        {
            "compare its size: `.size()`, or its items: `.all(…)`".to_owned()
        }
        (Type::Object(_), Type::Object(_)) => {
            "objects of two different fields never compare; compare their fields".to_owned()
        }
        _ if function == "@in" => {
            "the right side is a list of such values, or a map with such keys".to_owned()
        }
        _ => "convert one side: `string(…)`, `int(…)`, `double(…)`".to_owned(),
    }
}

fn declaration(function: &str, overload: &Overload) -> String {
    match overload.args.split_first() {
        Some((receiver, rest)) if overload.method => {
            format!("`{receiver}.{function}({})`", list(rest))
        }
        _ => format!("`{function}({})`", list(&overload.args)),
    }
}

pub(super) fn list(types: &[Type]) -> String {
    types
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(", ")
}
