//! Compilation of CEL expressions in a CustomResourceDefinition: type check and cost estimate.
//!
//! Type errors have the API server's wording, and syntax errors a similar one. The reported column
//! numbers may differ from the API server's.

use std::fmt::Display;

use genclient_cel::ast::Expr;
use genclient_cel::declare::{Declared, Objects};
use genclient_cel::{Environment, Functions, Inferred, Type, cost, infer, literals, mixed, parse};

/// A CEL expression in which no error was found.
pub(super) struct Compiled {
    expression: Option<Expr>,
    pub(super) inferred: Inferred,
}

impl Compiled {
    pub(super) fn new(
        text: &str,
        wanted: &Type,
        is_optional: bool,
        self_: &Declared,
        objects: &Objects,
    ) -> Result<Self, String> {
        let old_self = if is_optional {
            Type::optional(self_.type_.clone())
        } else {
            self_.type_.clone()
        };
        let environment = Environment {
            self_: &self_.type_,
            old_self,
            objects,
            functions: Functions::all(),
        };
        let parsed = parse(text).map_err(|error| failed(text, error.span.start, &error.kind))?;
        let expression = parsed.expression;
        if !parsed.complete {
            // Too large or too deep to check.
            return Ok(Self {
                expression: None,
                inferred: Inferred::default(),
            });
        }
        let mut inferred = infer(&expression, parsed.count, &environment);
        let mut errors = std::mem::take(&mut inferred.errors);
        if errors.is_empty() {
            errors = literals::check(&expression);
            errors.extend(mixed::check(&expression, &inferred.types));
        }
        if let Some(error) = errors.first() {
            return Err(failed(text, error.span.start, &error.kind));
        }
        let type_ = &inferred.types[expression.id];
        if type_ != wanted && !inferred.uses_unknown {
            let name = if *wanted == Type::Bool {
                "bool"
            } else {
                "string"
            };
            return Err(format!("cel expression must evaluate to a {name}"));
        }
        let expression = Some(expression);
        Ok(Self {
            expression,
            inferred,
        })
    }

    pub(super) fn cost(&self, self_: &Declared, objects: &Objects) -> u64 {
        let expression = self.expression.as_ref();
        expression.map_or(0, |expression| {
            cost::estimate(expression, &self.inferred, self_, objects, None).cost
        })
    }
}

/// Formats an error with its source line, as cel-go does.
fn failed(text: &str, at: usize, error: &dyn Display) -> String {
    // cel-go reports an error in a field name at the dot before the name.
    let at = match text.as_bytes().get(..at) {
        Some([.., b'.']) => at - 1,
        _ => at,
    };
    let before = text.get(..at).unwrap_or_default();
    let number = before.matches('\n').count();
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let columns = before[start..].chars().count();
    let line = text.lines().nth(number).unwrap_or_default();
    format!(
        "compilation failed: ERROR: <input>:{}:{}: {error}\n | {line}\n | {}^",
        number + 1,
        columns + 1,
        ".".repeat(columns)
    )
}
