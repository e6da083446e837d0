//! Messages and help for function calls in CEL: undeclared functions, arguments without a matching
//! overload, and optionals in place of their value.

use std::mem::discriminant;

use genclient_cel::ast::{Expr, ExprKind, Literal};
use genclient_cel::{Environment, MACROS, Overload, Type};
use genclient_syntax::{Help, closest};

use super::fields::{MessageWriter, dotted_path, fields_of, operator_symbol, outline, source_text};
use crate::resolve::explanation::Explanation;

/// Help for a value that is not boolean where a condition is expected.
pub(super) const COMPARE: &str = "compare it with a value: `… == …`";

/// A call that matches no overload.
pub(super) struct Call<'w> {
    pub(super) writer: &'w MessageWriter<'w>,
    pub(super) environment: &'w Environment<'w>,
    pub(super) function: &'w str,
    pub(super) target: Option<&'w Expr>,
    pub(super) args: &'w [Expr],
    /// Types of the arguments, the receiver's first.
    pub(super) types: &'w [Type],
}

/// An operand or argument with its type.
#[derive(Clone, Copy)]
struct Operand<'w> {
    expr: &'w Expr,
    type_: &'w Type,
}

impl Call<'_> {
    /// Returns what to write instead of this call.
    pub(super) fn help(&self) -> String {
        if let Some(help) = optional_help(self.function, self.types) {
            return help;
        }
        match (self.function, self.args, self.types) {
            ("_?_:_", _, [condition, ..]) if !is_assignable(condition, &Type::Bool) => {
                COMPARE.to_owned()
            }
            ("_?_:_", [_, left, right], [_, left_type, right_type]) => {
                let [left, right] = operand_pair(left, left_type, right, right_type);
                self.conversion_help(left, right)
            }
            ("!_", ..) => COMPARE.to_owned(),
            ("_[_]", _, [Type::List(_), _]) => {
                "the index of a list must be an int: `[0]`".to_owned()
            }
            ("contains", _, [Type::List(_), ..]) => match self.target {
                Some(list) => format!("write `… in {}`", outline(list)),
                None => self.overloads_help(),
            },
            (operator, [left, right], [left_type, right_type])
                if operator_symbol(operator).is_some() =>
            {
                let [left, right] = operand_pair(left, left_type, right, right_type);
                self.operator_help(left, right)
            }
            ("-_", [expr], [type_]) => {
                match self.conversion_call(Operand { expr, type_ }, &Type::Int) {
                    Some(number) => format!("convert it: {number}"),
                    None => "write a number".to_owned(),
                }
            }
            _ => self
                .converted_method_help()
                .unwrap_or_else(|| self.overloads_help()),
        }
    }

    /// Help for an operator that is not defined for its two operands. Conversions come last: they
    /// are the help if no operand shows what the author meant.
    fn operator_help(&self, left: Operand<'_>, right: Operand<'_>) -> String {
        if let Some(help) = self.library_operator_help(left, right) {
            return help;
        }
        if let Some(map) = [left, right]
            .iter()
            .find_map(|operand| self.writer.counted_map(operand.expr))
        {
            return format!("write `{map}.size()`");
        }
        let literal = self
            .literal_help(left, right)
            .or_else(|| self.literal_help(right, left));
        if let Some(help) = literal {
            return help;
        }
        match (left.type_, right.type_) {
            _ if self.function == "@in" => {
                "the right side must be a list of such values, or a map with such keys".to_owned()
            }
            (Type::Object(_), Type::Object(_)) if self.is_equality() => {
                "objects of different types cannot be compared: compare their fields".to_owned()
            }
            (Type::Object(_), Type::Object(_)) => {
                "objects have no order: compare their fields".to_owned()
            }
            (Type::Object(_), other) => self.field_help(left, other),
            (other, Type::Object(_)) => self.field_help(right, other),
            (Type::List(_) | Type::Map(..), _) | (_, Type::List(_) | Type::Map(..)) => {
                "compare its size: `.size()`, or its items: `.all(…)`".to_owned()
            }
            // `string(…) + …` is not suggested: the cost of `+` depends on lengths, and the result
            // of `string(…)` has no maximum length.
            (Type::Text, _) | (_, Type::Text) if self.function == "_+_" => {
                let (left, right) = (operand_text(left.expr), operand_text(right.expr));
                format!("write `'%s%s'.format([{left}, {right}])`")
            }
            (left_type, right_type) if left_type == right_type => self.defined_types_help(),
            _ => self.conversion_help(left, right),
        }
    }

    fn is_equality(&self) -> bool {
        matches!(self.function, "_==_" | "_!=_")
    }

    /// Help for a literal if the other operand has another type.
    fn literal_help(&self, literal: Operand<'_>, other: Operand<'_>) -> Option<String> {
        let ExprKind::Literal(literal) = &literal.expr.kind else {
            return None;
        };
        Some(match (literal, other.type_) {
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
            ) => format!(
                "write `{}('{text}')`",
                other.type_.to_string().to_lowercase()
            ),
            (Literal::Int(number), Type::Double) => format!("write {number}.0"),
            (Literal::Null, _) => self.null_help(other.expr),
            _ => return None,
        })
    }

    /// Help for a comparison with `null`.
    fn null_help(&self, value: &Expr) -> String {
        match (self.function, dotted_path(value, ".")) {
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
    fn field_help(&self, object: Operand<'_>, other: &Type) -> String {
        let mut fields = fields_of(object.type_, self.environment);
        let fitting = fields.find(|(_, field)| field.declared.type_ == *other);
        match fitting.zip(dotted_path(object.expr, ".?")) {
            Some(((field, _), path)) => format!("compare a field of it: `{path}.{field}`"),
            None => "compare a field of it".to_owned(),
        }
    }

    /// Help with the conversions that give both operands the same type. Conversions to string come
    /// first, since only that of bytes can fail.
    fn conversion_help(&self, left: Operand<'_>, right: Operand<'_>) -> String {
        // As text, `'2h'` would be greater than `'10h'`.
        let from_text = match (left.type_, right.type_) {
            (Type::Text, to @ (Type::Duration | Type::Timestamp)) => self.conversion_call(left, to),
            (to @ (Type::Duration | Type::Timestamp), Type::Text) => {
                self.conversion_call(right, to)
            }
            _ => None,
        };
        if let Some(call) = from_text {
            return format!("write {call}");
        }
        let mut directions = [(left, right), (right, left)];
        directions.sort_by_key(|(_, to)| *to.type_ != Type::Text);
        let calls: Vec<_> = directions
            .into_iter()
            .filter_map(|(from, to)| self.conversion_call(from, to.type_))
            .collect();
        if calls.is_empty() {
            return "both sides must have the same type".to_owned();
        }
        format!("convert one side: {}", calls.join(", or "))
    }

    /// Returns the call that converts `from` to the type `to`, or `None` if no overload of the
    /// conversion takes its type.
    fn conversion_call(&self, from: Operand<'_>, to: &Type) -> Option<String> {
        let function = to.to_string().to_lowercase();
        let mut overloads = self.environment.functions.get(&function)?.iter();
        overloads
            .any(|overload| overload.args.as_slice() == std::slice::from_ref(from.type_))
            .then(|| format!("`{function}({})`", operand_text(from.expr)))
    }

    /// Help that lists up to four overloads. For a method call, these are the methods of the
    /// receiver's type, or else all methods. For any other call, these are the overloads that are
    /// not methods. If the function has no such overloads, all its overloads are listed.
    fn overloads_help(&self) -> String {
        let overloads = self
            .environment
            .functions
            .get(self.function)
            .unwrap_or_default();
        let has_same_form = |overload: &Overload| overload.method == self.target.is_some();
        let fits_receiver = |overload: &Overload| {
            has_same_form(overload)
                && overload
                    .args
                    .iter()
                    .zip(self.types)
                    .take(1)
                    .all(|(wanted, type_)| !overload.method || is_assignable(type_, wanted))
        };
        let declarations_of = |is_listed: &dyn Fn(&Overload) -> bool| -> Vec<_> {
            let mut declarations: Vec<_> = overloads
                .iter()
                .filter(|overload| is_listed(overload))
                .map(|overload| show_overload(self.function, overload))
                .collect();
            declarations.sort();
            declarations
        };
        let mut listed = [
            declarations_of(&fits_receiver),
            declarations_of(&has_same_form),
            declarations_of(&|_| true),
        ]
        .into_iter()
        .find(|declarations| !declarations.is_empty())
        .unwrap_or_default();
        let more = if listed.len() > 4 { ", …" } else { "" };
        listed.truncate(4);
        format!("available overloads are {}{more}", listed.join(", "))
    }
}

/// Joins the arguments of an operator with their types.
fn operand_pair<'w>(
    left: &'w Expr,
    left_type: &'w Type,
    right: &'w Expr,
    right_type: &'w Type,
) -> [Operand<'w>; 2] {
    [(left, left_type), (right, right_type)].map(|(expr, type_)| Operand { expr, type_ })
}

