//! CEL rules: their arguments, and the checks that need no CEL parser.

use proc_macro2::Span;

use super::Validation;
use crate::keys::Keys;
use crate::table::Key;
use crate::{Problems, Reason, suggest};

/// Reads each `validation(…)`.
pub(super) fn read(keys: &Keys, problems: &mut Problems) -> Vec<Validation> {
    let rules = keys
        .arguments(Key::VALIDATION)
        .filter_map(|(arguments, _)| {
            let rule = read_one(arguments)?;
            check(&rule, arguments, problems);
            Some(rule)
        });
    rules.collect()
}

/// Reads one rule of another attribute, such as `#[schemars]` or `#[x_kube]`. `arguments` is the
/// rule, translated into arguments of `#[crd(validation(..))]`. A missing `rule` is reported at
/// `span`. `written` formats the name of a reason in the syntax of the attribute, for the help.
pub(crate) fn rule(
    arguments: &Keys,
    span: Span,
    written: impl Fn(&str) -> String,
    problems: &mut Problems,
) -> Option<Validation> {
    let Some(rule) = read_one(arguments) else {
        if !arguments.mentions(Key::RULE) {
            let help = "add `\"rule\": \"self != ''\"`";
            problems.report(span, "missing field `rule`", help);
        }
        return None;
    };
    check(&rule, arguments, problems);
    if let Some(reason) = arguments
        .text(Key::REASON)
        .filter(|_| rule.reason.is_none())
    {
        let names: Vec<String> = Reason::NAMES.iter().map(|name| written(name)).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        problems.report(
            reason.span,
            format!("invalid value `{}` for `reason`", reason.value),
            format!("write {}", suggest::either(&names)),
        );
    }
    Some(rule)
}

fn read_one(arguments: &Keys) -> Option<Validation> {
    Some(Validation {
        rule: arguments.text(Key::RULE)?,
        message: arguments.text(Key::MESSAGE),
        message_expression: arguments.text(Key::MESSAGE_EXPRESSION),
        reason: arguments.value(Key::REASON, Reason::from_name),
        field_path: arguments.text(Key::FIELD_PATH),
        optional_old_self: arguments.flag(Key::OPTIONAL_OLD_SELF),
    })
}

/// Checks what the API server requires of a rule beyond valid CEL, such as a message without line
/// breaks.
fn check(rule: &Validation, arguments: &Keys, problems: &mut Problems) {
    let text = rule.rule.value.trim();
    if text.is_empty() {
        problems.report(
            rule.rule.span,
            "the rule is empty",
            "write a CEL expression over `self`",
        );
    }
    if text.contains('\n') && !arguments.mentions(Key::MESSAGE) {
        problems.report(
            rule.rule.span,
            "a rule with line breaks needs a `message`",
            "add `message = \"..\"`",
        );
    }
    if let Some(message) = rule
        .message
        .as_ref()
        .filter(|message| message.value.trim().contains('\n'))
    {
        problems.report(
            message.span,
            "`message` must not contain line breaks",
            "remove the line breaks",
        );
    }
    if let Some(span) = rule.optional_old_self.span()
        && !text.contains("oldSelf")
    {
        problems.report(
            span,
            "`optional_old_self` applies only to rules that use `oldSelf`",
            "remove it",
        );
    }
}
