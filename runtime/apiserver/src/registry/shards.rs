//! Parser of shard selectors (k8s.io/apiserver/pkg/sharding, parser.go). They have the syntax of
//! CEL, but are not evaluated.

use std::ops::RangeInclusive;

use genclient_apimachinery::go::quoted;
use genclient_apimachinery::sharding::{ShardField, ShardSelector};
use genclient_cel::ast::{Expr, ExprKind, Literal, Span};

const EMPTY: &str = "empty shard selector is not allowed; omit the parameter for unfiltered lists";

/// Parses the value of `shardSelector`.
pub(super) fn parse(parameter: &str) -> Result<ShardSelector, String> {
    let text = parameter.trim();
    if text.is_empty() {
        return Err(EMPTY.to_owned());
    }
    let parsed = genclient_cel::parse_without_macros(text)
        .map_err(|error| format!("CEL parse error: {}", error.kind))?;
    if let Some(syntax) = optional_syntax(&parsed.expression) {
        return Err(format!("CEL parse error: unsupported syntax '{syntax}'"));
    }
    let mut calls = Vec::new();
    collect_ranges(text, &parsed.expression, &mut calls)?;
    let (fields, ranges): (Vec<_>, Vec<_>) = calls.into_iter().unzip();
    if let Some(other) = fields.iter().find(|field| **field != fields[0]) {
        return Err(format!(
            "all shard ranges must use the same field, got {} and {}",
            quoted(fields[0].path()),
            quoted(other.path())
        ));
    }
    let field = fields.first().copied();
    field
        .and_then(|field| ShardSelector::new(field, ranges))
        .ok_or_else(|| EMPTY.to_owned())
}

/// Returns the first syntax that cel-go's parser accepts only with `EnableOptionalSyntax`.
fn optional_syntax(expression: &Expr) -> Option<&'static str> {
    let mut first = None;
    expression.visit(&mut |node| {
        let syntax = match &node.kind {
            ExprKind::Call { function, .. } if function == "_?._" => ".?",
            ExprKind::Call { function, .. } if function == "_[?_]" => "[?",
            ExprKind::List(elements) if elements.iter().any(|it| it.optional) => "?",
            ExprKind::Map(entries) if entries.iter().any(|it| it.optional) => "?",
            _ => return,
        };
        first.get_or_insert(syntax);
    });
    first
}

/// Adds the ranges of an expression, each with its field (`walkExpr`).
fn collect_ranges(
    text: &str,
    expression: &Expr,
    ranges: &mut Vec<(ShardField, RangeInclusive<u64>)>,
) -> Result<(), String> {
    let ExprKind::Call {
        function,
        name_span,
        target,
        args,
    } = &expression.kind
    else {
        return Err(format!(
            "unexpected expression kind {}; expected shardRange() call or || operator",
            kind_number(&expression.kind)
        ));
    };
    let name = match target {
        // kube-apiserver ignores the target of a method call.
        Some(_) => function.clone(),
        None => rooted_name(text, function, name_span),
    };
    match &*name {
        "_||_" => args
            .iter()
            .try_for_each(|operand| collect_ranges(text, operand, ranges)),
        "shardRange" => {
            ranges.push(parse_call(text, args)?);
            Ok(())
        }
        _ => Err(format!(
            "unsupported function {}; only shardRange() and || are allowed",
            quoted(&name)
        )),
    }
}

/// Parses the arguments of `shardRange(field, start, end)`.
fn parse_call(text: &str, args: &[Expr]) -> Result<(ShardField, RangeInclusive<u64>), String> {
    let [field, start, end] = args else {
        return Err(format!(
            "shardRange() requires exactly 3 arguments, got {}",
            args.len()
        ));
    };
    let path =
        field_path(text, field).map_err(|error| format!("shardRange() first argument: {error}"))?;
    let field = ShardField::from_path(&path).ok_or_else(|| {
        format!(
            "unsupported field path {}; supported: {}, {}",
            quoted(&path),
            ShardField::Uid.path(),
            ShardField::Namespace.path()
        )
    })?;
    let start = parse_bound(start, "hexStart")?;
    let end = parse_bound(end, "hexEnd")?;
    // Both fit: a bound is at most 2^64, the start is lower than the end, and the end is exclusive.
    match (u64::try_from(start), u64::try_from(end.wrapping_sub(1))) {
        (Ok(first), Ok(last)) if first <= last => Ok((field, first..=last)),
        _ => Err(format!(
            "shard range start {start:#018x} must be less than end {end:#018x}"
        )),
    }
}

/// Returns the path of a chain of fields (`extractFieldPath`).
fn field_path(text: &str, expression: &Expr) -> Result<String, String> {
    match &expression.kind {
        ExprKind::Ident(name) => Ok(rooted_name(text, name, &expression.span)),
        ExprKind::Select(select) => {
            let operand = field_path(text, &select.operand)?;
            Ok(format!("{operand}.{}", select.field))
        }
        kind => Err(format!(
            "expected field path (e.g. object.metadata.uid), got expression kind {}",
            kind_number(kind)
        )),
    }
}

