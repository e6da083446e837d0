//! Wording of errors of the grammar.

use genclient_schema::cel::error::{ExpectedToken, Found, SyntaxErrorKind};

/// What is wrong, and what to write.
pub(super) fn wording(error: &SyntaxErrorKind) -> (String, String) {
    let (message, help) = match error {
        SyntaxErrorKind::UnknownOperator(symbol) => return unknown_operator(symbol),
        SyntaxErrorKind::ReservedField(name) => return reserved_field(name),
        SyntaxErrorKind::ReservedWord(name) => return reserved_word(name),
        SyntaxErrorKind::UnknownCharacter(found) => {
            let message = format!("`{found}` has no meaning in CEL");
            return (message, character_help(*found).to_owned());
        }
        SyntaxErrorKind::OpenBackticks => {
            ("a name in backticks does not end", "end it with a backtick")
        }
        SyntaxErrorKind::OpenString(quotes) => {
            let help = format!("end it with {quotes} before the line ends");
            return ("a string does not end".to_owned(), help);
        }
        SyntaxErrorKind::UnknownEscape => (
            "a backslash is followed by what CEL does not know",
            "write `\\\\` for a backslash, or put `r` before the string: r'\\d+'",
        ),
        SyntaxErrorKind::NumberOutOfRange => (
            "a number that CEL cannot hold",
            "an integer has 64 bits, and a fraction a digit on both sides of the dot",
        ),
        SyntaxErrorKind::IntegerOutOfRange => (
            "a number that CEL cannot hold",
            "the largest integer is 9223372036854775807",
        ),
        SyntaxErrorKind::TooLong => (
            "the rule has more than 100000 characters",
            "split it into several rules",
        ),
        SyntaxErrorKind::TooDeep => (
            "the rule is nested more than 250 deep",
            "split it into several rules",
        ),
        SyntaxErrorKind::Unexpected { found, expected } => return unexpected(found, *expected),
        SyntaxErrorKind::BacktickField => (
            "the API server does not take names in backticks",
            "write the escaped name: `__dash__` for `-`, `__dot__` for `.`, `__slash__` for `/`",
        ),
        SyntaxErrorKind::DuplicateVariable(name) => {
            let message = format!("two variables have the name `{name}`");
            return (message, "give one of them another name".to_owned());
        }
        SyntaxErrorKind::VariableNotName => (
            "the variable of a loop is a simple name",
            "write a name that is not yet in use: `.all(x, x > 0)`",
        ),
        SyntaxErrorKind::HasNoField => (
            "`has` asks for a field",
            "write `has(self.field)`; an entry of a map is asked for with `'key' in self.map`",
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
    (format!("`{symbol}` is no operator of CEL"), help.to_owned())
}

fn reserved_field(name: &str) -> (String, String) {
    let message = format!("`{name}` is a word of CEL and cannot be the name of a field");
    (message, format!("write `__{name}__`"))
}

fn reserved_word(name: &str) -> (String, String) {
    let help = format!("a field of this name is `self.__{name}__`; a variable needs another name");
    (format!("`{name}` is a word that CEL reserves"), help)
}

fn character_help(found: char) -> &'static str {
    match found {
        '&' => "write `&&`",
        '|' => "write `||`",
        '‘' | '’' | '“' | '”' => "write straight quotes: ' or \"",
        _ => "remove it, or put it into a string",
    }
}

fn unexpected(found: &Found, expected: ExpectedToken) -> (String, String) {
    let message = match found {
        Found::End => "the rule ends too early".to_owned(),
        Found::Text(text) => format!("`{text}` is not expected here"),
        Found::Literal => "a value is not expected here".to_owned(),
    };
    let help = match (found, expected) {
        (Found::Text(name), _) if name == "and" => "write `&&`".to_owned(),
        (Found::Text(name), _) if name == "or" => "write `||`".to_owned(),
        (_, ExpectedToken::Symbol(symbol)) => format!("expected `{symbol}`"),
        (_, ExpectedToken::Member) => "expected the name of a field or a function".to_owned(),
        (_, ExpectedToken::FieldOrEnd) => "expected the name of a field, or `}`".to_owned(),
        (_, ExpectedToken::Name) => "expected a name".to_owned(),
        (_, ExpectedToken::Value) => "expected a value".to_owned(),
        (_, ExpectedToken::OperatorOrEnd) => {
            "expected an operator or the end of the rule".to_owned()
        }
    };
    (message, help)
}
