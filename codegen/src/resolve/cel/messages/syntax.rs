//! Messages and help about syntax errors, and about syntax of other languages.

use genclient_cel::ast::{ExprKind, Literal, Span};
use genclient_cel::error::{ExpectedToken, Found, SyntaxErrorKind};
use genclient_cel::{Environment, SyntaxError, parse};
use genclient_syntax::{Help, closest};

use super::fields::fields_of;
use crate::resolve::explanation::Explanation;

/// An error with its message and help.
#[derive(Debug)]
pub(in crate::resolve::cel) struct ExpressionError {
    pub(in crate::resolve::cel) span: Span,
    pub(in crate::resolve::cel) message: String,
    pub(in crate::resolve::cel) help: Help,
}

impl ExpressionError {
    pub(in crate::resolve::cel) fn of_syntax(
        error: &SyntaxError,
        text: &str,
        environment: &Environment<'_>,
    ) -> Self {
        explain_from_context(error, text, environment).unwrap_or_else(|| {
            let Explanation { message, help } = explain_syntax_error(&error.kind, environment);
            Self {
                span: error.span.clone(),
                message,
                help,
            }
        })
    }
}

pub(super) fn explain_syntax_error(
    error: &SyntaxErrorKind,
    environment: &Environment<'_>,
) -> Explanation {
    let (message, help) = match error {
        SyntaxErrorKind::UnknownOperator(symbol) => return explain_unknown_operator(symbol),
        SyntaxErrorKind::ReservedField(name) => return explain_reserved_field(name, environment),
        SyntaxErrorKind::ReservedWord(name) => return explain_reserved_word(name, environment),
        SyntaxErrorKind::UnknownCharacter(found) => {
            let message = format!("unexpected character `{found}`");
            return Explanation::new(message, character_help(*found));
        }
        SyntaxErrorKind::OpenBackticks => (
            "unterminated identifier in backticks",
            "remove the backtick",
        ),
        SyntaxErrorKind::OpenString(quotes) => {
            let help = format!("close it with {quotes} before the end of the line");
            return Explanation::new("unterminated string literal", help);
        }
        SyntaxErrorKind::UnknownEscape => (
            "unknown escape sequence in a string literal",
            "put `r` before the string: `r'…'`",
        ),
        SyntaxErrorKind::NumberOutOfRange => (
            "integer literal out of range",
            "an integer must fit into 64 bits, and a fraction needs a digit on both sides of the dot",
        ),
        SyntaxErrorKind::IntegerOutOfRange => (
            "integer literal out of range",
            "the largest integer is 9223372036854775807",
        ),
        SyntaxErrorKind::TooLong => (
            "the rule has more than 100000 characters",
            "split it into several rules",
        ),
        SyntaxErrorKind::TooDeep => (
            "the rule is nested more than 250 levels deep",
            "remove brackets, or split it into several rules",
        ),
        SyntaxErrorKind::Unexpected { found, expected } => {
            return explain_unexpected(found, *expected, environment);
        }
        SyntaxErrorKind::BacktickField(path) => {
            let message = "the API server does not support identifiers in backticks";
            return Explanation::new(message, format!("write `{path}`"));
        }
        SyntaxErrorKind::ObjectLiteral(name) => return explain_object_literal(name),
        SyntaxErrorKind::DuplicateVariable(name) => {
            let message = format!("duplicate loop variable `{name}`");
            return Explanation::new(message, "rename one of them");
        }
        SyntaxErrorKind::VariableNotName => (
            "a loop variable must be a simple name",
            "write a name that is not yet in use: `.all(x, x > 0)`",
        ),
        SyntaxErrorKind::HasNoField => (
            "`has` needs a field selection as its argument",
            "name a field: `has(….field)`; to check for an entry of a map, write `'key' in …`",
        ),
    };
    Explanation::new(message, help)
}

fn explain_unknown_operator(symbol: &str) -> Explanation {
    let help = match symbol {
        "=<" => Help::write(symbol, "<="),
        "=>" => "write `>=`; or for each item of a list: `.all(item, …)`".into(),
        _ => Help::write(symbol, "=="),
    };
    Explanation::new(format!("unknown operator `{symbol}`"), help)
}

fn explain_reserved_field(name: &str, environment: &Environment<'_>) -> Explanation {
    let message = format!("`{name}` is a CEL keyword and not allowed as a field name");
    let escaped = format!("__{name}__");
    let mut objects = environment.objects.iter();
    let help = if objects.any(|object| object.fields.contains_key(&escaped)) {
        Help::write(name, escaped)
    } else {
        "write the name of a field".into()
    };
    Explanation::new(message, help)
}

fn explain_reserved_word(name: &str, environment: &Environment<'_>) -> Explanation {
    let escaped = format!("__{name}__");
    let help = if fields_of(environment.self_, environment).any(|(field, _)| *field == escaped) {
        Help::write(name, format!("self.{escaped}"))
    } else {
        reserved_word_help(name).into()
    };
    Explanation::new(format!("`{name}` is a reserved identifier"), help)
}

