//! Filters in the paths of printer columns: conditions that no item of the list meets.

use genclient_schema::json_path::{FilterLiteral, JsonPathFilter, JsonPathStep, quoted};
use genclient_syntax::suggest;
use serde_json::Value;

use crate::model::{JsonType, Schema};

/// Returns message and help for the first filter of a path that selects nothing.
pub(super) fn fault(schema: &Schema, steps: &[JsonPathStep]) -> Option<(String, String)> {
    let mut at = Some(schema);
    for step in steps {
        at = at.and_then(|schema| next(schema, step));
        let JsonPathStep::Filter(filter) = step else {
            continue;
        };
        if let Some(fault) = &filter.fault {
            return Some((fault.message.to_owned(), fault.help.clone()));
        }
        let field = at.and_then(|items| filter.steps.iter().try_fold(items, next));
        if let Some(fault) = misfit(filter, field) {
            return Some(fault);
        }
    }
    None
}

fn next<'a>(schema: &'a Schema, step: &JsonPathStep) -> Option<&'a Schema> {
    match step {
        JsonPathStep::Name(name) => {
            let declared = schema.properties.get(name);
            declared.or(schema.additional_properties.as_ref())
        }
        JsonPathStep::Each | JsonPathStep::Filter(_) => schema.items.as_ref(),
        JsonPathStep::Deep => None,
    }
    .map(|schema| &**schema)
}

/// Returns message and help for a literal that differs from every value of the field. client-go
/// does not compare values of different types (`template.Equal`).
fn misfit(filter: &JsonPathFilter, field: Option<&Schema>) -> Option<(String, String)> {
    let literal = filter.literal.as_ref()?;
    let type_ = field.and_then(|field| field.type_);
    let write = |literal: String| format!("write `{literal}`");
    if let FilterLiteral::Word(word) = literal {
        let lower = word.to_lowercase();
        let is_bool = type_ == Some(JsonType::Boolean) && ["true", "false"].contains(&&*lower);
        let help = write(if is_bool { lower } else { quoted(word) });
        return Some((format!("unknown word `{word}` in a filter"), help));
    }
    let (field, type_) = (field?, type_?);
    let (text, found) = match literal {
        FilterLiteral::String(text) => (text, "string"),
        FilterLiteral::Number(text) => (text, "number"),
        FilterLiteral::Boolean(text) | FilterLiteral::Word(text) => (text, "boolean"),
    };
    let help = match (type_, literal) {
        (JsonType::String, FilterLiteral::String(_)) => {
            let values: Vec<_> = field.enum_.iter().filter_map(Value::as_str).collect();
            let is_equal = filter.operator.as_deref() == Some("==");
            if !is_equal
                || values.is_empty()
                || values.contains(&&**text)
                || values.len() < field.enum_.len()
            {
                return None;
            }
            let message = format!("the field of the filter is never `{text}`");
            return Some((message, suggest::value(text, &values)));
        }
        (JsonType::String, _) => {
            let mut values = field.enum_.iter().filter_map(Value::as_str);
            let meant = values.find(|value| value.eq_ignore_ascii_case(text));
            write(quoted(meant.unwrap_or(text)))
        }
        (JsonType::Integer | JsonType::Number, FilterLiteral::Number(_))
        | (JsonType::Boolean, FilterLiteral::Boolean(_)) => return None,
        (JsonType::Integer, _) if text.parse::<i64>().is_ok() => write(text.clone()),
        (JsonType::Number, _) if text.parse::<f64>().is_ok() => write(text.clone()),
        (JsonType::Boolean, _) if ["true", "false"].contains(&&*text.to_lowercase()) => {
            write(text.to_lowercase())
        }
        (JsonType::Boolean, _) => "write `true` or `false`".to_owned(),
        (JsonType::Integer | JsonType::Number, _) => "write a number without quotes".to_owned(),
        (JsonType::Array | JsonType::Object, _) => return None,
    };
    Some((
        format!("the filter compares a field of type {type_} with a {found}"),
        help,
    ))
}
