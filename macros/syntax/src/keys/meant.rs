//! Correction of values that have the wrong form for their key.

use crate::arguments::{After, RawKey, joined};
use crate::table::{Form, Value};
use crate::{Json, JsonValue};

/// Returns the value in the form of the key: `["a"]` for `"a"`, `1` for `"1"` and `"1s"`, `(url =
/// "a")` for `"a"`.
pub(super) fn meant(form: Form, raw: &RawKey) -> Option<After> {
    let values = raw.values();
    let json = match (form, values.as_slice()) {
        (_, []) => return None,
        (Form::Value(Value::Strings | Value::Several(_) | Value::JsonList), _) => {
            format!("[{}]", listed(&values))
        }
        (Form::Value(Value::JsonObject), [only]) => match &only.value {
            JsonValue::Array(items) => listed(items),
            _ => format!("{only:#}"),
        },
        (Form::Value(Value::Integer | Value::Count | Value::Number), [only]) => {
            without_unit(plain(only))
        }
        (Form::Value(_) | Form::FlagOr(_), [only]) => format!("{only:#}"),
        (Form::Pair, [only]) => return list(&format!("{only:#}, \"..\"")),
        (Form::Pair, [name, value]) => {
            return list(&format!("{:?}, {:?}", plain(name), plain(value)));
        }
        (Form::Arguments(known), [only]) => {
            let mut required = known.iter().filter(|argument| argument.required);
            let argument = required.next().filter(|_| required.next().is_none())?;
            return list(&format!("{} = {only:#}", argument.name));
        }
        _ => return None,
    };
    syn::parse_str(&json).ok().map(After::Value)
}

/// Returns the text of a string without quotes, or the tokens of another value.
fn plain(json: &Json) -> String {
    match &json.value {
        JsonValue::String(text) => text.clone(),
        _ => format!("{json:#}"),
    }
}

/// Returns `10` for `10s`, because durations are numbers of seconds.
fn without_unit(text: String) -> String {
    let number = text.strip_suffix('s').map(str::trim_end);
    let is_number = |text: &&str| text.parse::<f64>().is_ok();
    number.filter(is_number).map_or(text.clone(), str::to_owned)
}

fn listed(values: &[Json]) -> String {
    joined(values.iter().map(|value| format!("{value:#}")))
}

fn list(tokens: &str) -> Option<After> {
    tokens.parse().ok().map(After::List)
}
