//! [`Row`]: one object of a table, and the formatting that many columns share.

use genclient_apimachinery::meta::parse_time;
use genclient_schema::object::human_duration;
use serde_json::{Value, json};

pub(crate) const NONE: &str = "<none>";
pub(crate) const UNSET: &str = "<unset>";
pub(crate) const UNKNOWN: &str = "<unknown>";

/// Object of a row, and the current time in seconds since 1970.
#[derive(Clone, Copy)]
pub struct Row<'a> {
    /// The object.
    pub object: &'a Value,
    /// The current time in seconds since 1970.
    pub now: i64,
}

impl<'a> Row<'a> {
    pub(crate) fn spec(self) -> &'a Value {
        &self.object["spec"]
    }

    pub(crate) fn status(self) -> &'a Value {
        &self.object["status"]
    }

    pub(crate) fn metadata(self) -> &'a Value {
        &self.object["metadata"]
    }

    /// Returns the cell of the name.
    pub fn name(self) -> Value {
        json!(as_text(&self.metadata()["name"]))
    }

    /// Returns the cell of the age.
    pub fn age(self) -> Value {
        json!(self.since(&self.metadata()["creationTimestamp"]))
    }

    /// Formats the time since a timestamp, such as `5m` (`translateTimestampSince`).
    pub(crate) fn since(self, timestamp: &Value) -> String {
        match seconds(timestamp) {
            Some(seconds) => human_duration(self.now - seconds),
            None => UNKNOWN.to_owned(),
        }
    }

    pub(crate) fn is_deleting(self) -> bool {
        !self.metadata()["deletionTimestamp"].is_null()
    }

    pub(crate) fn annotation(self, key: &str) -> Option<&'a str> {
        self.metadata()["annotations"][key].as_str()
    }
}

/// Parses a timestamp into seconds since 1970.
pub(crate) fn seconds(timestamp: &Value) -> Option<i64> {
    parse_time(timestamp.as_str()?).ok()
}

/// Returns a string value, or an empty text for any other value.
pub fn as_text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Returns a string value, or `other` if it is empty or absent.
pub(crate) fn text_or<'a>(value: &'a Value, other: &'a str) -> &'a str {
    match as_text(value) {
        "" => other,
        text => text,
    }
}

pub(crate) fn as_integer(value: &Value) -> i64 {
    value.as_i64().unwrap_or_default()
}

pub(crate) fn as_flag(value: &Value) -> bool {
    value.as_bool().unwrap_or_default()
}

pub(crate) fn as_items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

pub(crate) fn member_count(value: &Value) -> usize {
    value.as_object().map_or(0, serde_json::Map::len)
}

/// Joins the strings in a list by commas.
pub(crate) fn joined(list: &Value) -> String {
    let texts: Vec<_> = as_items(list).iter().map(as_text).collect();
    texts.join(",")
}

/// Joins the first `shown` strings of a list, and appends the number of the rest, such as in
/// `a,b + 2 more...`.
pub(crate) fn first(list: &[String], shown: usize, separator: &str) -> String {
    let text = list.get(..shown).unwrap_or(list).join(separator);
    match list.len().checked_sub(shown).filter(|more| *more > 0) {
        Some(more) => format!("{text} + {more} more..."),
        None => text,
    }
}

/// Returns the names and the images of the containers in a Pod spec, each joined by commas.
pub(crate) fn containers(spec: &Value) -> [Value; 2] {
    ["name", "image"].map(|field| {
        let texts = as_items(&spec["containers"])
            .iter()
            .map(|it| as_text(&it[field]));
        json!(texts.collect::<Vec<_>>().join(","))
    })
}

/// Returns whether a status has a condition of this type that is `True`.
pub(crate) fn has_condition(status: &Value, type_: &str) -> bool {
    let mut conditions = as_items(&status["conditions"]).iter();
    let found = conditions.find(|condition| condition["type"] == type_);
    found.is_some_and(|condition| condition["status"] == "True")
}

/// Formats labels as `key=value`, or as `<none>` (`labels.FormatLabels`).
pub(crate) fn labels(labels: &Value) -> String {
    let labels = labels.as_object().into_iter().flatten();
    let texts: Vec<_> = labels
        .map(|(key, value)| format!("{key}={}", as_text(value)))
        .collect();
    if texts.is_empty() {
        NONE.to_owned()
    } else {
        texts.join(",")
    }
}

/// Formats a label selector in the syntax of queries, or as `<none>`
/// (`metav1.FormatLabelSelector`).
pub(crate) fn selector_or_none(selector: &Value) -> String {
    match query(selector) {
        text if text.is_empty() => NONE.to_owned(),
        text => text,
    }
}

/// Formats a label selector in the syntax of queries, such as `app=web,tier in (a,b)`.
pub(crate) fn query(selector: &Value) -> String {
    let mut parts = Vec::new();
    for (key, value) in selector["matchLabels"].as_object().into_iter().flatten() {
        parts.push((key.clone(), format!("{key}={}", as_text(value))));
    }
    for expression in as_items(&selector["matchExpressions"]) {
        let key = as_text(&expression["key"]);
        let mut values: Vec<_> = as_items(&expression["values"])
            .iter()
            .map(as_text)
            .collect();
        values.sort_unstable();
        let values = values.join(",");
        let part = match as_text(&expression["operator"]) {
            "In" => format!("{key} in ({values})"),
            "NotIn" => format!("{key} notin ({values})"),
            "DoesNotExist" => format!("!{key}"),
            _ => key.to_owned(),
        };
        parts.push((key.to_owned(), part));
    }
    // The sort is stable: for the same key, labels come before expressions.
    parts.sort_by(|(one, _), (other, _)| one.cmp(other));
    let parts: Vec<_> = parts.into_iter().map(|(_, part)| part).collect();
    parts.join(",")
}
