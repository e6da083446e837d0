//! Compilation of rules: their types and what they cost.
//!
//! The words of errors are not the server's; everything else is.

use crate::cel::ast::Expr;
use crate::cel::declare::{Declared, Objects};
use crate::cel::{
    Environment, Functions, Inferred, SyntaxError, Type, TypeError, cost, infer, literals, mixed,
    parse,
};

/// An expression of the type that it has to be of.
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
        let old_self = match is_optional {
            true => Type::optional(self_.type_.clone()),
            false => self_.type_.clone(),
        };
        let environment = Environment {
            self_: &self_.type_,
            old_self,
            objects,
            functions: Functions::all(),
        };
        let parsed = parse(text).map_err(|error| syntax(text, &error))?;
        let expression = parsed.expression;
        if !parsed.complete {
            // Too large to look at.
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
            return Err(types(text, error));
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

fn syntax(text: &str, error: &SyntaxError) -> String {
    failed(
        text,
        error.span.start,
        &format!("Syntax error: {:?}", error.kind),
    )
}

fn types(text: &str, error: &TypeError) -> String {
    failed(text, error.span.start, &format!("{:?}", error.kind))
}

fn failed(text: &str, at: usize, error: &str) -> String {
    let before = text.get(..at).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let column = before[start..].chars().count() + 1;
    format!("compilation failed: ERROR: <input>:{line}:{column}: {error}")
}
