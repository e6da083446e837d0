//! Checks of webhook match conditions: syntax and variables.

use genclient_syntax::WebhookAttrs;

use crate::diagnostic::{Diagnostic, Location, Sink};
use crate::resolve::cel;
use crate::sources::Module;

/// Reports conditions that do not parse, or that use variables of other kinds of rules.
pub(super) fn check(attrs: &WebhookAttrs, module: &Module, sink: &mut Sink) {
    for condition in &attrs.match_conditions {
        let text = &condition.expression;
        for mistake in cel::of_condition(&text.value) {
            let literal = Location::of(&module.source, text.span);
            sink.push(
                Diagnostic::error(mistake.message)
                    .at(literal.inside(&text.value, mistake.span))
                    .help(mistake.help),
            );
        }
    }
}