/// Returns a name with the dot before it, which cel-go keeps.
fn rooted_name(text: &str, name: &str, span: &Span) -> String {
    // The span of an operator is that of its operands.
    let is_name = text.get(span.clone()) == Some(name);
    if is_name && text[..span.start].trim_end().ends_with('.') {
        format!(".{name}")
    } else {
        name.to_owned()
    }
}

/// Parses a bound of a range (`extractHexLiteral`).
fn parse_bound(argument: &Expr, name: &str) -> Result<u128, String> {
    let text = match &argument.kind {
        ExprKind::Literal(Literal::Text(text)) => text,
        ExprKind::Literal(literal) => {
            let type_ = go_type(literal);
            return Err(format!("{name} must be a string literal, got {type_}"));
        }
        kind => {
            return Err(format!(
                "{name} must be a string literal (e.g. '0xff'), got expression kind {}",
                kind_number(kind)
            ));
        }
    };
    let whole = quoted(text);
    let Some(digits) = text.strip_prefix("0x") else {
        return Err(format!("{name} must have '0x' prefix, got {whole}"));
    };
    let is_digit = |c: char| matches!(c, '0'..='9' | 'a'..='f');
    let count = digits.len();
    let error = if count == 0 {
        "hex value is required after '0x'".to_owned()
    } else if count > 17 {
        let value = quoted(digits);
        format!("hex value too long ({count} chars, max 17): {value}")
    } else if let Some(other) = digits.chars().find(|c| !is_digit(*c)) {
        let character = quoted(other.encode_utf8(&mut [0; 4]));
        format!("invalid hex character {character} in {whole}")
    } else if count == 17 && digits != "10000000000000000" {
        format!("17-digit hex value must be '0x10000000000000000' (2^64), got {whole}")
    } else if count < 16 {
        let suggestion = quoted(&format!("0x{digits:0>16}"));
        return Err(format!(
            "{name} must be a 0x-prefixed 16-digit hex value, got {whole} (did you mean \
             {suggestion}?)"
        ));
    } else {
        return u128::from_str_radix(digits, 16).map_err(|error| error.to_string());
    };
    Err(format!("{name}: {error}"))
}

/// Returns the number of an `ExprKind` of cel-go (common/ast, expr.go).
fn kind_number(kind: &ExprKind) -> u8 {
    match kind {
        ExprKind::Call { .. } => 1,
        ExprKind::Comprehension(_) => 2,
        ExprKind::Ident(_) => 3,
        ExprKind::List(_) => 4,
        ExprKind::Literal(_) => 5,
        ExprKind::Map(_) => 6,
        ExprKind::Select(_) => 7,
        ExprKind::Struct { .. } => 8,
    }
}

/// Returns the Go type of a literal's value.
fn go_type(literal: &Literal) -> &'static str {
    match literal {
        Literal::Null => "structpb.NullValue",
        Literal::Bool(_) => "bool",
        Literal::Int(_) => "int64",
        Literal::Uint(_) => "uint64",
        Literal::Double(_) => "float64",
        Literal::Text(_) => "string",
        Literal::Bytes(_) => "[]uint8",
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Answers of kube-apiserver, recorded by a test of `tests/e2e/shards.rs`.
    const TABLE: &str = include_str!("../../../../tests/e2e/shards.txt");

    #[test]
    fn answers_are_those_of_kube_apiserver() {
        let mut lines = TABLE.lines().filter(|line| !line.starts_with('#'));
        let (mut count, mut wrong) = (0, Vec::new());
        while let (Some(quoted), Some(answer)) = (lines.next(), lines.next()) {
            let selector: String = serde_json::from_str(quoted).unwrap();
            let found = match parse(&selector) {
                Ok(selector) => format!("  applied {selector}"),
                Err(error) => {
                    let recorded = match error.split_once("Syntax error:") {
                        Some((before, _)) => format!("{before}Syntax error"),
                        None => error,
                    };
                    format!("  500 invalid shard selector: {recorded}")
                }
            };
            if found != answer {
                wrong.push(format!("{selector}\n  ours\n{found}\n  server\n{answer}"));
            }
            count += 1;
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        assert!(count > 150, "{count} selectors");
    }

    proptest! {
        #[test]
        fn printed_selectors_are_parsed_again(
            is_uid: bool,
            bounds in prop::collection::vec(any::<(u64, u64)>(), 1..40),
        ) {
            let field = if is_uid { ShardField::Uid } else { ShardField::Namespace };
            let ranges = bounds.into_iter().map(|(a, b)| a.min(b)..=a.max(b));
            let selector = ShardSelector::new(field, ranges).unwrap();
            prop_assert_eq!(parse(&selector.to_string()), Ok(selector));
        }
    }
}
