//! Parser of CEL expressions, which also expands macros.
//!
//! Limits on nesting prevent a stack overflow in later stages. An expression above the API server's
//! limit is a syntax error. An expression above a lower limit of this parser is accepted, but
//! [`Parsed::complete`] is then false.

mod members;
mod operators;
mod primary;

use super::ast::{Expr, Literal, Span};
use super::error::{ExpectedToken, Found, SyntaxError, SyntaxErrorKind};
use super::lex::{self, Token, TokenKind};
use super::nodes::Nodes;

/// Limit of the API server on nested brackets, and on member accesses, comparisons or arithmetic
/// operators in a row. An expression above it is a syntax error.
const MAX_DEPTH: usize = 250;
/// Nesting depth up to which rules are checked. Deeper rules do not occur in practice and would
/// need a larger stack in every stage.
const MAX_CHECKED_DEPTH: usize = 60;
/// Height of the syntax tree up to which rules are checked. It exceeds [`MAX_CHECKED_DEPTH`]
/// because each macro expands to several levels of nodes.
const MAX_HEIGHT: usize = 200;
/// Length limit of the API server, in characters.
const MAX_LENGTH: usize = 100_000;

/// A parsed expression.
#[derive(Debug)]
pub struct Parsed {
    /// The root of the expression; a placeholder if the expression is too deep to parse.
    pub expression: Expr,
    /// Number of node ids. Every id is less than this number.
    pub count: usize,
    /// False if the expression is too large or too deep to check.
    pub complete: bool,
}

/// Parses a whole expression.
///
/// # Errors
///
/// Returns the first syntax error.
pub fn parse(text: &str) -> Result<Parsed, SyntaxError> {
    parse_expression(text, true)
}

/// Parses a whole expression without macros: `has(a)` and `a.all(b, c)` are calls of functions.
///
/// # Errors
///
/// Returns the first syntax error.
pub fn parse_without_macros(text: &str) -> Result<Parsed, SyntaxError> {
    parse_expression(text, false)
}

fn parse_expression(text: &str, expands_macros: bool) -> Result<Parsed, SyntaxError> {
    if text.chars().count() > MAX_LENGTH {
        return Err(SyntaxError::new(0..text.len(), SyntaxErrorKind::TooLong));
    }
    let tokens = lex::tokenize(text)?;
    check_brackets(&tokens)?;
    let mut parser = Parser {
        tokens,
        at: 0,
        depth: 0,
        too_deep: false,
        expands_macros,
        nodes: Nodes::default(),
    };
    let expression = match parser.whole() {
        Err(_) if parser.too_deep => parser.nodes.literal(Literal::Null, 0..text.len()),
        parsed => parsed?,
    };
    let shallow = !parser.too_deep && expression.height <= MAX_HEIGHT;
    Ok(Parsed {
        complete: shallow && parser.nodes.complete(),
        count: parser.nodes.count(),
        expression,
    })
}

/// Checks the nesting of brackets against the API server's limit.
fn check_brackets(tokens: &[Token]) -> Result<(), SyntaxError> {
    let mut depth = 0_usize;
    for token in tokens {
        match token.kind {
            TokenKind::Symbol("(" | "[" | "{") => depth += 1,
            TokenKind::Symbol(")" | "]" | "}") => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_DEPTH {
            return Err(too_deep(token.span.clone()));
        }
    }
    Ok(())
}

fn too_deep(span: Span) -> SyntaxError {
    SyntaxError::new(span, SyntaxErrorKind::TooDeep)
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
    too_deep: bool,
    expands_macros: bool,
    nodes: Nodes,
}

impl Parser {
    pub(super) fn peek(&self) -> &TokenKind {
        &self.tokens[self.at].kind
    }

    pub(super) fn span(&self) -> Span {
        self.tokens[self.at].span.clone()
    }

    /// Returns the end of the previous token.
    pub(super) fn end(&self) -> usize {
        self.tokens[self.at.saturating_sub(1)].span.end
    }

    /// Advances to the next token, or stays at the last one.
    pub(super) fn advance(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    pub(super) fn take(&mut self, symbol: &'static str) -> bool {
        let found = self.peek() == &TokenKind::Symbol(symbol);
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn expect(&mut self, symbol: &'static str) -> Result<(), SyntaxError> {
        if self.take(symbol) {
            return Ok(());
        }
        Err(self.unexpected(ExpectedToken::Symbol(symbol)))
    }

    pub(super) fn unexpected(&self, expected: ExpectedToken) -> SyntaxError {
        let found = match self.peek() {
            TokenKind::End => Found::End,
            TokenKind::Name(name) | TokenKind::Quoted(name) => Found::Text(name.clone()),
            TokenKind::Symbol(symbol) => Found::Text((*symbol).to_owned()),
            TokenKind::Literal(_) | TokenKind::SmallestInt => Found::Literal,
        };
        SyntaxError::new(self.span(), SyntaxErrorKind::Unexpected { found, expected })
    }

    fn whole(&mut self) -> Result<Expr, SyntaxError> {
        let expression = self.expression()?;
        if self.peek() == &TokenKind::End {
            return Ok(expression);
        }
        Err(self.unexpected(ExpectedToken::OperatorOrEnd))
    }
}
