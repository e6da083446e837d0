//! Messages and help for errors in CEL expressions.

mod fields;
mod overloads;
mod syntax;

use genclient_cel::ast::ExprKind;
use genclient_cel::error::{Aggregate, Conversion, TypeErrorKind};
use genclient_cel::re2::PatternError;
use genclient_cel::{Type, TypeError};
use genclient_syntax::Help;

use crate::resolve::explanation::Explanation;
pub(super) use fields::{MessageWriter, explain_field_path, operator_symbol, outline, source_text};
use fields::{dotted_path, is_iterable, iterable_field, takes_optional};
pub(super) use syntax::ExpressionError;

/// Help for converting the expression `text` to a string.
fn string_conversion_help(type_: &Type, text: &str) -> String {
    match type_ {
        Type::Optional(value) => overloads::unwrap_help(value),
        Type::Bool | Type::Int | Type::Uint | Type::Double | Type::Timestamp | Type::Duration => {
            format!("convert it: `string({text})`")
        }
        Type::List(_) | Type::Map(..) => format!("convert it: `'%s'.format([{text}])`"),
        _ => "select a part of it that is a string".to_owned(),
    }
}

impl MessageWriter<'_> {
    /// Returns the error of an expression that has the type `type_` instead of `wanted` (boolean or
    /// string).
    pub(super) fn result_type_error(&self, type_: &Type, wanted: &Type) -> ExpressionError {
        let (what, help) = match (wanted, type_) {
            (Type::Bool, Type::Optional(value)) => {
                let guarded = self.guarded_old_self(&self.root.span);
                let help = guarded.unwrap_or_else(|| overloads::unwrap_condition_help(value));
                ("rule must evaluate to bool", help)
            }
            (Type::Bool, Type::Dyn) => (
                "rule must evaluate to bool",
                "compare it with a value, so that the type is bool: `… == true`".to_owned(),
            ),
            (Type::Bool, _) => ("rule must evaluate to bool", overloads::COMPARE.to_owned()),
            _ => (
                "`message_expression` must evaluate to string",
                string_conversion_help(type_, self.text),
            ),
        };
        ExpressionError {
            span: 0..self.text.len(),
            message: format!("{what}, found {type_}"),
            help: help.into(),
        }
    }

    /// Returns an error that the type checker found in the expression, with its texts.
    pub(super) fn describe_type_error(&self, error: &TypeError) -> ExpressionError {
        let Explanation { message, mut help } = self.explain_type_error(error);
        if takes_optional(&error.kind)
            && let Some(guarded) = self.guarded_old_self(&error.span)
        {
            help = guarded.into();
        }
        ExpressionError {
            span: error.span.clone(),
            message,
            help,
        }
    }

    fn explain_type_error(&self, error: &TypeError) -> Explanation {
        match &error.kind {
            TypeErrorKind::UndeclaredReference { name, variables } => {
                self.explain_undeclared_reference(name, variables, &error.span)
            }
            TypeErrorKind::UndefinedField {
                operand,
                field,
                object,
            } => self.explain_undefined_field(*operand, field, &self.environment.objects[*object]),
            TypeErrorKind::NotSelectable { node, type_, field } => {
                self.explain_not_selectable(*node, type_, field)
            }
            TypeErrorKind::UndeclaredFunction { function, target } => {
                self.explain_undeclared_function(function, target.as_ref())
            }
            TypeErrorKind::NoMatchingOverload {
                node,
                function,
                method,
                types,
            } => self.explain_no_overload(*node, function, *method, types),
            TypeErrorKind::NotBoolean { function, type_ } => explain_not_boolean(function, type_),
            TypeErrorKind::NotIterable { range, type_ } => self.explain_not_iterable(*range, type_),
            TypeErrorKind::LoopStep { step, start } => Explanation::new(
                format!("the loop step must have type {start}, found {step}"),
                "return the same type in every iteration",
            ),
            TypeErrorKind::NotOptional(type_) => Explanation::new(
                format!("`?` needs an optional value, found {type_}"),
                "remove the `?`",
            ),
            TypeErrorKind::UndeclaredStruct(name) => syntax::explain_object_literal(name),
            TypeErrorKind::InvalidLiteral { conversion, text } => {
                explain_invalid_literal(*conversion, text)
            }
            TypeErrorKind::InvalidPattern(error) => explain_invalid_pattern(error),
            TypeErrorKind::MixedTypes {
                place,
                first,
                other,
            } => explain_mixed_types(*place, first, other),
        }
    }

    fn explain_not_iterable(&self, node: usize, type_: &Type) -> Explanation {
        let range = self.outline_of(node);
        let self_ = self.environment.self_;
        let message =
            format!("cannot iterate over `{range}`: expected a list or a map, found {type_}");
        let help = if let Some(name) = iterable_field(type_, self.environment) {
            return Explanation::new(
                message,
                Help::did_you_mean(&range, format!("{range}.{name}")),
            );
        } else if let (Type::Optional(value), Some(path)) =
            (type_, dotted_path(self.node(node), "."))
            && is_iterable(value)
        {
            // `.orValue([])` is not suggested: its result has no bound, so a loop over it is too
            // expensive.
            format!("write `!has({path}) || {path}.…`, or `has({path}) && {path}.…`")
        } else if let Some(name) = iterable_field(self_, self.environment) {
            format!("iterate over a list or a map, such as `self.{name}`")
        } else {
            "iterate over a list or a map".to_owned()
        };
        Explanation::new(message, help)
    }

    fn explain_no_overload(
        &self,
        node: usize,
        function: &str,
        method: bool,
        types: &[Type],
    ) -> Explanation {
        let message = match (operator_symbol(function), types) {
            (Some(operator @ ("==" | "!=" | "<" | "<=" | ">" | ">=")), [left, right]) => {
                if left == right {
                    format!("no matching overload: `{operator}` is not defined for {left}")
                } else {
                    format!("no matching overload: `{operator}` cannot compare {left} with {right}")
                }
            }
            (Some("in"), [left, right]) => {
                format!("no matching overload: `in` cannot look up {left} in {right}")
            }
            (Some("?:"), [condition, ..]) if *condition != Type::Bool && !condition.is_any() => {
                format!("the condition of `?:` must be bool, found {condition}")
            }
            (Some("?:"), [_, left, right]) => {
                format!("both results of `?:` must have the same type, found {left} and {right}")
            }
            (Some(operator), [only]) => {
                format!("no matching overload: `{operator}` cannot be applied to {only}")
            }
            (Some(operator), [left, right, ..]) => {
                format!(
                    "no matching overload: `{operator}` cannot be applied to {left} and {right}"
                )
            }
            (_, [receiver, rest @ ..]) if method => {
                format!(
                    "no matching overload for `{receiver}.{function}({})`",
                    overloads::join_types(rest)
                )
            }
            _ => format!(
                "no matching overload for `{function}({})`",
                overloads::join_types(types)
            ),
        };
        let (target, args) = match &self.node(node).kind {
            ExprKind::Call { target, args, .. } => (target.as_deref(), args.as_slice()),
            _ => (None, [].as_slice()),
        };
        let call = overloads::Call {
            writer: self,
            environment: self.environment,
            function,
            target: target.filter(|_| method),
            args,
            types,
        };
        Explanation::new(message, call.help())
    }
}

