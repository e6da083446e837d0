//! Correction of values that are written in another form than that of their key.

use crate::arguments::{After, RawKey, joined};
use crate::table::{Form, Value};
use crate::{Json, JsonValue};

/// The value in the form that the key has: `["a"]` for `"a"`, `1` for `"1"` and `"1s"`,
/// `(url = "a")` for `"a"`.
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

/// The text of a string, without quotes, or the tokens of another value.
fn plain(json: &Json) -> String {
    match &json.value {
        JsonValue::String(text) => text.clone(),
        _ => format!("{json:#}"),
    }
}

/// `10` of `10s`: what is a duration here counts seconds.
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
