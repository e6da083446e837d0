//! Validation of string literals that are arguments of conversions or of `matches`.

use super::ast::{Expr, ExprKind, Literal};
use super::error::{Conversion, TypeError, TypeErrorKind};
use crate::re2::Pattern;

/// Returns errors for string literals that the called function rejects: invalid durations,
/// timestamps, numbers, booleans and patterns.
pub fn check(expression: &Expr) -> Vec<TypeError> {
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
        let error = wrong(function, target.is_some(), literal);
        errors.extend(error.map(|error| TypeError::new(span.clone(), error)));
    });
    errors
}

fn wrong(function: &str, method: bool, literal: &Literal) -> Option<TypeErrorKind> {
    let Literal::Text(text) = literal else {
        return None;
    };
    let (fits, conversion) = match (function, method) {
        ("duration", false) => (is_duration(text), Conversion::Duration),
        ("timestamp", false) => (is_timestamp(text), Conversion::Timestamp),
        ("int", false) => (text.parse::<i64>().is_ok(), Conversion::Int),
        ("uint", false) => (text.parse::<u64>().is_ok(), Conversion::Uint),
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

/// Returns whether the text is a duration such as `1h30m`, `-1.5s` or `0`.
fn is_duration(text: &str) -> bool {
    let mut rest = text.strip_prefix(['-', '+']).unwrap_or(text);
    if rest == "0" {
        return true;
    }
    let mut any = false;
    while !rest.is_empty() {
        let unit = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        let number = &rest[..rest.len() - unit.len()];
        if number.parse::<f64>().is_err() {
            return false;
        }
        let Some(after) = ["ns", "us", "µs", "μs", "ms", "h", "m", "s"]
            .iter()
            .find_map(|name| unit.strip_prefix(name))
        else {
            return false;
        };
        (rest, any) = (after, true);
    }
    any
}

/// Returns whether the text looks like an RFC 3339 timestamp.
fn is_timestamp(text: &str) -> bool {
    let shape: String = text
        .chars()
        .take(19)
        .map(|c| if c.is_ascii_digit() { '0' } else { c })
        .collect();
    let number = |range| {
        text.get(range)
            .and_then(|digits: &str| digits.parse::<u32>().ok())
    };
    let in_range = number(5..7).is_some_and(|month| (1..=12).contains(&month))
        && number(8..10).is_some_and(|day| (1..=31).contains(&day))
        && number(11..13).is_some_and(|hour| hour < 24)
        && number(14..16).is_some_and(|minute| minute < 60)
        && number(17..19).is_some_and(|second| second < 60);
    let zone = text.get(19..).unwrap_or_default();
    let zone = match zone.strip_prefix(['.', ',']) {
        Some(fraction) => fraction.trim_start_matches(|c: char| c.is_ascii_digit()),
        None => zone,
    };
    let offset: String = zone
        .chars()
        .map(|c| if c.is_ascii_digit() { '0' } else { c })
        .collect();
    shape == "0000-00-00T00:00:00"
        && in_range
        && matches!(offset.as_str(), "Z" | "+00:00" | "-00:00")
}

#[cfg(test)]
mod tests {
    use super::{is_duration, is_timestamp};

    #[test]
    fn durations_and_timestamps_are_recognized() {
        for (text, duration) in [
            ("1h30m", true),
            ("-1.5s", true),
            ("0", true),
            ("", false),
            ("1", false),
            ("1d", false),
            ("h", false),
        ] {
            assert_eq!(is_duration(text), duration, "{text}");
        }
        for (text, timestamp) in [
            ("2026-01-31T12:00:00Z", true),
            ("2026-01-31T12:00:00.5+02:00", true),
            ("2026-01-31", false),
            ("2026-13-31T12:00:00Z", false),
            ("2026-01-31T12:00:00", false),
        ] {
            assert_eq!(is_timestamp(text), timestamp, "{text}");
        }
    }
}