fn explain_invalid_literal(conversion: Conversion, text: &str) -> Explanation {
    let (what, help) = describe_conversion(conversion);
    Explanation::new(format!("expected {what}, found '{text}'"), help)
}

fn explain_invalid_pattern(error: &PatternError) -> Explanation {
    let help = if error.message.contains("(?!") {
        "use a separate condition for text that must not match: `!….matches('…')`"
    } else {
        "the API server uses RE2: https://github.com/google/re2/wiki/Syntax"
    };
    Explanation::new(format!("invalid pattern: {}", error.message), help)
}

fn explain_mixed_types(aggregate: Aggregate, first: &Type, other: &Type) -> Explanation {
    let mix = match aggregate {
        Aggregate::List => "the elements of a list",
        Aggregate::Keys => "the keys of a map",
        Aggregate::Values => "the values of a map",
    };
    let help = "convert them to one type: `string(…)`, `int(…)`, or `dyn(…)` for each";
    Explanation::new(
        format!("{mix} must have the same type, found {first} and {other}"),
        help,
    )
}

/// Returns what the text of a conversion must be, and help for it.
fn describe_conversion(conversion: Conversion) -> (&'static str, &'static str) {
    match conversion {
        Conversion::Duration => ("a duration", "write it with units: '1h30m', '10s', '250ms'"),
        Conversion::Timestamp => (
            "a timestamp",
            "write date, time and offset: '2026-01-31T12:00:00Z'",
        ),
        Conversion::Int => ("an integer", "write the number as a literal"),
        Conversion::Uint => ("an unsigned integer", "write the number as a literal: `5u`"),
        Conversion::Double => ("a number", "write the number as a literal"),
        Conversion::Bool => ("a boolean", "write `true` or `false`"),
    }
}

fn explain_not_boolean(function: &str, type_: &Type) -> Explanation {
    let help = match type_ {
        Type::Optional(value) => overloads::unwrap_condition_help(value),
        _ => overloads::COMPARE.to_owned(),
    };
    let operator = operator_symbol(function).unwrap_or(function);
    let message = format!("`{operator}` needs bool operands, found {type_}");
    Explanation::new(message, help)
}
