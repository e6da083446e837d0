//! [`Program`]: a compiled expression of a rule.

use serde_json::Value as Json;

use super::plan::plan_node;
use super::program::Node;
use super::run::{Completion, RuleVariables, evaluate_plan};
use super::shape::Shape;
use super::value::{MapValue, Native, Value};
use crate::{Environment, Parsed, Type, infer, literals, mixed, parse};

/// A compiled expression.
#[derive(Debug)]
pub struct Program {
    node: Node,
    uses_old_self: bool,
}

/// Values of `self` and `oldSelf`.
#[derive(Clone, Debug)]
pub struct Variables<'a>(RuleVariables<'a>);

/// Result of an evaluation.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// The value, or the error message.
    pub result: Result<Output, String>,
    /// The cost by the API server's measure.
    pub cost: u64,
}

/// Value of an expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// A boolean.
    Bool(bool),
    /// A string.
    Text(String),
    /// A value of another type, in a notation for tests.
    Other(String),
}

impl Program {
    /// Compiles an expression of type `wanted`. [`Type::Dyn`] accepts every type.
    ///
    /// # Errors
    ///
    /// Returns the reason for which the API server rejects the expression.
    pub fn compile(text: &str, scope: &Environment<'_>, wanted: &Type) -> Result<Self, String> {
        let (node, uses_old_self) = plan_expression(&parse_complete(text)?, scope, wanted)?;
        Ok(Self {
            node,
            uses_old_self,
        })
    }

    /// Returns whether the expression reads `oldSelf`.
    #[must_use]
    pub fn uses_old_self(&self) -> bool {
        self.uses_old_self
    }

    /// Evaluates the expression. Cancels the evaluation if the cost exceeds `limit`.
    #[must_use]
    pub fn run<'a>(&'a self, variables: Variables<'a>, limit: u64) -> Evaluation {
        let Completion { result, cost } = evaluate_plan(&self.node, variables.0, limit);
        let result = match result {
            Ok(Value::Bool(value)) => Ok(Output::Bool(value)),
            Ok(Value::Text(text)) => Ok(Output::Text(text.to_string())),
            Ok(value) => Ok(Output::Other(describe_value(&value))),
            Err(error) => Err(error.to_string()),
        };
        Evaluation { result, cost }
    }
}

impl<'a> Variables<'a> {
    /// Converts the new and the old value. Without an old value, `oldSelf` is not declared.
    #[must_use]
    pub fn new(shape: &'a Shape, value: &'a Json, old: Option<&'a Json>) -> Self {
        Self(RuleVariables {
            self_: shape.value(Native::from(value)),
            old_self: old.map(|old| shape.value(Native::from(old))),
        })
    }

    /// Makes `oldSelf` an optional, which has no value if there is no old value.
    #[must_use]
    pub fn with_optional_old_self(self) -> Self {
        let old_self = self.0.old_self.map_or(Value::Optional(None), Value::some);
        Self(RuleVariables {
            self_: self.0.self_,
            old_self: Some(old_self),
        })
    }
}

/// Parses an expression.
///
/// # Errors
///
/// Returns the reason for which the API server rejects the expression.
pub(super) fn parse_complete(text: &str) -> Result<Parsed, String> {
    let parsed = parse(text).map_err(|error| {
        let at = error.span.start;
        format!("compilation failed: byte {at}: {}", error.kind)
    })?;
    if !parsed.complete {
        return Err("compilation failed: the expression is too large or too deep".to_owned());
    }
    Ok(parsed)
}

/// Plans a parsed expression of type `wanted`. Returns the plan, and whether the expression reads
/// `oldSelf`.
///
/// # Errors
///
/// Returns the reason for which the API server rejects the expression.
pub(super) fn plan_expression(
    parsed: &Parsed,
    scope: &Environment<'_>,
    wanted: &Type,
) -> Result<(Node, bool), String> {
    let inferred = infer(&parsed.expression, parsed.count, scope);
    let first_error = inferred
        .errors
        .iter()
        .cloned()
        .chain(literals::check_literals(&parsed.expression))
        .chain(mixed::check_literal_types(
            &parsed.expression,
            &inferred.types,
        ))
        .next();
    if let Some(error) = first_error {
        let at = error.span.start;
        return Err(format!("compilation failed: byte {at}: {}", error.kind));
    }
    if inferred.types.get(parsed.expression.id) != Some(wanted) && *wanted != Type::Dyn {
        let message = match wanted {
            Type::Bool => "cel expression must evaluate to a bool",
            _ => "messageExpression must evaluate to a string",
        };
        return Err(message.to_owned());
    }
    let node = plan_node(&parsed.expression, &inferred, scope.functions)
        .map_err(|error| format!("program instantiation failed: {error}"))?;
    Ok((node, inferred.uses_old_self))
}

/// Formats a value as `hack/oracle/cel` does.
fn describe_value(value: &Value<'_>) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(_) | Value::Int(_) => value.printed(),
        Value::Uint(value) => format!("{value}u"),
        Value::Double(_) => format!("double({})", value.printed()),
        Value::Text(text) => genclient_apimachinery::go::quoted(text),
        Value::Bytes(bytes) => {
            let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            format!("bytes({digits})")
        }
        Value::Duration(duration) => format!("duration({duration})"),
        Value::Timestamp(time) => format!("timestamp({})", time.to_rfc3339()),
        Value::Optional(None) => "none".to_owned(),
        Value::Optional(Some(value)) => format!("optional({})", describe_value(value)),
        Value::Type(name) => format!("type({name})"),
        Value::Error(error) => format!("error({error})"),
        Value::Url(url) => format!("url({url})"),
        Value::Quantity(_) => "quantity".to_owned(),
        Value::Ip(_) => format!("ip({})", value.printed()),
        Value::Cidr(..) => format!("cidr({})", value.printed()),
        Value::Format(format) => format!("format({})", format.name),
        Value::Semver(version) => format!("semver({version})"),
        Value::Authorization(_) => value.printed(),
        Value::Preserved(_) => "*common.unknownPreserved".to_owned(),
        Value::List(list) => {
            let items: Vec<_> = list.iter().map(|item| describe_value(&item)).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Map(map) => {
            let typed = matches!(map, MapValue::Typed(..));
            let mut entries: Vec<_> = map
                .entries()
                .iter()
                .filter(|(key, _)| !typed || !matches!(key, Value::Null))
                .map(|(key, value)| format!("{}: {}", describe_value(key), describe_value(value)))
                .collect();
            entries.sort();
            format!("{{{}}}", entries.join(", "))
        }
    }
}
