//! Parser of primary expressions: literals, names, calls, lists, maps, structs, parentheses.

use super::Parser;
use crate::ast::{Element, Entry, Expr, ExprKind, Literal};
use crate::error::{ExpectedToken, SyntaxError, SyntaxErrorKind};
use crate::lex::{Token, TokenKind};
use crate::names::RESERVED;

impl Parser {
    /// Parses a literal, a name, a call, or an expression in brackets.
    pub(super) fn primary(&mut self) -> Result<Expr, SyntaxError> {
        let start = self.span().start;
        match self.peek().clone() {
            TokenKind::Literal(literal) => {
                self.advance();
                Ok(self.nodes.literal(literal, start..self.end()))
            }
            TokenKind::SmallestInt => Err(SyntaxError::new(
                self.span(),
                SyntaxErrorKind::IntegerOutOfRange,
            )),
            TokenKind::Name(name) => self.name(&name),
            TokenKind::Symbol("(") => {
                self.advance();
                let inner = self.expression()?;
                self.expect(")")?;
                Ok(inner)
            }
            TokenKind::Symbol("[") => self.list(),
            TokenKind::Symbol("{") => self.map(),
            TokenKind::Symbol(".") => {
                self.advance();
                match self.peek().clone() {
                    TokenKind::Name(name) => self.name(&name),
                    _ => Err(self.unexpected(ExpectedToken::Name)),
                }
            }
            _ => Err(self.unexpected(ExpectedToken::Value)),
        }
    }

    /// Parses what begins with a name: a constant, a call, an object or a variable.
    fn name(&mut self, name: &str) -> Result<Expr, SyntaxError> {
        let span = self.span();
        let literal = match name {
            "true" => Some(Literal::Bool(true)),
            "false" => Some(Literal::Bool(false)),
            "null" => Some(Literal::Null),
            _ => None,
        };
        if literal.is_none() && RESERVED.contains(&name) {
            return Err(SyntaxError::new(
                span,
                SyntaxErrorKind::ReservedWord(name.to_owned()),
            ));
        }
        self.advance();
        if let Some(literal) = literal {
            return Ok(self.nodes.literal(literal, span));
        }
        if self.take("(") {
            let args = self.arguments()?;
            return self.call(name.to_owned(), span.clone(), None, args, span.start);
        }
        match self.struct_name(name) {
            Some(name) => self.structure(name, span.start),
            None => Ok(self.nodes.ident(name, span)),
        }
    }

    /// Reads a dotted name before `{`. Returns `None` and reads nothing if no `{` follows.
    fn struct_name(&mut self, first: &str) -> Option<String> {
        let (mut at, mut name) = (self.at, first.to_owned());
        while let [
            Token {
                kind: TokenKind::Symbol("."),
                ..
            },
            Token {
                kind: TokenKind::Name(next),
                ..
            },
            ..,
        ] = &self.tokens[at..]
        {
            name = format!("{name}.{next}");
            at += 2;
        }
        let found = self.tokens[at].kind == TokenKind::Symbol("{");
        if found {
            self.at = at;
        }
        found.then_some(name)
    }

    /// Parses the fields of an object after its type: `{field: value}`.
    fn structure(&mut self, name: String, start: usize) -> Result<Expr, SyntaxError> {
        self.expect("{")?;
        let mut fields = Vec::new();
        while !self.take("}") {
            self.take("?");
            let TokenKind::Name(field) = self.peek().clone() else {
                let kind = SyntaxErrorKind::ObjectLiteral(name);
                return Err(SyntaxError::new(start..self.end(), kind));
            };
            self.advance();
            self.expect(":")?;
            fields.push((field, self.expression()?));
            if !self.take(",") {
                self.expect("}")?;
                break;
            }
        }
        let height = 1 + fields
            .iter()
            .map(|(_, value)| value.height)
            .max()
            .unwrap_or(0);
        Ok(self
            .nodes
            .node(ExprKind::Struct { name, fields }, start..self.end(), height))
    }

    /// Parses a list. `[,]` is an empty one.
    fn list(&mut self) -> Result<Expr, SyntaxError> {
        let start = self.span().start;
        self.expect("[")?;
        let mut elements = Vec::new();
        if self.take(",") {
            self.expect("]")?;
            return Ok(self.nodes.list(elements, start..self.end()));
        }
        while !self.take("]") {
            let optional = self.take("?");
            elements.push(Element {
                value: self.expression()?,
                optional,
            });
            if !self.take(",") {
                self.expect("]")?;
                break;
            }
        }
        Ok(self.nodes.list(elements, start..self.end()))
    }

    /// Parses a map. `{,}` is an empty one.
    fn map(&mut self) -> Result<Expr, SyntaxError> {
        let start = self.span().start;
        self.expect("{")?;
        let mut entries = Vec::new();
        if self.take(",") {
            self.expect("}")?;
            return Ok(self.nodes.map(entries, start..self.end()));
        }
        while !self.take("}") {
            let optional = self.take("?");
            let key = self.expression()?;
            self.expect(":")?;
            entries.push(Entry {
                key,
                value: self.expression()?,
                optional,
            });
            if !self.take(",") {
                self.expect("}")?;
                break;
            }
        }
        Ok(self.nodes.map(entries, start..self.end()))
    }
}
