//! Match conditions of admission webhooks: named CEL expressions.
//!
//! The generator parses the expressions, not this module.

use super::selector::members;
use crate::keys::Keys;
use crate::table::Key;
use crate::{Json, JsonValue, Problems, Spanned, dns};

/// The API server's limit on the match conditions of one webhook.
const MAX_CONDITIONS: usize = 64;

const SAMPLE: &str = "write `{ \"name\": \"..\", \"expression\": \"..\" }`";

/// A named CEL expression.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchCondition {
    /// Name, unique in the webhook.
    pub name: Spanned<String>,
    /// The expression.
    pub expression: Spanned<String>,
}

pub(super) fn read(keys: &Keys, problems: &mut Problems) -> Vec<MatchCondition> {
    let list = keys.json(Key::MATCH_CONDITIONS);
    let Some(JsonValue::Array(items)) = list.map(|list| list.value) else {
        return Vec::new();
    };
    if let Some(one) = items.get(MAX_CONDITIONS) {
        let message = format!("a webhook may have at most {MAX_CONDITIONS} match conditions");
        problems.report(one.span, message, "combine some of them with `&&`");
    }
    let mut conditions: Vec<MatchCondition> = Vec::new();
    for item in items {
        let Some(condition) = condition(&item, problems) else {
            continue;
        };
        let mut known = conditions.iter();
        if known.any(|known| known.name == condition.name) {
            let message = format!("duplicate match condition `{}`", condition.name.value);
            problems.report(condition.name.span, message, "rename it");
        }
        conditions.push(condition);
    }
    conditions
}

fn condition(item: &Json, problems: &mut Problems) -> Option<MatchCondition> {
    let clear = problems.len();
    let members = members(item, &["name", "expression"], problems);
    let text = |wanted: &str| {
        let mut members = members.iter();
        let found = members.find(|(name, _)| name.value == wanted);
        found.and_then(|(_, value)| value.text())
    };
    let (Some(name), Some(expression)) = (text("name"), text("expression")) else {
        if problems.len() == clear {
            let message = "a match condition needs `name` and `expression`, both strings";
            problems.report(item.span, message, SAMPLE);
        }
        return None;
    };
    if !dns::is_qualified(&name.value) {
        problems.report(
            name.span,
            format!("invalid match condition name `{}`", name.value),
            "use letters, digits, `-`, `_` and `.`, with a letter or digit at both ends",
        );
    }
    if expression.value.trim().is_empty() {
        let message = "the expression of a match condition must not be empty";
        problems.report(
            expression.span,
            message,
            "write a CEL expression that evaluates to bool",
        );
    }
    Some(MatchCondition { name, expression })
}
