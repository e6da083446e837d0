//! CEL rules as a CRD has them: `extend("x-kubernetes-validations" = [{ "rule": ".." }])`.

use proc_macro2::Span;

use crate::keys::{Given, KeyValue, Keys};
use crate::table::Key;
use crate::{Json, JsonValue, Problems, Spanned, Validation, schema};

/// Reads the rules as if each stood in `validation(…)`.
pub(super) fn read(value: Json, problems: &mut Problems) -> Vec<Validation> {
    let JsonValue::Array(items) = value.value else {
        let help = "write `[{ \"rule\": \"..\" }]`";
        problems.report(value.span, "the rules are a list", help);
        return Vec::new();
    };
    let rules = items.into_iter().filter_map(|item| rule(item, problems));
    rules.collect()
}

fn rule(item: Json, problems: &mut Problems) -> Option<Validation> {
    let JsonValue::Object(members) = item.value else {
        let help = "write `{ \"rule\": \"..\" }`";
        problems.report(item.span, "a rule is an object", help);
        return None;
    };
    let mut arguments = Keys::default();
    for (member, value) in members {
        push(&member, value, item.span, &mut arguments, problems);
    }
    schema::rule(&arguments, item.span, problems)
}

/// Adds a member of a rule as the argument of `validation(…)` that means the same. `rule` is the
/// place of the whole rule, because names of members have none.
fn push(member: &str, value: Json, rule: Span, arguments: &mut Keys, problems: &mut Problems) {
    let key = match member {
        "rule" => Key::RULE,
        "message" => Key::MESSAGE,
        "messageExpression" => Key::MESSAGE_EXPRESSION,
        "reason" => Key::REASON,
        "fieldPath" => Key::FIELD_PATH,
        "optionalOldSelf" => Key::OPTIONAL_OLD_SELF,
        _ => {
            let help = "a rule has rule, message, messageExpression, reason, fieldPath and optionalOldSelf";
            problems.report(rule, format!("a rule has no `{member}`"), help);
            return;
        }
    };
    let (wanted, sample) = match (key, value.value) {
        (Key::OPTIONAL_OLD_SELF, JsonValue::Bool(true)) => {
            return arguments.push(KeyValue::new(key, value.span, Given::Flag));
        }
        (Key::OPTIONAL_OLD_SELF, JsonValue::Bool(false)) => return,
        (Key::OPTIONAL_OLD_SELF, _) => ("a boolean", "true"),
        (_, JsonValue::String(text)) => {
            return arguments.push(KeyValue::of_text(key, Spanned::new(text, value.span)));
        }
        _ => ("a string", "\"..\""),
    };
    arguments.fail(key);
    problems.report(
        value.span,
        format!("`{member}` of a rule is {wanted}"),
        format!("write `\"{member}\": {sample}`"),
    );
}
