//! Text → expression. Operators bind as in CEL's grammar; macros are expanded on the way.
//!
//! Nesting is limited as it is in the API server, so that no text makes the stages after this one recurse without end.

mod primary;

use super::ast::{Expr, ExprKind, Literal, Select, Span};
use super::lex::{self, Mistake, Token, TokenKind};
use super::macros;
use super::nodes::Nodes;

/// How deep the API server lets expressions nest.
const MAX_DEPTH: usize = 250;
/// Deeper rules are not looked at: no rule is written that deep, and every stage would need a large stack for it.
const LOOKED_AT: usize = 60;
/// The same for the tree, to which each loop adds a few nodes.
const MAX_HEIGHT: usize = 200;
/// The longest text that the API server takes, in characters.
const MAX_LENGTH: usize = 100_000;
/// Names that CEL keeps for itself.
pub(super) const RESERVED: [&str; 21] = [
    "as",
    "break",
    "const",
    "continue",
    "else",
    "false",
    "for",
    "function",
    "if",
    "import",
    "in",
    "let",
    "loop",
    "package",
    "namespace",
    "null",
    "return",
    "true",
    "var",
    "void",
    "while",
];

/// A text that was read.
#[derive(Debug)]
pub(super) struct Parsed {
    pub(super) expression: Expr,
    /// How many nodes have a number.
    pub(super) count: usize,
    /// False if it is too large or too deep to look at.
    pub(super) complete: bool,
}

/// Reads a whole expression.
pub(super) fn parse(text: &str) -> Result<Parsed, Mistake> {
    if text.chars().count() > MAX_LENGTH {
        return Err(Mistake::new(
            0..text.len(),
            "the rule has more than 100000 characters",
            "split it into several rules",
        ));
    }
    let tokens = lex::tokens(text)?;
    check_brackets(&tokens)?;
    let mut parser = Parser {
        tokens,
        at: 0,
        depth: 0,
        too_deep: false,
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

/// Brackets nest only as deep as the API server takes them.
fn check_brackets(tokens: &[Token]) -> Result<(), Mistake> {
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

fn too_deep(span: Span) -> Mistake {
    Mistake::new(
        span,
        "the rule is nested more than 250 deep",
        "split it into several rules",
    )
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
    too_deep: bool,
    nodes: Nodes,
}

/// An operator between two operands, and how tight it binds.
fn binary(symbol: &TokenKind) -> Option<(u8, &'static str)> {
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
    pub(super) fn peek(&self) -> &TokenKind {
        &self.tokens[self.at].kind
    }

    pub(super) fn span(&self) -> Span {
        self.tokens[self.at].span.clone()
    }

    /// Where the token before this one ended.
    pub(super) fn end(&self) -> usize {
        self.tokens[self.at.saturating_sub(1)].span.end
    }

    /// The last token is never passed.
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

    pub(super) fn expect(&mut self, symbol: &'static str) -> Result<(), Mistake> {
        if self.take(symbol) {
            return Ok(());
        }
        Err(self.unexpected(&format!("`{symbol}`")))
    }

    pub(super) fn unexpected(&self, wanted: &str) -> Mistake {
        let found = match self.peek() {
            TokenKind::End => "the rule ends too early".to_owned(),
            TokenKind::Name(name) | TokenKind::Quoted(name) => {
                format!("`{name}` is not expected here")
            }
            TokenKind::Symbol(symbol) => format!("`{symbol}` is not expected here"),
            TokenKind::Literal(_) | TokenKind::SmallestInt => {
                "a value is not expected here".to_owned()
            }
        };
        Mistake::new(self.span(), found, format!("expected {wanted}"))
    }

    fn whole(&mut self) -> Result<Expr, Mistake> {
        let expression = self.expression()?;
        if self.peek() == &TokenKind::End {
            return Ok(expression);
        }
        Err(self.unexpected("an operator or the end of the rule"))
    }

    /// `a ? b : c`, and what binds tighter.
    pub(super) fn expression(&mut self) -> Result<Expr, Mistake> {
        self.depth += 1;
        if self.depth > LOOKED_AT {
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

    fn binary(&mut self, loosest: u8) -> Result<Expr, Mistake> {
        let mut left = self.unary()?;
        let mut chained = 0;
        while let Some((binding, function)) =
            binary(self.peek()).filter(|(binding, _)| *binding >= loosest)
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

    /// Chains of `&&` and of `||` are one node, however long.
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

    fn unary(&mut self) -> Result<Expr, Mistake> {
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

    /// `-1` is one number.
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

    /// What follows a value: `.field`, `.function(…)`, `[index]`.
    fn member(&mut self, mut value: Expr) -> Result<Expr, Mistake> {
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

    fn select(&mut self, operand: Expr) -> Result<Expr, Mistake> {
        let optional = self.take("?");
        let field_span = self.span();
        let start = operand.span.start;
        let (field, quoted) = match self.peek().clone() {
            TokenKind::Name(name) if matches!(name.as_str(), "in" | "true" | "false" | "null") => {
                return Err(self.reserved_field(&name));
            }
            TokenKind::Name(name) => (name, false),
            TokenKind::Quoted(name) => (name, true),
            _ => return Err(self.unexpected("the name of a field or a function")),
        };
        self.advance();
        if !optional && !quoted && self.take("(") {
            let args = self.arguments()?;
            return self.call(field, field_span, Some(operand), args, start);
        }
        if quoted {
            return Err(Mistake::new(
                field_span,
                "the API server does not take names in backticks",
                "write the escaped name: `__dash__` for `-`, `__dot__` for `.`, `__slash__` for `/`",
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

    fn reserved_field(&self, name: &str) -> Mistake {
        Mistake::new(
            self.span(),
            format!("`{name}` is a word of CEL and cannot be the name of a field"),
            format!("write `__{name}__`"),
        )
    }

    fn index(&mut self, operand: Expr) -> Result<Expr, Mistake> {
        let function = if self.take("?") { "_[?_]" } else { "_[_]" };
        let index = self.expression()?;
        self.expect("]")?;
        let span = operand.span.start..self.end();
        Ok(self.nodes.operator(function, vec![operand, index], span))
    }

    /// The arguments after an opening parenthesis.
    pub(super) fn arguments(&mut self) -> Result<Vec<Expr>, Mistake> {
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

    pub(super) fn call(
        &mut self,
        function: String,
        name_span: Span,
        target: Option<Expr>,
        args: Vec<Expr>,
        start: usize,
    ) -> Result<Expr, Mistake> {
        let call = macros::Call {
            function,
            name_span,
            target,
            args,
            span: start..self.end(),
        };
        macros::expand(call, &mut self.nodes)
    }
}
