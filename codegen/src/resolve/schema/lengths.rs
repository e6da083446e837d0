//! How long an array is: a number, a constant, a const parameter, and sums of them.

use syn::{BinOp, Expr, Item, Lit, Stmt};

use super::Resolver;
use super::parameters::Parameters;
use crate::resolve::paths::Found;
use crate::sources::ModuleId;

/// Constants that lead to constants, at most so many.
const DEEPEST: usize = 32;

impl Resolver<'_, '_> {
    /// The length of an array; one that cannot be told is reported.
    pub(super) fn length(&mut self, length: &Expr) -> Option<u64> {
        let number = self.number(length);
        if number.is_none() {
            self.report(
                length,
                "the length of this array cannot be seen from here",
                "write a number, or a `const` outside of an `impl` that is one",
            );
        }
        number
    }

    /// What a constant expression is, if it is plain enough.
    pub(super) fn number(&self, value: &Expr) -> Option<u64> {
        self.evaluate(value, self.module, &self.parameters, DEEPEST)
    }

    fn evaluate(
        &self,
        value: &Expr,
        module: ModuleId,
        parameters: &Parameters,
        depth: usize,
    ) -> Option<u64> {
        let depth = depth.checked_sub(1)?;
        let part = |part: &Expr| self.evaluate(part, module, parameters, depth);
        match value {
            Expr::Lit(literal) => match &literal.lit {
                Lit::Int(number) => number.base10_parse().ok(),
                _ => None,
            },
            Expr::Paren(inner) => part(&inner.expr),
            Expr::Group(inner) => part(&inner.expr),
            Expr::Cast(cast) => part(&cast.expr),
            Expr::Block(block) => match &block.block.stmts[..] {
                [Stmt::Expr(value, None)] => part(value),
                _ => None,
            },
            Expr::Binary(sum) => calculate(part(&sum.left)?, &sum.op, part(&sum.right)?),
            Expr::Path(path) if path.qself.is_none() => {
                if let Some(number) = path
                    .path
                    .get_ident()
                    .and_then(|name| parameters.of_number(name))
                {
                    return number;
                }
                match self.paths.find_value(module, &path.path)? {
                    Found::Item(owner, Item::Const(constant)) => {
                        self.evaluate(&constant.expr, owner, &Parameters::default(), depth)
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

fn calculate(left: u64, operator: &BinOp, right: u64) -> Option<u64> {
    match operator {
        BinOp::Add(_) => left.checked_add(right),
        BinOp::Sub(_) => left.checked_sub(right),
        BinOp::Mul(_) => left.checked_mul(right),
        BinOp::Div(_) => left.checked_div(right),
        BinOp::Rem(_) => left.checked_rem(right),
        BinOp::Shl(_) => left.checked_shl(u32::try_from(right).ok()?),
        _ => None,
    }
}