/// Message and help for `Type{…}`: the API server has no such constructor for schema types.
pub(super) fn explain_object_literal(name: &str) -> Explanation {
    Explanation::new(
        format!("a rule cannot construct objects of type `{name}`"),
        "compare the fields one by one: `… == … && … == …`",
    )
}

fn character_help(found: char) -> Help {
    let help = match found {
        '&' => "write `&&` between conditions; CEL has no bit operators",
        '|' => "write `||` between conditions; CEL has no bit operators",
        ';' => "write `&&` between conditions, or a rule for each of them",
        '‘' | '’' | '“' | '”' => "write straight quotes: ' or \"",
        _ => "replace it with an operator, or quote it as a string",
    };
    help.into()
}

fn explain_unexpected(
    found: &Found,
    expected: ExpectedToken,
    environment: &Environment<'_>,
) -> Explanation {
    let message = match found {
        Found::End => "unexpected end of expression".to_owned(),
        Found::Text(text) => format!("unexpected `{text}`"),
        Found::Literal => "unexpected literal".to_owned(),
    };
    let foreign = match found {
        Found::Text(name) => operator_word_help(name, environment),
        Found::End | Found::Literal => None,
    };
    if let Some(help) = foreign {
        return Explanation::new(message, help);
    }
    let help = match (found, expected) {
        (Found::Text(text), ExpectedToken::OperatorOrEnd)
            if matches!(text.as_str(), ")" | "]" | "}") =>
        {
            Help::remove(format!("remove it: `{text}` has no matching open bracket"))
        }
        (_, ExpectedToken::Symbol(symbol)) => format!("expected `{symbol}`").into(),
        (_, ExpectedToken::Member) => "expected the name of a field or a function".into(),
        (_, ExpectedToken::Name) => "expected a name".into(),
        (_, ExpectedToken::Value) => "expected a value".into(),
        (_, ExpectedToken::OperatorOrEnd) => {
            "expected an operator or the end of the expression".into()
        }
    };
    Explanation::new(message, help)
}

/// Returns the error with other texts if the text around it shows what the author meant.
pub(super) fn explain_from_context(
    error: &SyntaxError,
    text: &str,
    environment: &Environment<'_>,
) -> Option<ExpressionError> {
    let span = error.span.clone();
    let before = text.get(..span.start)?;
    let after = text.get(span.end..)?;
    match &error.kind {
        SyntaxErrorKind::UnknownOperator("=") if after.starts_with('~') => {
            Some(explain_match_operator(text, span.start, span.end + 1))
        }
        SyntaxErrorKind::UnknownCharacter('~') => {
            let start = span.start - usize::from(before.ends_with('!'));
            let end = span.end + usize::from(after.starts_with('='));
            Some(explain_match_operator(text, start, end))
        }
        SyntaxErrorKind::UnknownCharacter(';') if after.trim().is_empty() => {
            Some(ExpressionError {
                span,
                message: "unexpected character `;`".to_owned(),
                help: Help::remove("remove it"),
            })
        }
        SyntaxErrorKind::UnknownOperator("=") if before.ends_with(['+', '-', '*', '/', '%']) => {
            let operator = span.start - 1..span.end;
            Some(ExpressionError {
                message: format!("unknown operator `{}`", &text[operator.clone()]),
                help: "compare with `==`; a rule cannot assign values".into(),
                span: operator,
            })
        }
        SyntaxErrorKind::UnknownOperator("=") => {
            let (start, meant) = operator_before_equals(before)?;
            let operator = span.start - start.len()..span.end;
            Some(replace_operator(text, operator, meant))
        }
        SyntaxErrorKind::Unexpected { .. }
            if before.ends_with('<') && text[span.start..].starts_with('>') =>
        {
            Some(replace_operator(text, span.start - 1..span.end, "!="))
        }
        SyntaxErrorKind::Unexpected { .. } => explain_not(text, &span),
        SyntaxErrorKind::HasNoField => {
            let help = has_help(text.get(span.clone())?, environment)?;
            let message = "`has` needs a field selection as its argument";
            Some(ExpressionError {
                span,
                message: message.to_owned(),
                help: help.into(),
            })
        }
        _ => None,
    }
}

/// Returns the error about the unknown operator at `span`, in place of which `meant` is suggested.
fn replace_operator(text: &str, span: Span, meant: &str) -> ExpressionError {
    ExpressionError {
        message: format!("unknown operator `{}`", &text[span.clone()]),
        help: Help::write(&text[span.clone()], meant),
        span,
    }
}

/// Returns the start of an unknown operator that ends in `=`, as in `<==`, `===` or `:=`, and the
/// operator that is likely meant.
fn operator_before_equals(before: &str) -> Option<(&'static str, &'static str)> {
    [
        ("<=", "<="),
        (">=", ">="),
        ("==", "=="),
        ("!=", "!="),
        (":", "=="),
    ]
    .into_iter()
    .find(|(start, _)| before.ends_with(start))
}

