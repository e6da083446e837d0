//! Checks of match conditions of admission webhooks, which are CEL expressions over `object`,
//! `oldObject`, `request` and `authorizer`.

use std::collections::BTreeSet;

use genclient_cel::ast::{Expr, ExprKind};
use genclient_cel::{Environment, Functions, Type, parse};
use genclient_syntax::WebhookAttrs;

use super::messages::Mistake;
use crate::diagnostic::{Diagnostic, Location, Sink};
use crate::sources::Module;

/// Reports match conditions that do not parse, or that use variables of schema rules or admission
/// policies, such as `self`.
pub(in crate::resolve) fn check_conditions(attrs: &WebhookAttrs, module: &Module, sink: &mut Sink) {
    for condition in &attrs.match_conditions {
        let text = &condition.expression;
        for mistake in of_condition(&text.value) {
            let literal = Location::of(&module.source, text.span);
            sink.push(
                Diagnostic::error(mistake.message)
                    .at(literal.inside(&text.value, mistake.span))
                    .help(mistake.help),
            );
        }
    }
}

/// Returns the syntax errors of a match condition and its uses of variables in `UNDECLARED`. Types
/// are not checked, because the types of the variables depend on the request.
fn of_condition(text: &str) -> Vec<Mistake> {
    match parse(text) {
        Ok(parsed) if parsed.complete => undeclared(&parsed.expression),
        Ok(_) => Vec::new(),
        Err(error) => {
            let environment = Environment {
                self_: &Type::Dyn,
                old_self: Type::Dyn,
                objects: &Vec::new(),
                functions: Functions::all(),
            };
            vec![Mistake::of_syntax(&error, text, &environment)]
        }
    }
}

/// Variables of schema rules and admission policies that match conditions do not have, each with
/// the help for it.
const UNDECLARED: [(&str, &str); 4] = [
    ("self", "write `object`"),
    ("oldSelf", "write `oldObject`"),
    ("params", KNOWN),
    ("variables", KNOWN),
];

const KNOWN: &str = "a match condition can use `object`, `oldObject`, `request` and `authorizer`";

fn undeclared(expression: &Expr) -> Vec<Mistake> {
    let mut loops = BTreeSet::new();
    expression.visit(&mut |node| {
        if let ExprKind::Comprehension(fold) = &node.kind {
            loops.insert(&fold.variable);
            loops.extend(&fold.second_variable);
        }
    });
    let mut mistakes = Vec::new();
    expression.visit(&mut |node| {
        let ExprKind::Ident(name) = &node.kind else {
            return;
        };
        let known = UNDECLARED.iter().find(|(undeclared, _)| undeclared == name);
        if let Some((_, help)) = known.filter(|_| !loops.contains(name)) {
            mistakes.push(Mistake {
                span: node.span.clone(),
                message: format!("undeclared reference to `{name}`"),
                help: (*help).to_owned(),
            });
        }
    });
    mistakes
}
