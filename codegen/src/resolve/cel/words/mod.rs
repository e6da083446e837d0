//! Wording of errors in expressions, and what to type instead.

mod expression;
mod fields;
mod functions;
mod overloads;
mod syntax;

use genclient_schema::cel::ast::{Expr, ExprKind, Span};
use genclient_schema::cel::declare::Objects;
use genclient_schema::cel::error::{Aggregate, Conversion, TypeErrorKind};
use genclient_schema::cel::{Environment, SyntaxError, Type, TypeError};

use super::suggest::closest;
pub(super) use expression::shown;
use expression::symbol;
pub(super) use fields::field_path;
use fields::undefined_field;

/// An error in words.
#[derive(Debug)]
pub(super) struct Mistake {
    pub(super) span: Span,
    pub(super) message: String,
    pub(super) help: String,
}

impl Mistake {
    /// An error of the parser.
    pub(super) fn of_syntax(error: &SyntaxError) -> Self {
        let (message, help) = syntax::wording(&error.kind);
        Self {
            span: error.span.clone(),
            message,
            help,
        }
    }

    /// An error of the type checker in the expression `root`.
    pub(super) fn of_types(error: &TypeError, root: &Expr, environment: &Environment<'_>) -> Self {
        let (message, help) = Words { root, environment }.typing(&error.kind);
        Self {
            span: error.span.clone(),
            message,
            help,
        }
    }
}

/// What words need of the expression that an error is in.
struct Words<'w> {
    root: &'w Expr,
    environment: &'w Environment<'w>,
}

impl Words<'_> {
    fn typing(&self, error: &TypeErrorKind) -> (String, String) {
        match error {
            TypeErrorKind::UndeclaredReference { name, variables } => {
                self.undeclared_reference(name, variables)
            }
            TypeErrorKind::UndefinedField {
                operand,
                field,
                object,
            } => undefined_field(
                &self.shown(*operand),
                field,
                &self.environment.objects[*object],
            ),
            TypeErrorKind::NotSelectable { node, type_, field } => {
                self.not_selectable(*node, type_, field)
            }
            TypeErrorKind::UndeclaredFunction { function, target } => {
                self.undeclared_function(function, *target)
            }
            TypeErrorKind::NoMatchingOverload {
                node,
                function,
                method,
                types,
            } => self.no_overload(*node, function, *method, types),
            TypeErrorKind::NotBoolean { function, type_ } => not_boolean(function, type_),
            TypeErrorKind::NotIterable { range, type_ } => self.not_iterable(*range, type_),
            TypeErrorKind::LoopStep { step, start } => (
                format!("the loop makes {step} where {start} is wanted"),
                "let every round give the same type".to_owned(),
            ),
            TypeErrorKind::NotOptional(type_) => (
                format!("`?` stands before a value that is always there, of the type {type_}"),
                "remove the `?`".to_owned(),
            ),
            TypeErrorKind::UndeclaredStruct(name) => (
                format!("rules cannot make objects such as `{name}`"),
                "write a map: `{'key': value}`".to_owned(),
            ),
            TypeErrorKind::InvalidLiteral { conversion, text } => {
                invalid_literal(*conversion, text)
            }
            TypeErrorKind::InvalidPattern(error) => (
                format!("in the pattern, {}", error.message),
                "the API server uses RE2: https://github.com/google/re2/wiki/Syntax".to_owned(),
            ),
            TypeErrorKind::MixedTypes {
                place,
                first,
                other,
            } => mixed_types(*place, first, other),
        }
    }

    fn node(&self, id: usize) -> &Expr {
        self.root.find(id).unwrap_or(self.root)
    }

    fn shown(&self, id: usize) -> String {
        shown(self.node(id))
    }

    fn undeclared_reference(&self, name: &str, variables: &[String]) -> (String, String) {
        let message = format!("`{name}` is not known in this rule");
        let objects = self.environment.objects;
        let is_field = matches!(self.environment.self_, Type::Object(place) if objects[*place].fields.contains_key(name));
        if is_field {
            return (message, format!("write `self.{name}`"));
        }
        let variables = variables.iter().map(String::as_str);
        let written = variables.filter(|name| !name.starts_with(['@', '#']));
        let help = match closest(name, written.chain(["self", "oldSelf"])) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => "a rule knows `self`, `oldSelf` and the variables of its loops".to_owned(),
        };
        (message, help)
    }

    fn not_iterable(&self, range: usize, type_: &Type) -> (String, String) {
        let range = self.shown(range);
        let help = match type_ {
            Type::Optional(_) => "take the list out: `.orValue([])`".to_owned(),
            Type::Object(place) => match iterable_field(self.environment.objects, *place) {
                Some(name) => format!("did you mean `{range}.{name}`?"),
                None => "loops go over lists and maps".to_owned(),
            },
            _ => "loops go over lists and maps".to_owned(),
        };
        let message = format!("`{range}` is of the type {type_}, and a loop needs a list or a map");
        (message, help)
    }

    fn no_overload(
        &self,
        node: usize,
        function: &str,
        method: bool,
        types: &[Type],
    ) -> (String, String) {
        let message = match (symbol(function), types) {
            (Some(operator @ ("==" | "!=" | "<" | "<=" | ">" | ">=")), [left, right]) => {
                if left == right {
                    format!("`{operator}` does not compare {left}")
                } else {
                    format!("`{operator}` compares {left} with {right}")
                }
            }
            (Some("in"), [left, right]) => format!("`in` looks for {left} in {right}"),
            (Some("?:"), [condition, ..]) if *condition != Type::Bool && !condition.is_any() => {
                format!("the condition before `?` is of the type {condition}")
            }
            (Some("?:"), [_, left, right]) => format!("`?:` gives {left} or {right}"),
            (Some(operator), [only]) => format!("`{operator}` does not take {only}"),
            (Some(operator), [left, right, ..]) => {
                format!("`{operator}` does not take {left} and {right}")
            }
            (_, [receiver, rest @ ..]) if method => {
                format!(
                    "`{receiver}.{function}({})` does not exist",
                    overloads::list(rest)
                )
            }
            _ => format!("`{function}({})` does not exist", overloads::list(types)),
        };
        let overloads = self.environment.functions.get(function).unwrap_or_default();
        let help = match &self.node(node).kind {
            ExprKind::Call { target, args, .. } => {
                let target = target.as_deref().filter(|_| method);
                overloads::help(function, overloads, target, args, types)
            }
            _ => overloads::help(function, overloads, None, &[], types),
        };
        (message, help)
    }
}

