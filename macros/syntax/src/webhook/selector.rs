//! Validation of label selectors, as in the API server
//! (`k8s.io/apimachinery/pkg/apis/meta/v1/validation`, `ValidateLabelSelector`).

use crate::keys::Keys;
use crate::table::Key;
use crate::{Json, JsonValue, Problems, Spanned, dns, suggest};

const OPERATORS: [&str; 4] = ["In", "NotIn", "Exists", "DoesNotExist"];

type Member = (Spanned<String>, Json);

pub(super) fn read(key: Key, keys: &Keys, problems: &mut Problems) -> Option<Json> {
    let selector = keys.json(key)?;
    for (name, value) in members(&selector, &["matchLabels", "matchExpressions"], problems) {
        match (name.value.as_str(), &value.value) {
            ("matchLabels", JsonValue::Object(labels)) => {
                labels.iter().for_each(|label| check_label(label, problems));
            }
            ("matchExpressions", JsonValue::Array(expressions)) => {
                expressions
                    .iter()
                    .for_each(|one| check_expression(one, problems));
            }
            ("matchLabels", _) => problems.report(
                value.span,
                "expected an object of strings for `matchLabels`",
                "write `\"matchLabels\": { \"key\": \"value\" }`",
            ),
            _ => problems.report(
                value.span,
                "expected a list for `matchExpressions`",
                EXPRESSION,
            ),
        }
    }
    Some(selector)
}

const EXPRESSION: &str = "write `\"matchExpressions\": [{ \"key\": \"tier\", \"operator\": \"In\", \"values\": [\"a\", \"b\"] }]`";

/// Returns the known members of an object and reports others.
pub(super) fn members<'j>(
    object: &'j Json,
    known: &[&str],
    problems: &mut Problems,
) -> Vec<&'j Member> {
    let JsonValue::Object(members) = &object.value else {
        let known = suggest::all_of(known);
        problems.report(
            object.span,
            "expected an object",
            format!("write an object with {known}"),
        );
        return Vec::new();
    };
    let (members, unknown): (Vec<_>, Vec<_>) = members
        .iter()
        .partition(|(name, _)| known.contains(&&*name.value));
    for (name, _) in unknown {
        let help = match suggest::similar(&name.value, known) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("the fields are {}", suggest::all_of(known)),
        };
        problems.report(name.span, format!("unknown field `{}`", name.value), help);
    }
    members
}

fn check_label((key, value): &Member, problems: &mut Problems) {
    check_key(key, problems);
    match value.text() {
        Some(text) => check_value(&text, problems),
        None => problems.report(
            value.span,
            "expected a string for the label value",
            format!("write `\"{value}\"`"),
        ),
    }
}

fn check_key(key: &Spanned<String>, problems: &mut Problems) {
    if !dns::is_qualified(&key.value) {
        let message = format!("invalid label key `{}`", key.value);
        let help = "write a name such as `\"example.com/owner\"`";
        problems.report(key.span, message, help);
    }
}

fn check_value(value: &Spanned<String>, problems: &mut Problems) {
    if !dns::is_label_value(&value.value) {
        let help =
            "use up to 63 letters, digits, `-`, `_` and `.`, with a letter or digit at both ends";
        let message = format!("invalid label value `{}`", value.value);
        problems.report(value.span, message, help);
    }
}

fn check_expression(expression: &Json, problems: &mut Problems) {
    let clear = problems.len();
    let members = members(expression, &["key", "operator", "values"], problems);
    let member = |name: &str| {
        let mut members = members.iter();
        members
            .find(|(known, _)| known.value == name)
            .map(|(_, value)| value)
    };
    let text = |name: &str| member(name).and_then(Json::text);
    match text("key") {
        Some(key) => check_key(&key, problems),
        None if problems.len() > clear => return,
        None => {
            return problems.report(expression.span, "missing field `key`", EXPRESSION);
        }
    }
    let Some(operator) = text("operator") else {
        let help = format!("add `\"operator\"`: {}", suggest::one_of(&OPERATORS));
        return problems.report(expression.span, "missing field `operator`", help);
    };
    let name = operator.value.as_str();
    let values = member("values");
    match (name, values) {
        ("In" | "NotIn", Some(values)) => check_values(name, values, problems),
        ("In" | "NotIn", None) => problems.report(
            operator.span,
            format!("`{name}` needs `values`"),
            "add `\"values\": [\"..\"]`",
        ),
        ("Exists" | "DoesNotExist", Some(values)) => problems.report(
            values.span,
            format!("`values` is not allowed with `{name}`"),
            "remove `\"values\"`",
        ),
        ("Exists" | "DoesNotExist", None) => {}
        _ => problems.report(
            operator.span,
            format!("unknown operator `{name}` in a label selector"),
            suggest::value(name, &OPERATORS),
        ),
    }
}

fn check_values(operator: &str, values: &Json, problems: &mut Problems) {
    let texts = match &values.value {
        JsonValue::Array(items) => items.iter().map(Json::text).collect(),
        _ => None,
    };
    let texts: Vec<_> = texts.unwrap_or_default();
    if texts.is_empty() {
        problems.report(
            values.span,
            format!("`{operator}` needs a list of strings"),
            "write `\"values\": [\"..\"]`",
        );
    }
    texts.iter().for_each(|text| check_value(text, problems));
}
