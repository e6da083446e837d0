//! CEL rules in CRD syntax: `extend("x-kubernetes-validations" = [{ "rule": ".." }])`.

use proc_macro2::Span;

use crate::keys::{Given, KeyValue, Keys};
use crate::table::Key;
use crate::{Json, JsonValue, Problems, Spanned, Validation, schema, suggest};

/// Reads the rules as if each were written as `validation(…)`.
pub(super) fn read(value: Json, problems: &mut Problems) -> Vec<Validation> {
    let JsonValue::Array(items) = value.value else {
        let help = "write `[{ \"rule\": \"..\" }]`";
        problems.report(value.span, "expected a list of rules", help);
        return Vec::new();
    };
    let rules = items.into_iter().filter_map(|item| rule(item, problems));
    rules.collect()
}

fn rule(item: Json, problems: &mut Problems) -> Option<Validation> {
    let JsonValue::Object(members) = item.value else {
        let help = "write `{ \"rule\": \"..\" }`";
        problems.report(item.span, "expected an object for a rule", help);
        return None;
    };
    let mut arguments = Keys::default();
    for (member, value) in members {
        push(&member.value, value, &mut arguments, problems);
    }
    let reason = |name: &str| format!("{name:?}");
    schema::rule(&arguments, item.span, reason, problems)
}

/// The fields of a rule and the equivalent arguments of `validation(…)`.
const MEMBERS: [(&str, Key); 6] = [
    ("rule", Key::RULE),
    ("message", Key::MESSAGE),
    ("messageExpression", Key::MESSAGE_EXPRESSION),
    ("reason", Key::REASON),
    ("fieldPath", Key::FIELD_PATH),
    ("optionalOldSelf", Key::OPTIONAL_OLD_SELF),
];

fn key(member: &str) -> Option<Key> {
    let (_, key) = MEMBERS.iter().find(|(name, _)| *name == member)?;
    Some(*key)
}

/// Adds a field of a rule as an argument.
fn push(member: &str, value: Json, arguments: &mut Keys, problems: &mut Problems) {
    let Some(key) = key(member) else {
        return unknown(member, value.span, arguments, problems);
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
        format!("expected {wanted} for `{member}` of a rule"),
        format!("write `\"{member}\": {sample}`"),
    );
}

/// Reports an unknown field of a rule. The error is at the value of the field, because the span of
/// its name is not known here.
fn unknown(member: &str, span: Span, arguments: &mut Keys, problems: &mut Problems) {
    let names = MEMBERS.map(|(name, _)| name);
    let meant = suggest::closest(member, names);
    let help = match meant {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("the fields of a rule are {}", suggest::all_of(&names)),
    };
    problems.report(span, format!("unknown field `{member}` in a rule"), help);
    // Suppresses the "missing" error for the field that this one likely misspells.
    if let Some(key) = meant.and_then(key) {
        arguments.fail(key);
    }
}
