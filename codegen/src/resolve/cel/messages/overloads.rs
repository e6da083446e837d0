//! Messages and help about calls: undeclared functions, calls that match no overload, and optionals
//! where their value is expected.

use std::mem::discriminant;

use genclient_cel::ast::{Expr, ExprKind, Literal};
use genclient_cel::{Environment, MACROS, Overload, Type};
use genclient_syntax::closest;

use super::fields::{Words, fields_of, path, shown, source, symbol};

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
type Operand<'w> = (&'w Expr, &'w Type);

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
        let ways: Vec<_> = pairs
            .map(|(from, to)| self.converted(from, to.1))
            .into_iter()
            .flatten()
            .collect();
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

impl Words<'_> {
    pub(super) fn undeclared_function(
        &self,
        function: &str,
        target: Option<&(usize, Type)>,
    ) -> (String, String) {
        let library = target
            .and_then(|(target, _)| self.node(*target).qualified_name())
            .filter(|prefix| LIBRARIES.contains(&prefix.as_str()));
        let written = match &library {
            Some(library) => format!("{library}.{function}"),
            None => function.to_owned(),
        };
        let receiver = target.filter(|_| library.is_none()).map(|(_, type_)| type_);
        let is_not = function.eq_ignore_ascii_case("not") && target.is_none();
        let help = match MACROS.iter().find(|(name, ..)| *name == function) {
            Some(&(_, fewest, most)) => macro_help(function, fewest, most, receiver),
            None if is_not => "write `!(…)`".to_owned(),
            None => match self.meant(&written, receiver) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => "the API server has no function with this name".to_owned(),
            },
        };
        (
            format!("undeclared reference to function `{written}`"),
            help,
        )
    }

    /// Returns the call for a method or macro without brackets: `size()` for `size`, and
    /// `startsWith(…)` for `startsWith`.
    pub(super) fn call_of(&self, name: &str, receiver: &Type) -> Option<String> {
        let functions = self.environment.functions;
        let methods = |name| {
            let overloads = functions.get(name).unwrap_or_default().iter();
            overloads.filter(|overload| is_called_on(overload, Some(receiver)))
        };
        let is_macro = |name| {
            let mut macros = MACROS.iter();
            macros.any(|(macro_, ..)| *macro_ == name) && is_macro_on(name, Some(receiver))
        };
        let is_known = methods(name).next().is_some() || is_macro(name);
        let name = if is_known {
            name
        } else {
            self.meant(name, Some(receiver))?
        };
        if methods(name).any(|overload| overload.args.len() == 1) {
            return Some(format!("{name}()"));
        }
        Some(format!("{name}(…)"))
    }

    /// Suggests a function or macro for `written`: one with a similar name, or the counterpart of
    /// a function of another language. The suggestion can be called on `receiver`, or without a
    /// receiver if `receiver` is `None`.
    fn meant(&self, written: &str, receiver: Option<&Type>) -> Option<&'static str> {
        let functions = self.environment.functions;
        let is_called_so = |name: &&str| {
            let mut overloads = functions.get(name).unwrap_or_default().iter();
            overloads.any(|overload| is_called_on(overload, receiver))
        };
        let names = functions.names().filter(is_called_so);
        let macros = MACROS
            .iter()
            .map(|(name, ..)| *name)
            .filter(|name| is_macro_on(name, receiver));
        let candidates: Vec<_> = names.chain(macros).collect();
        closest(written, candidates.iter().copied()).or_else(|| {
            let mut others = OTHER_LANGUAGES.iter();
            let (_, name) =
                others.find(|(other, name)| *other == written && candidates.contains(name))?;
            Some(*name)
        })
    }
}

/// Says how to call a macro that takes `fewest` or `most` arguments.
fn macro_help(function: &str, fewest: usize, most: usize, receiver: Option<&Type>) -> String {
    match (function, receiver) {
        ("has", _) => "call it with one field: `has(self.…)`".to_owned(),
        (_, None) => format!("call it on a value: `….{function}(…)`"),
        _ if fewest == most => format!("`{function}` takes {fewest} arguments"),
        _ => format!("`{function}` takes {fewest} or {most} arguments"),
    }
}

fn is_called_on(overload: &Overload, receiver: Option<&Type>) -> bool {
    match (receiver, overload.args.first()) {
        (Some(receiver), Some(wanted)) => overload.method && may_be(receiver, wanted),
        (receiver, _) => receiver.is_none() && !overload.method,
    }
}

/// True if a value of the type may be passed where `wanted` is expected. Any two maps, any two
/// optionals and any two objects match.
fn may_be(type_: &Type, wanted: &Type) -> bool {
    match (type_, wanted) {
        (Type::Dyn | Type::Error, _) | (_, Type::Dyn | Type::Parameter(_)) => true,
        (Type::List(items), Type::List(wanted)) => may_be(items, wanted),
        (Type::Named(name), Type::Named(wanted)) => name == wanted,
        _ => discriminant(type_) == discriminant(wanted),
    }
}

fn is_macro_on(name: &str, receiver: Option<&Type>) -> bool {
    match receiver {
        None => name == "has",
        Some(Type::Dyn | Type::Error) => name != "has",
        Some(Type::Optional(_)) => name.starts_with("opt"),
        Some(Type::List(_) | Type::Map(..)) => name != "has" && !name.starts_with("opt"),
        Some(_) => false,
    }
}

/// Namespaces of functions that have no receiver.
const LIBRARIES: [&str; 8] = [
    "cel", "math", "base64", "sets", "lists", "strings", "optional", "format",
];

/// Functions of other languages, with the CEL functions that replace them.
const OTHER_LANGUAGES: [(&str, &str); 9] = [
    ("any", "exists"),
    ("count", "size"),
    ("every", "all"),
    ("includes", "contains"),
    ("len", "size"),
    ("length", "size"),
    ("toLowerCase", "lowerAscii"),
    ("toUpperCase", "upperAscii"),
    ("to_string", "string"),
];

impl Call<'_> {
    /// Returns the method call that replaces an operator on quantities or versions.
    fn library_operator(&self, left: Operand<'_>, right: Operand<'_>) -> Option<String> {
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
    fn converted_method(&self) -> Option<String> {
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
    fn defined_types(&self) -> String {
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
