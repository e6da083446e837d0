//! Checks of match conditions of admission webhooks, which are CEL expressions over `object`,
//! `oldObject`, `request` and `authorizer`.

use std::collections::BTreeSet;

use genclient_cel::ast::{Expr, ExprKind};
use genclient_cel::{Environment, Functions, Type, parse};
use genclient_syntax::WebhookAttrs;

use super::messages::ExpressionError;
use crate::diagnostic::{Diagnostic, Location, Sink};
use crate::sources::Module;

/// Reports match conditions that do not parse, or that use variables of schema rules or admission
/// policies, such as `self`.
pub(in crate::resolve) fn check_conditions(attrs: &WebhookAttrs, module: &Module, sink: &mut Sink) {
    for condition in &attrs.match_conditions {
        let text = &condition.expression;
        for error in check_condition(&text.value) {
            let literal = Location::new(&module.source, text.span);
            sink.push(
                Diagnostic::error(error.message)
                    .at(literal.inside(error.span))
                    .help(error.help),
            );
        }
    }
}

/// Returns the syntax errors of a match condition and its uses of [`UNDECLARED_VARIABLES`]. Types
/// are not checked, because the types of the variables depend on the request.
fn check_condition(text: &str) -> Vec<ExpressionError> {
    match parse(text) {
        Ok(parsed) if parsed.complete => find_undeclared_variables(&parsed.expression),
        Ok(_) => Vec::new(),
        Err(error) => {
            let environment = Environment {
                self_: &Type::Dyn,
                old_self: Type::Dyn,
                objects: &Vec::new(),
                functions: Functions::all(),
            };
            vec![ExpressionError::of_syntax(&error, text, &environment)]
        }
    }
}

/// Variables of schema rules and admission policies that match conditions do not have, each with
/// the help for it.
const UNDECLARED_VARIABLES: [(&str, &str); 4] = [
    ("self", "write `object`"),
    ("oldSelf", "write `oldObject`"),
    ("params", KNOWN_VARIABLES_HELP),
    ("variables", KNOWN_VARIABLES_HELP),
];

const KNOWN_VARIABLES_HELP: &str =
    "a match condition can use `object`, `oldObject`, `request` and `authorizer`";

fn find_undeclared_variables(expression: &Expr) -> Vec<ExpressionError> {
    let mut loops = BTreeSet::new();
    expression.visit(&mut |node| {
        if let ExprKind::Comprehension(fold) = &node.kind {
            loops.insert(&fold.variable);
            loops.extend(&fold.second_variable);
        }
    });
    let mut errors = Vec::new();
    expression.visit(&mut |node| {
        let ExprKind::Ident(name) = &node.kind else {
            return;
        };
        let known = UNDECLARED_VARIABLES
            .iter()
            .find(|(undeclared, _)| undeclared == name);
        if let Some((_, help)) = known.filter(|_| !loops.contains(name)) {
            errors.push(ExpressionError {
                span: node.span.clone(),
                message: format!("undeclared reference to `{name}`"),
                help: (*help).into(),
            });
        }
    });
    errors
}
