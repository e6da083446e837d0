//! Help for calls that match no overload, and for optionals where their value is expected.

use genclient_cel::ast::{Expr, ExprKind, Literal};
use genclient_cel::{Environment, Overload, Type};

use super::expression::{Words, path, shown, symbol};
use super::fields::fields_of;
use super::functions::may_be;

/// Help for a value that is not boolean where a condition is expected.
pub(super) const COMPARE: &str = "compare it with a value: `… == …`";

/// A call that matches no overload.
pub(super) struct Call<'w> {
    pub(super) words: &'w Words<'w>,
    pub(super) environment: &'w Environment<'w>,
    pub(super) function: &'w str,
    pub(super) target: Option<&'w Expr>,
    pub(super) args: &'w [Expr],
    /// Types of the arguments, the receiver's first.
    pub(super) types: &'w [Type],
}

/// An argument with its type.
pub(super) type Operand<'w> = (&'w Expr, &'w Type);

impl Call<'_> {
    /// Returns what to write instead of this call.
    pub(super) fn help(&self) -> String {
        if let Some(help) = optional_help(self.function, self.types) {
            return help;
        }
        match (self.function, self.args, self.types) {
            ("_?_:_", _, [condition, ..]) if !may_be(condition, &Type::Bool) => COMPARE.to_owned(),
            ("_?_:_", [_, left, right], [_, left_type, right_type]) => {
                self.conversion((left, left_type), (right, right_type))
            }
            ("!_", ..) => COMPARE.to_owned(),
            ("_[_]", _, [Type::List(_), _]) => {
                "the index of a list must be an int: `[0]`".to_owned()
            }
            ("contains", _, [Type::List(_), ..]) => match self.target {
                Some(list) => format!("write `… in {}`", shown(list)),
                None => self.overloads(),
            },
            (operator, [left, right], [left_type, right_type]) if symbol(operator).is_some() => {
                self.operands((left, left_type), (right, right_type))
            }
            ("-_", [operand], [type_]) => match self.converted((operand, type_), &Type::Int) {
                Some(number) => format!("convert it: {number}"),
                None => "write a number".to_owned(),
            },
            _ => self.converted_method().unwrap_or_else(|| self.overloads()),
        }
    }

    fn operands(&self, left: Operand<'_>, right: Operand<'_>) -> String {
        if let Some(help) = self.library_operator(left, right) {
            return help;
        }
        if let Some(map) = [left, right].iter().find_map(|it| self.words.counted(it.0)) {
            return format!("write `{map}.size()`");
        }
        let literal = self
            .literal_help(left, right)
            .or_else(|| self.literal_help(right, left));
        if let Some(help) = literal {
            return help;
        }
        match (left.1, right.1) {
            _ if self.function == "@in" => {
                "the right side must be a list of such values, or a map with such keys".to_owned()
            }
            (Type::Object(_), Type::Object(_)) if self.is_equality() => {
                "objects of different types cannot be compared: compare their fields".to_owned()
            }
            (Type::Object(_), Type::Object(_)) => {
                "objects have no order: compare their fields".to_owned()
            }
            (Type::Object(_), other) => self.field_help(left.0, left.1, other),
            (other, Type::Object(_)) => self.field_help(right.0, right.1, other),
            (Type::List(_) | Type::Map(..), _) | (_, Type::List(_) | Type::Map(..)) => {
                "compare its size: `.size()`, or its items: `.all(…)`".to_owned()
            }
            // `string(…) + …` is not suggested: the cost of `+` depends on lengths, and the result
            // of `string(…)` has no maximum length.
            (Type::Text, _) | (_, Type::Text) if self.function == "_+_" => {
                let (left, right) = (operand(left.0), operand(right.0));
                format!("write `'%s%s'.format([{left}, {right}])`")
            }
            (left, right) if left == right => self.defined_types(),
            _ => self.conversion(left, right),
        }
    }

    fn is_equality(&self) -> bool {
        matches!(self.function, "_==_" | "_!=_")
    }

    /// Help for a literal if the other operand has another type.
    fn literal_help(&self, literal: Operand<'_>, other: Operand<'_>) -> Option<String> {
        let ExprKind::Literal(literal) = &literal.0.kind else {
            return None;
        };
        Some(match (literal, other.1) {
            (Literal::Text(text), Type::Int | Type::Double) if text.parse::<f64>().is_ok() => {
                format!("write {text} without quotes")
            }
            (Literal::Int(number), Type::Text) => {
                format!("write '{number}' in quotes, or convert the string: `int(…)`")
            }
            (
                Literal::Text(text),
                Type::Duration
                | Type::Timestamp
                | Type::Named("Quantity" | "Semver" | "IP" | "CIDR" | "URL"),
            ) => format!("write `{}('{text}')`", other.1.to_string().to_lowercase()),
            (Literal::Int(number), Type::Double) => format!("write {number}.0"),
            (Literal::Null, _) => self.null_help(other.0),
            _ => return None,
        })
    }

    /// Help for a comparison with `null`.
    fn null_help(&self, value: &Expr) -> String {
        match (self.function, path(value, ".")) {
            ("_==_", Some(path)) if path.contains('.') => {
                format!("check whether it is absent: `!has({path})`")
            }
            ("_!=_", Some(path)) if path.contains('.') => {
                format!("check whether it is present: `has({path})`")
            }
            _ => "the value is never null: remove the comparison".to_owned(),
        }
    }

    /// Help for an object if the other operand has another type.
    fn field_help(&self, object: &Expr, type_: &Type, other: &Type) -> String {
        let mut fields = fields_of(type_, self.environment);
        let fitting = fields.find(|(_, field)| field.declared.type_ == *other);
        match fitting.zip(path(object, ".?")) {
            Some(((field, _), path)) => format!("compare a field of it: `{path}.{field}`"),
            None => "compare a field of it".to_owned(),
        }
    }

    /// Help with the conversions that give both operands the same type. Conversions to string come
    /// first, since only that of bytes can fail.
    fn conversion(&self, left: Operand<'_>, right: Operand<'_>) -> String {
        // As text, `'2h'` would be greater than `'10h'`.
        match (left.1, right.1) {
            (Type::Text, to @ (Type::Duration | Type::Timestamp)) => {
                if let Some(way) = self.converted(left, to) {
                    return format!("write {way}");
                }
            }
            (to @ (Type::Duration | Type::Timestamp), Type::Text) => {
                if let Some(way) = self.converted(right, to) {
                    return format!("write {way}");
                }
            }
            _ => {}
        }
        let mut pairs = [(left, right), (right, left)];
        pairs.sort_by_key(|(_, to)| *to.1 != Type::Text);
        let ways = pairs.map(|(from, to)| self.converted(from, to.1));
        let ways: Vec<_> = ways.into_iter().flatten().collect();
        if ways.is_empty() {
            return "both sides must have the same type".to_owned();
        }
        format!("convert one side: {}", ways.join(", or "))
    }

    fn converted(&self, from: Operand<'_>, to: &Type) -> Option<String> {
        let function = to.to_string().to_lowercase();
        let mut overloads = self.environment.functions.get(&function)?.iter();
        overloads
            .any(|overload| overload.args.as_slice() == std::slice::from_ref(from.1))
            .then(|| format!("`{function}({})`", operand(from.0)))
    }

    /// Help that lists up to four overloads. For a method call, these are the methods of the
    /// receiver's type, or else all methods. For any other call, these are the overloads that are
    /// not methods. If the function has no such overloads, all its overloads are listed.
    fn overloads(&self) -> String {
        let overloads = self
            .environment
            .functions
            .get(self.function)
            .unwrap_or_default();
        let methods = |overload: &Overload| overload.method == self.target.is_some();
        let of_target = |overload: &Overload| {
            methods(overload)
                && overload
                    .args
                    .iter()
                    .zip(self.types)
                    .take(1)
                    .all(|(wanted, type_)| !overload.method || may_be(type_, wanted))
        };
        let shown_if = |wanted: &dyn Fn(&Overload) -> bool| -> Vec<_> {
            let fitting = overloads.iter().filter(|overload| wanted(overload));
            let mut shown: Vec<_> = fitting
                .map(|overload| declaration(self.function, overload))
                .collect();
            shown.sort();
            shown
        };
        let choices = [
            shown_if(&of_target),
            shown_if(&methods),
            shown_if(&|_| true),
        ];
        let fitting = choices.into_iter().find(|shown| !shown.is_empty());
        let mut shown = fitting.unwrap_or_default();
        let more = if shown.len() > 4 { ", …" } else { "" };
        shown.truncate(4);
        format!("available overloads are {}{more}", shown.join(", "))
    }
}