/// Returns the error for `=~` and similar operators, which match a pattern in other languages.
fn explain_match_operator(text: &str, start: usize, end: usize) -> ExpressionError {
    let is_path = |c: char| c.is_ascii_alphanumeric() || "_.?".contains(c);
    let before = text[..start].trim_end();
    let left = &before[before.trim_end_matches(is_path).len()..];
    let after = text[end..].trim_start();
    let quote = after.chars().next().filter(|c| matches!(c, '\'' | '"'));
    let pattern = quote.and_then(|quote| {
        let end = after[1..].find(quote)?;
        Some(&after[..end + 2])
    });
    let not = if text[start..end].starts_with('!') {
        "!"
    } else {
        ""
    };
    let is_path = left.starts_with(|c: char| c.is_ascii_alphabetic());
    let help = match pattern {
        Some(pattern) if is_path && !pattern.contains('\\') => {
            format!("write `{not}{left}.matches({pattern})`")
        }
        _ => format!("write `{not}….matches('…')`"),
    };
    ExpressionError {
        span: start..end,
        message: format!("unknown operator `{}`", &text[start..end]),
        help: help.into(),
    }
}

/// Returns the error for `not` before an operand, and for `not in`.
fn explain_not(text: &str, span: &Span) -> Option<ExpressionError> {
    let is_not = |word: &str| word.eq_ignore_ascii_case("not");
    let before = text[..span.start].trim_end();
    let word = before
        .rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .next()?;
    let (start, written, help) = if is_not(word) && !before[..before.len() - 3].ends_with('.') {
        (before.len() - 3, word, "write `!(…)`")
    } else if is_not(&text[span.clone()]) && text[span.end..].trim_start().starts_with("in ") {
        (span.start, &text[span.clone()], "write `!(… in …)`")
    } else {
        return None;
    };
    Some(ExpressionError {
        span: start..start + written.len(),
        message: format!("unexpected `{written}`"),
        help: help.into(),
    })
}

/// Help for `has` of something other than a field.
fn has_help(inside: &str, environment: &Environment<'_>) -> Option<String> {
    let argument = inside.trim();
    let parsed = parse(argument).ok()?;
    match &parsed.expression.kind {
        ExprKind::Ident(name) if name != "self" => {
            let names = || fields_of(environment.self_, environment).map(|(name, _)| name.as_str());
            if names().any(|field| field == name) {
                return Some(format!("write `has(self.{name})`"));
            }
            let meant = closest(name, names())?;
            Some(format!("did you mean `has(self.{meant})`?"))
        }
        ExprKind::Call { function, args, .. } => match (function.as_str(), args.as_slice()) {
            ("_?._", _) => Some(format!("write `{argument}.hasValue()`")),
            ("_[_]", [container, index]) => {
                let container = argument.get(container.span.clone())?;
                let key = argument.get(index.span.clone())?;
                match index.kind {
                    ExprKind::Literal(Literal::Text(_)) => {
                        Some(format!("write `{key} in {container}`"))
                    }
                    ExprKind::Literal(Literal::Int(_)) => {
                        Some(format!("write `{container}.size() > {key}`"))
                    }
                    _ => None,
                }
            }
            _ => None,
        },
        _ => None,
    }
}

/// Words that are operators in other languages, each with the operator of CEL.
const OPERATOR_WORDS: [(&str, &str); 14] = [
    ("and", "&&"),
    ("or", "||"),
    ("is", "=="),
    ("eq", "=="),
    ("equals", "=="),
    ("ne", "!="),
    ("lt", "<"),
    ("le", "<="),
    ("lte", "<="),
    ("gt", ">"),
    ("ge", ">="),
    ("gte", ">="),
    ("mod", "%"),
    ("div", "/"),
];

/// Help for a word where an operator is expected.
fn operator_word_help(word: &str, environment: &Environment<'_>) -> Option<Help> {
    let is_word = |(other, _): &&(&str, &str)| word.eq_ignore_ascii_case(other);
    if let Some((_, operator)) = OPERATOR_WORDS.iter().find(is_word) {
        return Some(Help::write(word, operator));
    }
    if word.eq_ignore_ascii_case("like") {
        return Some("write `….matches('…')`".into());
    }
    if word.eq_ignore_ascii_case("implies") {
        return Some("write `!(…) || …`".into());
    }
    let overloads = environment.functions.get(word)?;
    let is_method = overloads.iter().any(|overload| overload.method);
    is_method.then(|| format!("write `….{word}(…)`").into())
}

/// Help for a reserved word that names no field.
fn reserved_word_help(word: &str) -> &'static str {
    match word {
        "if" => "write `… ? … : …`",
        "for" => "write `….all(item, …)`",
        "return" => "remove it: a rule is one expression",
        _ => "use another name",
    }
}
