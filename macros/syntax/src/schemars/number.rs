//! Number literals and bounds in Rust syntax: `1`, `-2.5`, `10u8`, `u16::MAX`.

use quote::ToTokens;
use syn::spanned::Spanned as _;
use syn::{Expr, Lit, UnOp};

use crate::{Number, Problems, Spanned};

/// Reads an expression that is a number literal or a bound, and reports any other.
pub(super) fn read(value: &Expr, problems: &mut Problems) -> Option<Spanned<Number>> {
    let number = of(value);
    if number.is_none() {
        problems.report(
            value.span(),
            format!(
                "what `{}` is cannot be seen from here",
                value.to_token_stream()
            ),
            "write the number itself",
        );
    }
    number.map(|number| Spanned::new(Number(number), value.span()))
}

fn of(value: &Expr) -> Option<String> {
    match value {
        Expr::Lit(literal) => of_literal(&literal.lit),
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => {
            Some(format!("-{}", of(&unary.expr)?))
        }
        Expr::Paren(inner) => of(&inner.expr),
        Expr::Group(inner) => of(&inner.expr),
        Expr::Cast(cast) => of(&cast.expr),
        Expr::Path(path) => bound(&path.path),
        _ => None,
    }
}

fn of_literal(literal: &Lit) -> Option<String> {
    match literal {
        Lit::Int(number) => Some(number.base10_digits().to_owned()),
        Lit::Float(number) => {
            let value: f64 = number.base10_parse().ok()?;
            Some(format!("{value:?}"))
        }
        // Older code has the expression in quotes.
        Lit::Str(text) => of(&text.parse().ok()?),
        _ => None,
    }
}

/// Returns the value of a constant such as `u16::MAX`.
fn bound(path: &syn::Path) -> Option<String> {
    let segments: Vec<_> = path.segments.iter().map(|s| s.ident.to_string()).collect();
    let [.., ty, bound] = segments.as_slice() else {
        return None;
    };
    let (signed, bits) = (ty.starts_with('i'), ty.get(1..)?.parse::<u32>().ok()?);
    if !matches!(bits, 8 | 16 | 32 | 64) || !(signed || ty.starts_with('u')) {
        return None;
    }
    let most: i128 = if signed {
        (1 << (bits - 1)) - 1
    } else {
        (1 << bits) - 1
    };
    let least = if signed { -most - 1 } else { 0 };
    match bound.as_str() {
        "MAX" => Some(most.to_string()),
        "MIN" => Some(least.to_string()),
        _ => None,
    }
}