/// Short source form of a value, or `…`.
fn operand_text(value: &Expr) -> String {
    match &value.kind {
        ExprKind::Literal(Literal::Text(text)) if !text.contains(['\'', '\\']) => {
            format!("'{text}'")
        }
        _ => dotted_path(value, ".").unwrap_or_else(|| "…".to_owned()),
    }
}

/// Returns an overload as `receiver.function(arguments)` or `function(arguments)`, with types.
fn show_overload(function: &str, overload: &Overload) -> String {
    match overload.args.split_first() {
        Some((receiver, rest)) if overload.method => {
            format!("`{receiver}.{function}({})`", join_types(rest))
        }
        _ => format!("`{function}({})`", join_types(&overload.args)),
    }
}

pub(super) fn join_types(types: &[Type]) -> String {
    types
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(", ")
}

/// Help for unwrapping an optional.
pub(super) fn unwrap_help(value: &Type) -> String {
    let call = or_value(value);
    format!("take the value out of the optional: `{call}`")
}

/// Help for an optional where a condition is expected.
pub(super) fn unwrap_condition_help(value: &Type) -> String {
    if *value == Type::Bool {
        return unwrap_help(value);
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
        Type::Optional(value) => Some(unwrap_help(value)),
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

impl MessageWriter<'_> {
    pub(super) fn explain_undeclared_function(
        &self,
        function: &str,
        target: Option<&(usize, Type)>,
    ) -> Explanation {
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
            Some(&(_, fewest, most)) => macro_help(function, fewest, most, receiver).into(),
            None if is_not => "write `!(…)`".into(),
            None => match self.suggest_function(&written, receiver) {
                Some(meant) => Help::did_you_mean(&written, meant),
                None => "the API server has no function with this name".into(),
            },
        };
        Explanation::new(
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
            self.suggest_function(name, Some(receiver))?
        };
        if methods(name).any(|overload| overload.args.len() == 1) {
            return Some(format!("{name}()"));
        }
        Some(format!("{name}(…)"))
    }

    /// Suggests a function or macro for `written`: one with a similar name, or the counterpart of
    /// a function of another language. The suggestion can be called on `receiver`, or without a
    /// receiver if `receiver` is `None`.
    fn suggest_function(&self, written: &str, receiver: Option<&Type>) -> Option<&'static str> {
        let functions = self.environment.functions;
        let has_such_overload = |name: &&str| {
            let mut overloads = functions.get(name).unwrap_or_default().iter();
            overloads.any(|overload| is_called_on(overload, receiver))
        };
        let names = functions.names().filter(has_such_overload);
        let macros = MACROS
            .iter()
            .map(|(name, ..)| *name)
            .filter(|name| is_macro_on(name, receiver));
        let candidates: Vec<_> = names.chain(macros).collect();
        closest(written, candidates.iter().copied()).or_else(|| {
            let mut counterparts = OTHER_LANGUAGES
                .iter()
                .filter(|(_, name)| candidates.contains(name));
            let meant = closest(written, counterparts.clone().map(|(other, _)| *other))?;
            let (_, name) = counterparts.find(|(other, _)| *other == meant)?;
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
        (Some(receiver), Some(wanted)) => overload.method && is_assignable(receiver, wanted),
        (receiver, _) => receiver.is_none() && !overload.method,
    }
}

/// True if a value of the type may be passed where `wanted` is expected. Any two maps, any two
/// optionals and any two objects match: this only selects what help shows.
fn is_assignable(type_: &Type, wanted: &Type) -> bool {
    match (type_, wanted) {
        (Type::Dyn | Type::Error, _) | (_, Type::Dyn | Type::Parameter(_)) => true,
        (Type::List(items), Type::List(wanted)) => is_assignable(items, wanted),
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
    /// Help with the method call that replaces an operator on quantities or versions.
    fn library_operator_help(&self, left: Operand<'_>, right: Operand<'_>) -> Option<String> {
        let to = [left.type_, right.type_]
            .into_iter()
            .find(|type_| matches!(type_, Type::Named("Quantity" | "Semver")))?;
        let is_quantity = *to == Type::Named("Quantity");
        let (left, right) = (self.text_as(left, to)?, self.text_as(right, to)?);
        Some(match operator_symbol(self.function)? {
            "<" => format!("write `{left}.isLessThan({right})`"),
            ">" => format!("write `{left}.isGreaterThan({right})`"),
            order @ ("<=" | ">=") => format!("write `{left}.compareTo({right}) {order} 0`"),
            "+" if is_quantity => format!("write `{left}.add({right})`"),
            "-" if is_quantity => format!("write `{left}.sub({right})`"),
            _ => return None,
        })
    }

    /// Help with the conversions that make the receiver and the arguments of a method call fit an
    /// overload for values of libraries, durations or timestamps. Returns `None` if several of them
    /// fit equally well and more than two would be shown.
    fn converted_method_help(&self) -> Option<String> {
        let target = self.target?;
        let operands: Vec<_> = [target]
            .into_iter()
            .chain(self.args)
            .zip(self.types)
            .map(|(expr, type_)| Operand { expr, type_ })
            .collect();
        // If all types of an overload fit, there is nothing to convert.
        let can_be_converted = |overload: &Overload| {
            let mut types = overload.args.iter().zip(self.types);
            overload.method
                && overload.args.len() == self.args.len() + 1
                && types.any(|(wanted, type_)| !is_assignable(type_, wanted))
        };
        let converted_call = |overload: &Overload| {
            let texts: Option<Vec<_>> = operands
                .iter()
                .zip(&overload.args)
                .map(|(operand, wanted)| self.text_as(*operand, wanted))
                .collect();
            let (receiver, arguments) = texts.as_ref()?.split_first()?;
            Some(format!(
                "`{receiver}.{}({})`",
                self.function,
                arguments.join(", ")
            ))
        };
        // The receiver says best which overload is meant.
        let (receiver_fits, receiver_differs): (Vec<_>, Vec<_>) = self
            .environment
            .functions
            .get(self.function)?
            .iter()
            .filter(|overload| can_be_converted(overload))
            .partition(|overload| is_assignable(&self.types[0], &overload.args[0]));
        let candidates = if receiver_fits.is_empty() {
            receiver_differs
        } else {
            receiver_fits
        };
        let mut calls: Vec<_> = candidates
            .iter()
            .filter_map(|overload| converted_call(overload))
            .collect();
        calls.sort();
        calls.dedup();
        matches!(calls.len(), 1 | 2).then(|| format!("write {}", calls.join(", or ")))
    }

    /// Returns the text of a value, with the call that converts it to the type if it has another.
    /// Returns `None` if no function of a library converts it.
    fn text_as(&self, operand: Operand<'_>, wanted: &Type) -> Option<String> {
        let Operand { expr, type_ } = operand;
        let text = self.value_text(expr);
        if is_assignable(type_, wanted) {
            return Some(text);
        }
        if !matches!(wanted, Type::Named(_) | Type::Duration | Type::Timestamp) {
            return None;
        }
        let function = wanted.to_string().to_lowercase();
        match (&expr.kind, type_) {
            (ExprKind::Literal(Literal::Int(number)), _) if *wanted == Type::Named("Quantity") => {
                return Some(format!("{function}('{number}')"));
            }
            (_, Type::Text) => {}
            _ => return None,
        }
        let mut overloads = self.environment.functions.get(&function)?.iter();
        overloads
            .any(|overload| !overload.method && overload.args == [Type::Text])
            .then(|| format!("{function}({text})"))
    }

    /// Returns the text of a value that needs no brackets before `.` or `,`, or else `…`.
    fn value_text(&self, value: &Expr) -> String {
        let is_operator = matches!(&value.kind, ExprKind::Call { function, .. }
            if operator_symbol(function).is_some_and(|symbol| symbol != "[]" && symbol != "?."));
        let text = source_text(value, self.writer.text).filter(|_| !is_operator);
        text.unwrap_or("…").to_owned()
    }

    /// Says for which types an operator is defined that was applied to two values of one type.
    fn defined_types_help(&self) -> String {
        let overloads = self.environment.functions.get(self.function);
        let mut types: Vec<_> = overloads
            .unwrap_or_default()
            .iter()
            .filter(|overload| overload.args.first() == overload.args.last())
            .filter_map(|overload| overload.args.first())
            .map(ToString::to_string)
            .collect();
        types.sort();
        let operator = operator_symbol(self.function).unwrap_or(self.function);
        format!("`{operator}` is defined for {}", types.join(", "))
    }
}
