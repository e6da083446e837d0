//! Parser of member access: fields, method calls, indices.

use super::{MAX_DEPTH, Parser, too_deep};
use crate::ast::{Expr, ExprKind, Literal, Select, Span};
use crate::error::{ExpectedToken, SyntaxError, SyntaxErrorKind};
use crate::lex::TokenKind;
use crate::{macros, names};

impl Parser {
    /// Parses the suffixes of a value: `.field`, `.function(…)`, `[index]`.
    pub(super) fn member(&mut self, mut value: Expr) -> Result<Expr, SyntaxError> {
        let mut chained = 0;
        loop {
            value = if self.take(".") {
                self.select(value)?
            } else if self.take("[") {
                self.index(value)?
            } else {
                return Ok(value);
            };
            chained += 1;
            if chained > MAX_DEPTH {
                return Err(too_deep(value.span));
            }
        }
    }

    /// Parses `.field`, `.function(…)`, `.?field` or a field in backticks.
    fn select(&mut self, operand: Expr) -> Result<Expr, SyntaxError> {
        let optional = self.take("?");
        let field_span = self.span();
        let start = operand.span.start;
        let (field, quoted) = match self.peek().clone() {
            TokenKind::Name(name) if matches!(name.as_str(), "in" | "true" | "false" | "null") => {
                return Err(self.reserved_field(&name));
            }
            TokenKind::Name(name) => (name, false),
            TokenKind::Quoted(name) => (name, true),
            _ => return Err(self.unexpected(ExpectedToken::Member)),
        };
        self.advance();
        if !optional && !quoted && self.take("(") {
            let args = self.arguments()?;
            return self.call(field, field_span, Some(operand), args, start);
        }
        if quoted {
            let operand = operand.qualified_name().unwrap_or_else(|| "…".to_owned());
            let path = format!("{operand}.{}", names::escape(&field).unwrap_or(field));
            return Err(SyntaxError::new(
                field_span,
                SyntaxErrorKind::BacktickField(path),
            ));
        }
        let span = start..self.end();
        if optional {
            let name = self.nodes.literal(Literal::Text(field), field_span);
            return Ok(self.nodes.operator("_?._", vec![operand, name], span));
        }
        let height = operand.height + 1;
        let select = Select {
            operand: Box::new(operand),
            field,
            field_span,
            test: false,
        };
        Ok(self.nodes.node(ExprKind::Select(select), span, height))
    }

    fn reserved_field(&self, name: &str) -> SyntaxError {
        SyntaxError::new(self.span(), SyntaxErrorKind::ReservedField(name.to_owned()))
    }

    fn index(&mut self, operand: Expr) -> Result<Expr, SyntaxError> {
        let function = if self.take("?") { "_[?_]" } else { "_[_]" };
        let index = self.expression()?;
        self.expect("]")?;
        let span = operand.span.start..self.end();
        Ok(self.nodes.operator(function, vec![operand, index], span))
    }

    /// Parses the arguments after an opening parenthesis.
    pub(super) fn arguments(&mut self) -> Result<Vec<Expr>, SyntaxError> {
        let mut args = Vec::new();
        if self.take(")") {
            return Ok(args);
        }
        loop {
            args.push(self.expression()?);
            if !self.take(",") {
                self.expect(")")?;
                return Ok(args);
            }
        }
    }

    /// Makes a call, or expands it if it is a macro.
    pub(super) fn call(
        &mut self,
        function: String,
        name_span: Span,
        target: Option<Expr>,
        args: Vec<Expr>,
        start: usize,
    ) -> Result<Expr, SyntaxError> {
        if !self.expands_macros {
            let span = start..self.end();
            return Ok(self.nodes.call(&function, name_span, target, args, span));
        }
        let call = macros::Call {
            function,
            name_span,
            target,
            args,
            span: start..self.end(),
        };
        macros::expand_macro(call, &mut self.nodes)
    }
}
