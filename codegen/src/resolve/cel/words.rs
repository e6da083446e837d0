//! What is said of an expression that does not fit, and what to type instead.

use std::rc::Rc;

use super::ast::{Expr, ExprKind, Literal, Span};
use super::declare::{Object, Objects};
use super::functions::Overload;
use super::infer::Scope;
use super::lex::Mistake;
use super::names;
use super::suggest::closest;
use super::types::Type;

/// A name that is neither a variable nor a type.
pub(super) fn unknown_name<'v>(
    node: &Expr,
    name: &str,
    variables: impl Iterator<Item = &'v str>,
    scope: &Scope<'_>,
) -> Mistake {
    let message = format!("`{name}` is not known in this rule");
    let is_field = matches!(scope.self_, Type::Object(place) if scope.objects[*place].fields.contains_key(name));
    let help = if is_field {
        format!("write `self.{name}`")
    } else {
        match closest(
            name,
            variables
                .filter(|name| !name.starts_with(['@', '#']))
                .chain(["self", "oldSelf"]),
        ) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => "a rule knows `self`, `oldSelf` and the variables of its loops".to_owned(),
        }
    };
    Mistake::new(node.span.clone(), message, help)
}

/// A field that an object does not have; also tells whether it is half of a name with a dash.
pub(super) fn unknown_field(
    operand: &Expr,
    field: &str,
    span: &Span,
    object: &Object,
) -> (Mistake, bool) {
    let of = shown(operand);
    let message = format!("`{of}` has no field `{field}`");
    let names = || object.fields.keys().map(String::as_str);
    let dashed = names().find(|name| {
        name.strip_prefix(field)
            .is_some_and(|rest| rest.starts_with("__"))
    });
    let escaped = names::escape(field).filter(|escaped| object.fields.contains_key(escaped));
    let help = if let Some(meant) = escaped.as_deref().or(dashed) {
        format!("CEL writes the name as `{of}.{meant}`")
    } else if object.hidden.contains(field) {
        "the schema does not say what it holds, and so no rule can use it".to_owned()
    } else if let Some(meant) = closest(field, names()) {
        format!("did you mean `{meant}`?")
    } else if object.keeps_unknown {
        "only fields that the schema lists can be used; add it to the type".to_owned()
    } else if object.fields.is_empty() {
        "it has no fields that a rule can use".to_owned()
    } else {
        let names: Vec<_> = names().take(8).map(|name| format!("`{name}`")).collect();
        format!(
            "it has {}{}",
            names.join(", "),
            if object.fields.len() > 8 { ", …" } else { "" }
        )
    };
    (
        Mistake::new(span.clone(), message, help),
        escaped.is_none() && dashed.is_some(),
    )
}

/// A field of what has none.
pub(super) fn no_fields(node: &Expr, type_: &Type, field: &str, span: &Span) -> Mistake {
    let help = match type_ {
        Type::List(_) => format!("look at its items: `.all(item, item.{field} …)` or `.exists(…)`"),
        _ => "fields are what objects and maps have".to_owned(),
    };
    let of = match &node.kind {
        ExprKind::Select(select) => shown(&select.operand),
        _ => "the value".to_owned(),
    };
    Mistake::new(
        span.clone(),
        format!("`{of}` is of the type {type_}, which has no fields"),
        help,
    )
}

/// A function that does not exist.
pub(super) fn unknown_function(
    node: &Expr,
    function: &str,
    target: Option<&Expr>,
    scope: &Scope<'_>,
) -> Mistake {
    let written = match target.and_then(Expr::qualified_name) {
        Some(prefix)
            if matches!(
                prefix.as_str(),
                "cel" | "math" | "base64" | "sets" | "lists" | "strings" | "optional" | "format"
            ) =>
        {
            format!("{prefix}.{function}")
        }
        _ => function.to_owned(),
    };
    let elsewhere = || {
        let other = OTHER_LANGUAGES.iter().find(|(other, _)| *other == function);
        other.map(|(_, name)| *name)
    };
    let close = closest(&written, scope.functions.names().chain(MACROS));
    let help = match close.or_else(elsewhere) {
        _ if MACROS.contains(&function) => {
            format!("`{function}` takes another number of arguments")
        }
        Some(meant) => format!("did you mean `{meant}`?"),
        None => "the API server has no function of this name".to_owned(),
    };
    let span = match &node.kind {
        ExprKind::Call { name_span, .. } => name_span.clone(),
        _ => node.span.clone(),
    };
    Mistake::new(span, format!("there is no function `{written}`"), help)
}

/// What other languages call a function of CEL.
const OTHER_LANGUAGES: [(&str, &str); 7] = [
    ("count", "size"),
    ("includes", "contains"),
    ("len", "size"),
    ("length", "size"),
    ("toLowerCase", "lowerAscii"),
    ("toUpperCase", "upperAscii"),
    ("to_string", "string"),
];

const MACROS: [&str; 14] = [
    "has",
    "all",
    "exists",
    "exists_one",
    "existsOne",
    "map",
    "filter",
    "optMap",
    "optFlatMap",
    "transformList",
    "transformMap",
    "transformMapEntry",
    "sortBy",
    "matches",
];

/// An operand of `&&` or `||` that is no condition.
pub(super) fn not_a_condition(arg: &Expr, function: &str, type_: &Type) -> Mistake {
    let help = match type_ {
        Type::Optional(_) => "take the value out: `.orValue(false)`".to_owned(),
        _ => "compare it with something: `… == …`".to_owned(),
    };
    let operator = symbol(function).unwrap_or(function);
    Mistake::new(
        arg.span.clone(),
        format!("`{operator}` joins conditions, and this is of the type {type_}"),
        help,
    )
}

