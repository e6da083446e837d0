//! Table cells of printer columns, and selectable fields.
//!
//! Follows `k8s.io/apiextensions-apiserver/pkg/registry/customresource` and its `tableconvertor`.

use std::borrow::Cow;
use std::collections::BTreeMap;

use genclient_apimachinery::go::{json, quoted};
use genclient_apimachinery::meta;
use serde_json::Value;

use super::go;
use crate::json_path::JsonPath;

/// A column of `additionalPrinterColumns`.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Heading.
    pub name: String,
    /// `string`, `integer`, `number`, `boolean` or `date`.
    pub type_: String,
    /// `format`, empty if absent.
    pub format: String,
    /// The description, or a default that names the path.
    pub description: String,
    /// 0 for columns that are always shown.
    pub priority: i64,
    path: JsonPath,
}

impl Column {
    /// Reads a column of a definition.
    ///
    /// # Errors
    ///
    /// Returns an error if the path does not parse. The API server then omits this and all later
    /// columns.
    pub fn of_definition(column: &Value) -> Result<Self, String> {
        let text = |name: &str| {
            let value = column.get(name).and_then(Value::as_str);
            value.unwrap_or_default()
        };
        let path = text("jsonPath");
        let description = match text("description") {
            "" => format!("Custom resource definition column (in JSONPath format): {path}"),
            description => description.to_owned(),
        };
        Ok(Self {
            name: text("name").to_owned(),
            type_: text("type").to_owned(),
            format: text("format").to_owned(),
            description,
            priority: column.get("priority").and_then(Value::as_i64).unwrap_or(0),
            path: JsonPath::parse(path)
                .map_err(|_| format!("unrecognized column definition {}", quoted(path)))?,
        })
    }

    /// Returns the table cell for an object; `now` is in seconds since 1970-01-01.
    pub fn cell(&self, object: &Value, now: i64) -> Value {
        let found = self.path.find(object).unwrap_or_default();
        let Some(value) = found.first() else {
            return Value::Null;
        };
        let is_stated = matches!(value, Cow::Owned(_));
        match (self.type_.as_str(), &**value) {
            // The path can end with a literal, as in `.spec 12`. The literal is an `int` in Go, an
            // integer in the object is an `int64`. Only columns of type `string` show an `int`.
            ("integer" | "number", Value::Number(number)) if is_stated && number.is_i64() => {
                Value::Null
            }
            ("string", Value::Null) => "<no value>".into(),
            ("string", Value::Array(_) | Value::Object(_)) => json(value).into(),
            ("string", value) => go::value(value).into(),
            ("integer", Value::Number(number)) => match number.as_i64() {
                Some(integer) => integer.into(),
                None => integer(number.as_f64().unwrap_or_default()).into(),
            },
            ("number", Value::Number(number)) => float(number.as_f64().unwrap_or_default()),
            ("boolean", Value::Bool(bool)) => (*bool).into(),
            ("date", Value::String(text)) => age(text, now).into(),
            _ => Value::Null,
        }
    }
}

/// Truncates a float. If an `i64` cannot hold it, returns `i64::MIN`, as Go does on amd64.
fn integer(number: f64) -> i64 {
    const END: f64 = 9_223_372_036_854_775_808.0;
    if (-END..END).contains(&number) {
        number as i64
    } else {
        i64::MIN
    }
}

/// Returns the number as an integer if Go formats it with neither fraction nor exponent.
fn float(number: f64) -> Value {
    let integer = json(&number.into()).parse::<i64>();
    integer.map_or(number.into(), Value::from)
}

fn age(text: &str, now: i64) -> String {
    match meta::parse_time(text) {
        _ if text.is_empty() || text == "null" => "<unknown>".to_owned(),
        Err(_) => "<invalid>".to_owned(),
        Ok(meta::ZERO) => "<unknown>".to_owned(),
        Ok(seconds) => human_duration(now - seconds),
    }
}

/// Formats a duration in seconds as an age in tables: `40s`, `5m2s`, `3h10m`, `2d`
/// (`duration.HumanDuration`).
pub fn human_duration(seconds: i64) -> String {
    let (minutes, hours) = (seconds / 60, seconds / 3_600);
    let two = |first: i64, unit: &str, second: i64, rest: &str| match second {
        0 => format!("{first}{unit}"),
        second => format!("{first}{unit}{second}{rest}"),
    };
    const YEAR: i64 = 24 * 365;
    match () {
        () if seconds < -1 => "<invalid>".to_owned(),
        () if seconds < 0 => "0s".to_owned(),
        () if seconds < 120 => format!("{seconds}s"),
        () if minutes < 10 => two(minutes, "m", seconds % 60, "s"),
        () if minutes < 180 => format!("{minutes}m"),
        () if hours < 8 => two(hours, "h", minutes % 60, "m"),
        () if hours < 48 => format!("{hours}h"),
        () if hours < 24 * 8 => two(hours / 24, "d", hours % 24, "h"),
        () if hours < YEAR * 2 => format!("{}d", hours / 24),
        () if hours < YEAR * 8 => two(hours / YEAR, "y", hours / 24 % 365, "d"),
        () => format!("{}y", hours / YEAR),
    }
}

/// Returns the values of the selectable fields of a custom resource, without `metadata.name` and
/// `metadata.namespace`. The keys are the paths of `selectableFields` without the leading dot. An
/// absent field has an empty value.
///
/// # Errors
///
/// Returns an error for a path that is invalid, does not fit the object or has several values.
pub fn selectable_fields<'p>(
    paths: impl IntoIterator<Item = &'p str>,
    object: &Value,
) -> Result<BTreeMap<&'p str, String>, String> {
    let mut fields = BTreeMap::new();
    for path in paths {
        let found = JsonPath::parse(path)?.find(object)?;
        let text = match &found[..] {
            [] => String::new(),
            [value] if value.is_null() => String::new(),
            [value] => go::value(value),
            _ => return Err("unexpectedly received more than one JSON path result".to_owned()),
        };
        fields.insert(path.strip_prefix('.').unwrap_or(path), text);
    }
    Ok(fields)
}
