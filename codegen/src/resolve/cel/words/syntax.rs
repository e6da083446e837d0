//! Messages and help for syntax errors.

use genclient_cel::Environment;
use genclient_cel::error::{ExpectedToken, Found, SyntaxErrorKind};

use super::fields::fields_of;
use super::foreign::{operator_for, reserved};

pub(super) fn wording(error: &SyntaxErrorKind, environment: &Environment<'_>) -> (String, String) {
    let (message, help) = match error {
        SyntaxErrorKind::UnknownOperator(symbol) => return unknown_operator(symbol),
        SyntaxErrorKind::ReservedField(name) => return reserved_field(name, environment),
        SyntaxErrorKind::ReservedWord(name) => return reserved_word(name, environment),
        SyntaxErrorKind::UnknownCharacter(found) => {
            let message = format!("unexpected character `{found}`");
            return (message, character_help(*found).to_owned());
        }
        SyntaxErrorKind::OpenBackticks => (
            "unterminated identifier in backticks",
            "remove the backtick",
        ),
        SyntaxErrorKind::OpenString(quotes) => {
            let help = format!("close it with {quotes} before the end of the line");
            return ("unterminated string literal".to_owned(), help);
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
            return unexpected(found, *expected, environment);
        }
        SyntaxErrorKind::BacktickField(path) => {
            let message = "the API server does not support identifiers in backticks";
            return (message.to_owned(), format!("write `{path}`"));
        }
        SyntaxErrorKind::ObjectLiteral(name) => return object_literal(name),
        SyntaxErrorKind::DuplicateVariable(name) => {
            let message = format!("duplicate loop variable `{name}`");
            return (message, "rename one of them".to_owned());
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
    (message.to_owned(), help.to_owned())
}

fn unknown_operator(symbol: &str) -> (String, String) {
    let help = match symbol {
        "=<" => "write `<=`",
        "=>" => "write `>=`; or for each item of a list: `.all(item, …)`",
        _ => "write `==`",
    };
    (format!("unknown operator `{symbol}`"), help.to_owned())
}

fn reserved_field(name: &str, environment: &Environment<'_>) -> (String, String) {
    let message = format!("`{name}` is a CEL keyword and not allowed as a field name");
    let escaped = format!("__{name}__");
    let mut objects = environment.objects.iter();
    let help = if objects.any(|object| object.fields.contains_key(&escaped)) {
        format!("write `{escaped}`")
    } else {
        "write the name of a field".to_owned()
    };
    (message, help)
}

fn reserved_word(name: &str, environment: &Environment<'_>) -> (String, String) {
    let escaped = format!("__{name}__");
    let help = if fields_of(environment.self_, environment).any(|(field, _)| *field == escaped) {
        format!("write `self.{escaped}`")
    } else {
        reserved(name).to_owned()
    };
    (format!("`{name}` is a reserved identifier"), help)
}

/// Message and help for `Type{…}`: the API server has no such constructor for schema types.
pub(super) fn object_literal(name: &str) -> (String, String) {
    (
        format!("a rule cannot construct objects of type `{name}`"),
        "compare the fields one by one: `… == … && … == …`".to_owned(),
    )
}

fn character_help(found: char) -> &'static str {
    match found {
        '&' => "write `&&` between conditions; CEL has no bit operators",
        '|' => "write `||` between conditions; CEL has no bit operators",
        ';' => "remove it",
        '‘' | '’' | '“' | '”' => "write straight quotes: ' or \"",
        _ => "replace it with an operator, or quote it as a string",
    }
}

fn unexpected(
    found: &Found,
    expected: ExpectedToken,
    environment: &Environment<'_>,
) -> (String, String) {
    let message = match found {
        Found::End => "unexpected end of expression".to_owned(),
        Found::Text(text) => format!("unexpected `{text}`"),
        Found::Literal => "unexpected literal".to_owned(),
    };
    let foreign = match found {
        Found::Text(name) => operator_for(name, environment),
        Found::End | Found::Literal => None,
    };
    if let Some(help) = foreign {
        return (message, help);
    }
    let help = match (found, expected) {
        (Found::Text(text), ExpectedToken::OperatorOrEnd)
            if matches!(text.as_str(), ")" | "]" | "}") =>
        {
            format!("remove it: `{text}` has no matching open bracket")
        }
        (_, ExpectedToken::Symbol(symbol)) => format!("expected `{symbol}`"),
        (_, ExpectedToken::Member) => "expected the name of a field or a function".to_owned(),
        (_, ExpectedToken::Name) => "expected a name".to_owned(),
        (_, ExpectedToken::Value) => "expected a value".to_owned(),
        (_, ExpectedToken::OperatorOrEnd) => {
            "expected an operator or the end of the expression".to_owned()
        }
    };
    (message, help)
}
