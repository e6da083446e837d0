//! Help for operators and methods of values that a function of a library makes, such as quantities.

use genclient_cel::ast::{Expr, ExprKind, Literal};
use genclient_cel::{Overload, Type};

use super::expression::{source, symbol};
use super::functions::may_be;
use super::overloads::{Call, Operand};

impl Call<'_> {
    /// Returns the method call that replaces an operator on quantities or versions.
    pub(super) fn library_operator(&self, left: Operand<'_>, right: Operand<'_>) -> Option<String> {
        let of_library = |type_: &Type| matches!(type_, Type::Named("Quantity" | "Semver"));
        let to = [left.1, right.1].into_iter().find(|to| of_library(to))?;
        let is_quantity = *to == Type::Named("Quantity");
        let (left, right) = (self.made(left, to)?, self.made(right, to)?);
        Some(match symbol(self.function)? {
            "<" => format!("write `{left}.isLessThan({right})`"),
            ">" => format!("write `{left}.isGreaterThan({right})`"),
            order @ ("<=" | ">=") => format!("write `{left}.compareTo({right}) {order} 0`"),
            "+" if is_quantity => format!("write `{left}.add({right})`"),
            "-" if is_quantity => format!("write `{left}.sub({right})`"),
            _ => return None,
        })
    }

    /// Returns the call with the conversions that make its receiver and arguments fit an overload
    /// for values of libraries, durations or timestamps. Returns `None` if several of them fit
    /// equally well and more than two would be shown.
    pub(super) fn converted_method(&self) -> Option<String> {
        let target = self.target?;
        let values: Vec<_> = [target].into_iter().chain(self.args).collect();
        let overloads = self.words.environment.functions.get(self.function)?;
        let is_method = |overload: &Overload| {
            let mut operands = overload.args.iter().zip(self.types);
            overload.method
                && overload.args.len() == values.len()
                && operands.any(|(wanted, type_)| !may_be(type_, wanted))
        };
        let written = |overload: &Overload| {
            let operands = values.iter().copied().zip(self.types);
            let made: Option<Vec<_>> = operands
                .zip(&overload.args)
                .map(|(operand, wanted)| self.made(operand, wanted))
                .collect();
            let (receiver, rest) = made.as_ref()?.split_first()?;
            Some(format!(
                "`{receiver}.{}({})`",
                self.function,
                rest.join(", ")
            ))
        };
        let (kept, other): (Vec<_>, Vec<_>) = overloads
            .iter()
            .filter(|overload| is_method(overload))
            .partition(|overload| may_be(&self.types[0], &overload.args[0]));
        let candidates = if kept.is_empty() { other } else { kept };
        let mut ways: Vec<_> = candidates.iter().filter_map(|it| written(it)).collect();
        ways.sort();
        ways.dedup();
        matches!(ways.len(), 1 | 2).then(|| format!("write {}", ways.join(", or ")))
    }

    /// Returns the text of a value, with the call that converts it to the type if it has another.
    /// Returns `None` if no function of a library converts it.
    fn made(&self, (value, type_): Operand<'_>, wanted: &Type) -> Option<String> {
        let text = self.value_text(value);
        if may_be(type_, wanted) {
            return Some(text);
        }
        if !matches!(wanted, Type::Named(_) | Type::Duration | Type::Timestamp) {
            return None;
        }
        let function = wanted.to_string().to_lowercase();
        match (&value.kind, type_) {
            (ExprKind::Literal(Literal::Int(number)), _) if *wanted == Type::Named("Quantity") => {
                return Some(format!("{function}('{number}')"));
            }
            (_, Type::Text) => {}
            _ => return None,
        }
        let mut overloads = self.words.environment.functions.get(&function)?.iter();
        overloads
            .any(|overload| !overload.method && overload.args == [Type::Text])
            .then(|| format!("{function}({text})"))
    }

    /// Returns the text of a value that needs no brackets before `.` or `,`, or else `…`.
    fn value_text(&self, value: &Expr) -> String {
        let is_operator = matches!(&value.kind, ExprKind::Call { function, .. }
            if symbol(function).is_some_and(|symbol| symbol != "[]" && symbol != "?."));
        let text = source(value, self.words.text).filter(|_| !is_operator);
        text.unwrap_or("…").to_owned()
    }

    /// Says for which types an operator is defined that was applied to two values of one type.
    pub(super) fn defined_types(&self) -> String {
        let overloads = self.words.environment.functions.get(self.function);
        let mut types: Vec<_> = overloads
            .unwrap_or_default()
            .iter()
            .filter(|overload| overload.args.first() == overload.args.last())
            .filter_map(|overload| overload.args.first())
            .map(ToString::to_string)
            .collect();
        types.sort();
        let operator = symbol(self.function).unwrap_or(self.function);
        format!("`{operator}` is defined for {}", types.join(", "))
    }
}
