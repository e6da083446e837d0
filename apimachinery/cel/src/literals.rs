//! Validation of string literals that are arguments of conversions or of `matches`.

use genclient_apimachinery::go;
use genclient_apimachinery::go::time::{self, Layout};

use super::ast::{Expr, ExprKind, Literal};
use super::error::{Conversion, TypeError, TypeErrorKind};
use crate::re2::Pattern;

/// Returns errors for string literals that the called function rejects: invalid durations,
/// timestamps, numbers, booleans and patterns.
pub fn check_literals(expression: &Expr) -> Vec<TypeError> {
    let mut errors = Vec::new();
    expression.visit(&mut |node| {
        let ExprKind::Call {
            function,
            target,
            args,
            ..
        } = &node.kind
        else {
            return;
        };
        let Some(Expr {
            kind: ExprKind::Literal(literal),
            span,
            ..
        }) = args.first()
        else {
            return;
        };
        let error = check_literal(function, target.is_some(), literal);
        errors.extend(error.map(|error| TypeError::new(span.clone(), error)));
    });
    errors
}

/// Returns the error if a function does not accept a string literal.
fn check_literal(function: &str, method: bool, literal: &Literal) -> Option<TypeErrorKind> {
    let Literal::Text(text) = literal else {
        return None;
    };
    let (fits, conversion) = match (function, method) {
        ("duration", false) => (go::duration(text).is_ok(), Conversion::Duration),
        ("timestamp", false) => (
            time::parse(text, Layout::Rfc3339).is_ok(),
            Conversion::Timestamp,
        ),
        ("int", false) => (text.parse::<i64>().is_ok(), Conversion::Int),
        ("uint", false) => (go::parse_uint(text).is_ok(), Conversion::Uint),
        ("double", false) => (text.parse::<f64>().is_ok(), Conversion::Double),
        ("bool", false) => (is_bool(text), Conversion::Bool),
        ("matches", true) => {
            let error = Pattern::parse(text).err()?;
            return Some(TypeErrorKind::InvalidPattern(error));
        }
        _ => return None,
    };
    (!fits).then(|| TypeErrorKind::InvalidLiteral {
        conversion,
        text: text.clone(),
    })
}

fn is_bool(text: &str) -> bool {
    matches!(
        text,
        "1" | "t" | "T" | "true" | "TRUE" | "True" | "0" | "f" | "F" | "false" | "FALSE" | "False"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_and_timestamps_are_recognized() {
        let fits = |function, text: &str| {
            check_literal(function, false, &Literal::Text(text.into())).is_none()
        };
        for (text, duration) in [
            ("1h30m", true),
            ("-1.5s", true),
            ("0", true),
            ("", false),
            ("1", false),
            ("1d", false),
            ("h", false),
        ] {
            assert_eq!(fits("duration", text), duration, "{text}");
        }
        for (text, timestamp) in [
            ("2026-01-31T12:00:00Z", true),
            ("2026-01-31T12:00:00.5+02:00", true),
            ("2026-01-31", false),
            ("2026-13-31T12:00:00Z", false),
            ("2026-02-30T12:00:00Z", false),
            ("2026-01-31T12:00:00", false),
        ] {
            assert_eq!(fits("timestamp", text), timestamp, "{text}");
        }
    }
}