fn invalid_literal(conversion: Conversion, text: &str) -> (String, String) {
    let (what, help) = converted(conversion);
    (format!("'{text}' is not {what}"), help.to_owned())
}

fn mixed_types(place: Aggregate, first: &Type, other: &Type) -> (String, String) {
    let what = match place {
        Aggregate::List => "a list",
        Aggregate::Keys => "the keys of a map",
        Aggregate::Values => "the values of a map",
    };
    let help = "convert them to one type: `string(…)`, `int(…)`, or `dyn(…)` for each";
    (
        format!("{what} mixes {first} with {other}"),
        help.to_owned(),
    )
}

fn converted(conversion: Conversion) -> (&'static str, &'static str) {
    match conversion {
        Conversion::Duration => ("a duration", "write it with units: '1h30m', '10s', '250ms'"),
        Conversion::Timestamp => ("a timestamp", "write it whole: '2026-01-31T12:00:00Z'"),
        Conversion::Int => ("an integer", "write the number itself"),
        Conversion::Uint => ("an unsigned integer", "write the number itself: `5u`"),
        Conversion::Double => ("a number", "write the number itself"),
        Conversion::Bool => ("a condition", "write `true` or `false`"),
    }
}

fn not_boolean(function: &str, type_: &Type) -> (String, String) {
    let help = match type_ {
        Type::Optional(_) => "take the value out: `.orValue(false)`",
        _ => "compare it with something: `… == …`",
    };
    let operator = symbol(function).unwrap_or(function);
    let message = format!("`{operator}` joins conditions, and this is of the type {type_}");
    (message, help.to_owned())
}

/// The first field of an object that a loop can go over.
fn iterable_field(objects: &Objects, place: usize) -> Option<&str> {
    let mut fields = objects[place].fields.iter();
    let found =
        fields.find(|(_, field)| matches!(field.declared.type_, Type::List(_) | Type::Map(..)))?;
    Some(found.0)
}
