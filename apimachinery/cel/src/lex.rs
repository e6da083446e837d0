//! Lexer of CEL expressions: tokens with source spans.

use super::ast::{Literal, Span};
use super::error::{SyntaxError, SyntaxErrorKind};
use super::strings;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum TokenKind {
    /// A name or a reserved word.
    Name(String),
    /// A name in backticks, which may contain dots, dashes, slashes and spaces.
    Quoted(String),
    /// A number, a string or bytes. A number has no sign yet.
    Literal(Literal),
    /// 9223372036854775808, valid only after a minus.
    SmallestInt,
    Symbol(&'static str),
    End,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) span: Span,
}

/// Symbols, longer ones first.
const SYMBOLS: [&str; 27] = [
    "==", "=<", "=>", "!=", "<=", ">=", "&&", "||", "<", ">", "[", "]", "{", "}", "(", ")", ".",
    ",", "-", "!", "?", ":", "+", "*", "/", "%", "=",
];

/// Returns the tokens of a text. The last one is [`TokenKind::End`].
pub(super) fn tokenize(text: &str) -> Result<Vec<Token>, SyntaxError> {
    let mut lexer = Lexer { text, at: 0 };
    let mut tokens = Vec::new();
    loop {
        lexer.skip_space();
        let start = lexer.at;
        let kind = lexer.token()?;
        let end = kind == TokenKind::End;
        tokens.push(Token {
            kind,
            span: start..lexer.at,
        });
        if end {
            return Ok(tokens);
        }
    }
}

/// Tokens of a rule without spans. Two rules that differ only in white space, comments or quote
/// style have equal tokens.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleTokens(Vec<TokenKind>);

impl RuleTokens {
    /// Tokenizes a rule. Returns `None` if a part of the text is not a CEL token.
    pub fn tokenize(rule: &str) -> Option<Self> {
        let tokens = tokenize(rule).ok()?;
        Some(Self(tokens.into_iter().map(|token| token.kind).collect()))
    }
}

struct Lexer<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Lexer<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn skip_space(&mut self) {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start_matches([' ', '\t', '\r', '\n', '\u{c}']);
            self.at += rest.len() - trimmed.len();
            if !trimmed.starts_with("//") {
                return;
            }
            self.at += trimmed.find('\n').unwrap_or(trimmed.len());
        }
    }

    /// Reads a token. A string comes before a name, since `b'…'` and `r'…'` begin with a letter.
    fn token(&mut self) -> Result<TokenKind, SyntaxError> {
        let rest = self.rest();
        let Some(first) = rest.chars().next() else {
            return Ok(TokenKind::End);
        };
        if let Some(opening) = strings::parse_opening(rest) {
            return self.string(&opening);
        }
        if first.is_ascii_alphabetic() || first == '_' {
            let name = self.take_while(|c| c.is_ascii_alphanumeric() || c == '_');
            return Ok(TokenKind::Name(name.to_owned()));
        }
        if first == '`' {
            return self.quoted_name();
        }
        let after = rest.chars().nth(1).unwrap_or(' ');
        if first.is_ascii_digit() || (first == '.' && after.is_ascii_digit()) {
            return self.number();
        }
        self.symbol(first)
    }

    /// Reads a symbol. `=`, `=<` and `=>` are errors that other languages suggest.
    fn symbol(&mut self, first: char) -> Result<TokenKind, SyntaxError> {
        let found = SYMBOLS
            .into_iter()
            .find(|symbol| self.rest().starts_with(symbol));
        let end = self.at + found.map_or(first.len_utf8(), str::len);
        let span = self.at..end;
        match found {
            Some(symbol @ ("=" | "=<" | "=>")) => Err(SyntaxError::new(
                span,
                SyntaxErrorKind::UnknownOperator(symbol),
            )),
            Some(symbol) => {
                self.at = end;
                Ok(TokenKind::Symbol(symbol))
            }
            None => Err(SyntaxError::new(
                span,
                SyntaxErrorKind::UnknownCharacter(first),
            )),
        }
    }

    fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let length = rest.find(|c| !wanted(c)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    /// Reads a name in backticks.
    fn quoted_name(&mut self) -> Result<TokenKind, SyntaxError> {
        let start = self.at;
        self.at += 1;
        let name = self.take_while(|c| c.is_ascii_alphanumeric() || "_.-/ ".contains(c));
        if name.is_empty() || !self.rest().starts_with('`') {
            return Err(SyntaxError::new(
                start..self.at,
                SyntaxErrorKind::OpenBackticks,
            ));
        }
        self.at += 1;
        Ok(TokenKind::Quoted(name.to_owned()))
    }

    fn string(&mut self, opening: &strings::Opening) -> Result<TokenKind, SyntaxError> {
        let start = self.at;
        let Some((content, length)) = strings::find_content(self.rest(), opening) else {
            return Err(SyntaxError::new(
                start..self.text.len(),
                SyntaxErrorKind::OpenString(opening.quotes),
            ));
        };
        self.at += length;
        let literal = strings::unescape_content(content, opening)
            .ok_or_else(|| SyntaxError::new(start..self.at, SyntaxErrorKind::UnknownEscape))?;
        Ok(TokenKind::Literal(literal))
    }

    /// Reads a number. A sign before it is an operator.
    fn number(&mut self) -> Result<TokenKind, SyntaxError> {
        let start = self.at;
        let bad = |end: usize| SyntaxError::new(start..end, SyntaxErrorKind::NumberOutOfRange);
        if self.rest().starts_with("0x") {
            self.at += 2;
            let digits = self.take_while(|c| c.is_ascii_hexdigit());
            return self.integer(digits, 16).ok_or_else(|| bad(self.at));
        }
        let digits = self.take_while(|c| c.is_ascii_digit());
        if self.fraction() | self.exponent() {
            let value = self.text[start..self.at]
                .parse()
                .map_err(|_| bad(self.at))?;
            return Ok(TokenKind::Literal(Literal::Double(value)));
        }
        self.integer(digits, 10).ok_or_else(|| bad(self.at))
    }

    fn fraction(&mut self) -> bool {
        let rest = self.rest();
        let found = rest.starts_with('.') && rest[1..].starts_with(|c: char| c.is_ascii_digit());
        if found {
            self.at += 1;
            self.take_while(|c| c.is_ascii_digit());
        }
        found
    }

    fn exponent(&mut self) -> bool {
        let rest = self.rest();
        let Some(after) = rest.strip_prefix(['e', 'E']) else {
            return false;
        };
        let digits = after.strip_prefix(['+', '-']).unwrap_or(after);
        let found = digits.starts_with(|c: char| c.is_ascii_digit());
        if found {
            self.at += rest.len() - digits.len();
            self.take_while(|c| c.is_ascii_digit());
        }
        found
    }

    /// Makes the token of an integer, and reads the suffix `u`.
    fn integer(&mut self, digits: &str, base: u32) -> Option<TokenKind> {
        let value = u64::from_str_radix(digits, base);
        if self.rest().starts_with(['u', 'U']) {
            self.at += 1;
            return Some(TokenKind::Literal(Literal::Uint(value.ok()?)));
        }
        let value = value.ok()?;
        if value == i64::MIN.unsigned_abs() {
            return Some(TokenKind::SmallestInt);
        }
        Some(TokenKind::Literal(Literal::Int(i64::try_from(value).ok()?)))
    }
}
