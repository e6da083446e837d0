//! Parser of operators by precedence.

use super::{MAX_CHECKED_DEPTH, MAX_DEPTH, Parser, too_deep};
use crate::ast::{Expr, ExprKind, Literal, Span};
use crate::error::SyntaxError;
use crate::lex::TokenKind;

/// Returns the precedence and the function name of a binary operator.
fn binary_operator(symbol: &TokenKind) -> Option<(u8, &'static str)> {
    Some(match symbol {
        TokenKind::Name(name) if name == "in" => (3, "@in"),
        TokenKind::Symbol(symbol) => match *symbol {
            "||" => (1, "_||_"),
            "&&" => (2, "_&&_"),
            "==" => (3, "_==_"),
            "!=" => (3, "_!=_"),
            "<" => (3, "_<_"),
            "<=" => (3, "_<=_"),
            ">" => (3, "_>_"),
            ">=" => (3, "_>=_"),
            "+" => (4, "_+_"),
            "-" => (4, "_-_"),
            "*" => (5, "_*_"),
            "/" => (5, "_/_"),
            "%" => (5, "_%_"),
            _ => return None,
        },
        _ => return None,
    })
}

impl Parser {
    /// Parses `a ? b : c` and operators of higher precedence.
    pub(super) fn expression(&mut self) -> Result<Expr, SyntaxError> {
        self.depth += 1;
        if self.depth > MAX_CHECKED_DEPTH {
            self.too_deep = true;
            return Err(too_deep(self.span()));
        }
        let condition = self.binary(1)?;
        let result = if self.take("?") {
            let then = self.binary(1)?;
            self.expect(":")?;
            let otherwise = self.expression()?;
            let span = condition.span.start..otherwise.span.end;
            self.nodes
                .operator("_?_:_", vec![condition, then, otherwise], span)
        } else {
            condition
        };
        self.depth -= 1;
        Ok(result)
    }

    /// Parses binary operators that bind at least as tightly as `loosest`.
    fn binary(&mut self, loosest: u8) -> Result<Expr, SyntaxError> {
        let mut left = self.unary()?;
        let mut chained = 0;
        while let Some((binding, function)) =
            binary_operator(self.peek()).filter(|(binding, _)| *binding >= loosest)
        {
            self.advance();
            let right = self.binary(binding + 1)?;
            let span = left.span.start..right.span.end;
            left = self.join(function, left, right, span);
            chained += usize::from(binding > 2);
            if chained > MAX_DEPTH {
                return Err(too_deep(left.span));
            }
        }
        Ok(left)
    }

    /// Joins two operands. A chain of `&&` or of `||` is one node, so `right` is added to `left` if
    /// `left` is a chain of the same operator.
    fn join(&mut self, function: &'static str, mut left: Expr, right: Expr, span: Span) -> Expr {
        if matches!(function, "_&&_" | "_||_")
            && let ExprKind::Call {
                function: before,
                args,
                ..
            } = &mut left.kind
            && before == function
        {
            left.height = left.height.max(right.height + 1);
            left.span = span;
            args.push(right);
            return left;
        }
        self.nodes.operator(function, vec![left, right], span)
    }

    /// Parses `!` and `-`. Of several equal signs, pairs cancel out, as in cel-go.
    fn unary(&mut self) -> Result<Expr, SyntaxError> {
        let start = self.span().start;
        for (symbol, function) in [("!", "!_"), ("-", "-_")] {
            let mut count = 0;
            while self.take(symbol) {
                count += 1;
            }
            if count == 0 {
                continue;
            }
            if let Some(number) = self.negative_number(symbol, count, start) {
                return self.member(number);
            }
            let primary = self.primary()?;
            let operand = self.member(primary)?;
            if count % 2 == 0 {
                return Ok(operand);
            }
            let span = start..operand.span.end;
            return Ok(self.nodes.operator(function, vec![operand], span));
        }
        let primary = self.primary()?;
        self.member(primary)
    }

    /// Parses a negative number such as `-1` as one literal.
    fn negative_number(&mut self, symbol: &str, count: usize, start: usize) -> Option<Expr> {
        if symbol != "-" || count != 1 {
            return None;
        }
        let literal = match self.peek() {
            TokenKind::SmallestInt => Literal::Int(i64::MIN),
            TokenKind::Literal(Literal::Int(number)) => Literal::Int(-number),
            TokenKind::Literal(Literal::Double(number)) => Literal::Double(-number),
            _ => return None,
        };
        self.advance();
        Some(self.nodes.literal(literal, start..self.end()))
    }
}
