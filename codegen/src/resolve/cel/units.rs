//! Warnings about durations and quantities that a rule uses as text. As text, `'2h'` is greater
//! than `'10h'`, and `'1024Mi'` differs from `'1Gi'`.

use std::sync::LazyLock;

use genclient_cel::Type;
use genclient_cel::ast::{Expr, ExprKind, Literal};
use genclient_cel::declare::Declared;
use genclient_schema::kubernetes::QUANTITY;

use super::finding::Finding;
use super::words::{source, symbol};
use crate::known::duration_pattern;

/// Methods of quantities. Text and numbers have none of them.
const METHODS: [&str; 8] = [
    "add",
    "asApproximateFloat",
    "asInteger",
    "compareTo",
    "isGreaterThan",
    "isInteger",
    "isLessThan",
    "sub",
];

/// What the text of a field means, according to its pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Duration,
    /// A quantity, which may be a number instead of text if `or_number` is set.
    Quantity {
        or_number: bool,
    },
}

impl Unit {
    /// Returns the unit of the values of a type that the generator knows.
    fn of(declared: &Declared) -> Option<Self> {
        static DURATION: LazyLock<String> = LazyLock::new(duration_pattern);
        let pattern = declared.pattern.as_deref()?;
        match declared.type_ {
            Type::Text if pattern == *DURATION => Some(Self::Duration),
            Type::Text | Type::Dyn if pattern == QUANTITY => Some(Self::Quantity {
                or_number: declared.type_ == Type::Dyn,
            }),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Duration => "duration",
            Self::Quantity { .. } => "quantity",
        }
    }

    /// Returns the conversion of an operand. `quantity` takes only text, so `string` comes first
    /// for a field that may be a number.
    fn convert(self, operand: &Expr, text: &str) -> Option<String> {
        let written = source(operand, text)?;
        match (self, &operand.kind) {
            (Self::Duration, ExprKind::Literal(Literal::Text(_))) => {
                Some(format!("duration({written})"))
            }
            (Self::Quantity { .. }, ExprKind::Literal(Literal::Text(_))) => {
                Some(format!("quantity({written})"))
            }
            (Self::Quantity { .. }, ExprKind::Literal(Literal::Int(_) | Literal::Double(_))) => {
                Some(format!("quantity('{written}')"))
            }
            (_, ExprKind::Literal(_)) => None,
            (Self::Duration, _) => Some(format!("duration({written})")),
            (Self::Quantity { or_number: true }, _) => Some(format!("quantity(string({written}))")),
            (Self::Quantity { or_number: false }, _) => Some(format!("quantity({written})")),
        }
    }

    fn compare(self, operator: &str, left: &str, right: &str) -> String {
        match (self, operator) {
            (Self::Duration, _) | (_, "==") => format!("{left} {operator} {right}"),
            (_, "<") => format!("{left}.isLessThan({right})"),
            (_, ">") => format!("{left}.isGreaterThan({right})"),
            (..) => format!("{left}.compareTo({right}) {operator} 0"),
        }
    }
}

/// Checker of the comparisons in one expression.
pub(super) struct Units<'t> {
    text: &'t str,
    /// Values whose type the expression tests with `type(…)`. It handles text and numbers itself.
    tested: Vec<&'t str>,
}

impl<'t> Units<'t> {
    pub(super) fn new(expression: &Expr, text: &'t str) -> Self {
        let mut tested = Vec::new();
        expression.visit(&mut |node| {
            if let ExprKind::Call { function, args, .. } = &node.kind
                && let ("type", [value]) = (function.as_str(), args.as_slice())
            {
                tested.extend(source(value, text));
            }
        });
        Self { text, tested }
    }

    /// Returns the warning about a call. `declared` returns the declaration of a field.
    pub(super) fn check(
        &self,
        node: &'t Expr,
        declared: impl Fn(&'t Expr) -> Option<&'t Declared>,
    ) -> Option<Finding> {
        let ExprKind::Call {
            function,
            target,
            args,
            ..
        } = &node.kind
        else {
            return None;
        };
        let unit = |operand| {
            let unit = Unit::of(declared(operand)?)?;
            let written = source(operand, self.text)?;
            (!self.tested.contains(&written)).then_some((unit, written))
        };
        match (function.as_str(), target.as_deref(), args.as_slice()) {
            ("_==_" | "_!=_" | "_<_" | "_<=_" | "_>_" | "_>=_", None, [left, right]) => {
                self.comparison(node, [left, right], unit)
            }
            ("quantity" | "isQuantity", None, [value]) => {
                let (Unit::Quantity { or_number: true }, written) = unit(value)? else {
                    return None;
                };
                let message = format!("`{function}` fails if `{written}` is a number");
                let help = format!("write `{function}(string({written}))`");
                Some(Finding::warning(message, help).at(node.span.clone()))
            }
            (method, Some(target), args) if METHODS.contains(&method) => {
                let (unit, written) = unit(target)?;
                let made = unit.convert(target, self.text)?;
                let args: Vec<_> = args
                    .iter()
                    .map(|arg| source(arg, self.text).unwrap_or("…"))
                    .collect();
                let message = format!("`{written}` is not a quantity, but text or a number");
                let help = format!("write `{made}.{method}({})`", args.join(", "));
                Some(Finding::warning(message, help).at(node.span.clone()))
            }
            _ => None,
        }
    }

    /// Returns the warning about a comparison of a field that has a unit with a literal, or for
    /// order also with another field. Fields may be compared for equality, as `immutable` does.
    fn comparison(
        &self,
        node: &Expr,
        sides: [&'t Expr; 2],
        unit: impl Fn(&'t Expr) -> Option<(Unit, &'t str)>,
    ) -> Option<Finding> {
        let ExprKind::Call { function, .. } = &node.kind else {
            return None;
        };
        let operator = symbol(function)?;
        let [left, right] = sides;
        let ((of, written), other) = unit(left)
            .map(|unit| (unit, right))
            .or_else(|| Some((unit(right)?, left)))?;
        let is_order = !matches!(operator, "==" | "!=");
        let is_number = match &other.kind {
            // A comparison with the empty string tests whether a value is set.
            ExprKind::Literal(Literal::Text(text)) if text.is_empty() => return None,
            ExprKind::Literal(literal) => !matches!(literal, Literal::Text(_)),
            ExprKind::Ident(_) | ExprKind::Select(_) if is_order => false,
            _ => return None,
        };
        let convert = |side: &'t Expr| {
            let own = unit(side).map_or(of, |(own, _)| own);
            own.convert(side, self.text)
        };
        let meant = of.compare(operator, &convert(left)?, &convert(right)?);
        let name = of.name();
        let message = if is_number {
            format!("`{operator}` does not compare `{written}` as a {name} if it is text")
        } else {
            format!("`{operator}` compares `{written}` as text, not as a {name}")
        };
        Some(Finding::warning(message, format!("write `{meant}`")).at(node.span.clone()))
    }
}