/// Short source form of a value, or `…`.
fn operand(value: &Expr) -> String {
    match &value.kind {
        ExprKind::Literal(Literal::Text(text)) if !text.contains(['\'', '\\']) => {
            format!("'{text}'")
        }
        _ => path(value, ".").unwrap_or_else(|| "…".to_owned()),
    }
}

fn declaration(function: &str, overload: &Overload) -> String {
    match overload.args.split_first() {
        Some((receiver, rest)) if overload.method => {
            format!("`{receiver}.{function}({})`", list(rest))
        }
        _ => format!("`{function}({})`", list(&overload.args)),
    }
}

pub(super) fn list(types: &[Type]) -> String {
    types
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(", ")
}

/// Help for unwrapping an optional.
pub(super) fn take_out(value: &Type) -> String {
    let call = or_value(value);
    format!("take the value out of the optional: `{call}`")
}

/// Help for an optional where a condition is expected.
pub(super) fn as_condition(value: &Type) -> String {
    if *value == Type::Bool {
        return take_out(value);
    }
    let call = or_value(value);
    format!("take the value out of the optional and compare it: `{call} == …`")
}

/// Help for a call with an optional that no overload accepts, or for an `orValue` whose argument
/// has another type than the optional's value. `None` for a call without optionals.
fn optional_help(function: &str, types: &[Type]) -> Option<String> {
    if let ("orValue", [Type::Optional(value), _]) = (function, types) {
        let call = or_value(value);
        return Some(format!("the argument must have type {value}: `{call}`"));
    }
    types.iter().find_map(|type_| match type_ {
        Type::Optional(value) => Some(take_out(value)),
        _ => None,
    })
}

/// Returns the call that unwraps an optional with a value of the type: `.orValue(0)` for an int.
fn or_value(value: &Type) -> String {
    let otherwise = match value {
        Type::Bool => "false",
        Type::Int => "0",
        Type::Uint => "0u",
        Type::Double => "0.0",
        Type::Text => "''",
        Type::Bytes => "b''",
        Type::List(_) => "[]",
        Type::Map(..) => "{}",
        Type::Duration => "duration('0s')",
        Type::Timestamp => "timestamp('1970-01-01T00:00:00Z')",
        Type::Dyn | Type::Error => "…",
        _ => return ".value()".to_owned(),
    };
    format!(".orValue({otherwise})")
}