/// What a loop cannot go over.
pub(super) fn not_a_range(range: &Expr, type_: &Type, objects: &Objects) -> Mistake {
    let help = match type_ {
        Type::Optional(_) => "take the list out: `.orValue([])`".to_owned(),
        Type::Object(place) => match objects[*place]
            .fields
            .iter()
            .find(|(_, field)| matches!(field.declared.type_, Type::List(_) | Type::Map(..)))
        {
            Some((name, _)) => format!("did you mean `{}.{name}`?", shown(range)),
            None => "loops go over lists and maps".to_owned(),
        },
        _ => "loops go over lists and maps".to_owned(),
    };
    Mistake::new(
        range.span.clone(),
        format!(
            "`{}` is of the type {type_}, and a loop needs a list or a map",
            shown(range)
        ),
        help,
    )
}

/// A call whose arguments no overload takes; `types` has the target's first.
pub(super) fn no_overload(
    node: &Expr,
    function: &str,
    overloads: &[Rc<Overload>],
    target: Option<&Expr>,
    args: &[Expr],
    types: &[Type],
) -> Mistake {
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
        (_, [receiver, rest @ ..]) if target.is_some() => {
            format!("`{receiver}.{function}({})` does not exist", list(rest))
        }
        _ => format!("`{function}({})` does not exist", list(types)),
    };
    let span = node.span.clone();
    Mistake::new(
        span,
        message,
        overload_help(function, overloads, target, args, types),
    )
}

fn overload_help(
    function: &str,
    overloads: &[Rc<Overload>],
    target: Option<&Expr>,
    args: &[Expr],
    types: &[Type],
) -> String {
    if types.iter().any(|type_| matches!(type_, Type::Optional(_))) {
        return "take the value out of the optional: `.orValue(…)`".to_owned();
    }
    if let (Some(_), [left, right]) = (symbol(function), args) {
        return operands_help(function, (left, &types[0]), (right, &types[1]));
    }
    if symbol(function).is_some() {
        return "both sides need one type".to_owned();
    }
    if let ("contains", Some(list), Some(Type::List(_))) = (function, target, types.first()) {
        return format!("write `… in {}`", shown(list));
    }
    let fitting = overloads
        .iter()
        .filter(|overload| overload.method == target.is_some());
    let mut shown: Vec<_> = fitting
        .map(|overload| declaration(function, overload))
        .collect();
    if shown.is_empty() {
        shown = overloads
            .iter()
            .map(|overload| declaration(function, overload))
            .collect();
    }
    let more = shown.len() > 4;
    shown.truncate(4);
    format!(
        "there is {}{}",
        shown.join(", "),
        if more { ", …" } else { "" }
    )
}

fn operands_help(function: &str, left: (&Expr, &Type), right: (&Expr, &Type)) -> String {
    for ((literal, type_), (_, other)) in [(left, right), (right, left)] {
        match (&literal.kind, type_, other) {
            (ExprKind::Literal(Literal::Text(text)), _, Type::Int | Type::Double)
                if text.parse::<f64>().is_ok() =>
            {
                return format!("write {text} without quotes");
            }
            (ExprKind::Literal(Literal::Int(number)), _, Type::Text) => {
                return format!("write '{number}' in quotes, or convert the string: `int(…)`");
            }
            (
                ExprKind::Literal(Literal::Text(text)),
                _,
                Type::Duration
                | Type::Timestamp
                | Type::Named("Quantity" | "Semver" | "IP" | "CIDR" | "URL"),
            ) => {
                let convert = other.to_string().to_lowercase();
                return format!("write `{convert}('{text}')`");
            }
            (ExprKind::Literal(Literal::Int(number)), _, Type::Double)
                if !number.to_string().contains('.') =>
            {
                return format!("write {number}.0");
            }
            (ExprKind::Literal(Literal::Null), ..) => {
                return "ask whether it is there: `has(…)`".to_owned();
            }
            _ => {}
        }
    }
    match (left.1, right.1) {
        (Type::List(_), other) | (other, Type::List(_))
            if function != "@in" && !matches!(other, Type::List(_)) =>
        {
            "compare its size: `.size()`, or its items: `.all(…)`".to_owned()
        }
        (Type::Object(_), Type::Object(_)) => {
            "objects of two different fields never compare; compare their fields".to_owned()
        }
        _ if function == "@in" => {
            "the right side is a list of such values, or a map with such keys".to_owned()
        }
        _ => "convert one side: `string(…)`, `int(…)`, `double(…)`".to_owned(),
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

fn list(types: &[Type]) -> String {
    types
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(", ")
}

/// An operator as it is written.
pub(super) fn symbol(function: &str) -> Option<&str> {
    match function {
        "@in" => Some("in"),
        "_[_]" | "_[?_]" => Some("[]"),
        "_?_:_" => Some("?:"),
        "!_" => Some("!"),
        "-_" => Some("-"),
        _ => function.strip_prefix('_')?.strip_suffix('_'),
    }
}

/// An expression in short: its dotted name, or what it is.
pub(super) fn shown(expression: &Expr) -> String {
    match &expression.kind {
        ExprKind::Call {
            target: Some(target),
            function,
            ..
        } => format!("{}.{function}(…)", shown(target)),
        ExprKind::Call { function, args, .. } if function == "_[_]" && args.len() == 2 => {
            format!("{}[…]", shown(&args[0]))
        }
        ExprKind::Call { function, .. } if symbol(function).is_none() => format!("{function}(…)"),
        ExprKind::Select(select) => format!("{}.{}", shown(&select.operand), select.field),
        ExprKind::Ident(name) => name.clone(),
        ExprKind::List(_) => "[…]".to_owned(),
        ExprKind::Map(_) => "{…}".to_owned(),
        _ => "(…)".to_owned(),
    }
}
