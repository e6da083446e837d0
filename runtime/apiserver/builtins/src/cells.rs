//! Contents of table cells that several kinds share (pkg/printers/internalversion, printers.go).

use genclient_apimachinery::labels::format_label_selector;
use genclient_apimachinery::meta::parse_time;
use genclient_apimachinery::unstructured::{list_or_empty, str_or_empty};
use serde_json::{Value, json};

pub(crate) const NONE: &str = "<none>";
pub(crate) const UNSET: &str = "<unset>";
pub(crate) const UNKNOWN: &str = "<unknown>";

/// Parses a timestamp into seconds since 1970.
pub(crate) fn parse_seconds(timestamp: &Value) -> Option<i64> {
    parse_time(timestamp.as_str()?).ok()
}

/// Joins the strings in a list by commas.
pub(crate) fn join_texts(list: &Value) -> String {
    let texts: Vec<_> = list_or_empty(list).iter().map(str_or_empty).collect();
    texts.join(",")
}

/// Joins the first `shown` strings of a list, and appends the number of the rest, such as in
/// `a,b + 2 more...`.
pub(crate) fn join_first(list: &[String], shown: usize, separator: &str) -> String {
    let text = list.get(..shown).unwrap_or(list).join(separator);
    match list.len().checked_sub(shown).filter(|more| *more > 0) {
        Some(more) => format!("{text} + {more} more..."),
        None => text,
    }
}

/// Returns the names and the images of the containers in a Pod spec, each joined by commas.
pub(crate) fn container_cells(spec: &Value) -> [Value; 2] {
    ["name", "image"].map(|field| {
        let texts = list_or_empty(&spec["containers"])
            .iter()
            .map(|it| str_or_empty(&it[field]));
        json!(texts.collect::<Vec<_>>().join(","))
    })
}

/// Returns whether a status has a condition of this type that is `True`.
pub(crate) fn has_condition(status: &Value, type_: &str) -> bool {
    let mut conditions = list_or_empty(&status["conditions"]).iter();
    let found = conditions.find(|condition| condition["type"] == type_);
    found.is_some_and(|condition| condition["status"] == "True")
}

/// Formats labels as `key=value`, or as `<none>` (`labels.FormatLabels`).
pub(crate) fn format_labels(labels: &Value) -> String {
    let labels = labels.as_object().into_iter().flatten();
    let texts: Vec<_> = labels
        .map(|(key, value)| format!("{key}={}", str_or_empty(value)))
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
    match format_label_selector(selector) {
        text if text.is_empty() => NONE.to_owned(),
        text => text,
    }
}

/// Returns the cell of a policy's parameter kind.
pub(crate) fn param_kind_cell(spec: &Value) -> Value {
    match &spec["paramKind"] {
        Value::Null => json!(UNSET),
        kind => json!(format!(
            "{}/{}",
            str_or_empty(&kind["apiVersion"]),
            str_or_empty(&kind["kind"])
        )),
    }
}

/// Formats the reference of a binding to its parameters.
pub(crate) fn param_ref_cell(reference: &Value) -> String {
    match (
        str_or_empty(&reference["name"]),
        str_or_empty(&reference["namespace"]),
    ) {
        ("", _) if reference["selector"].is_null() => UNSET.to_owned(),
        ("", _) => format_label_selector(&reference["selector"]),
        (name, "") => format!("*/{name}"),
        (name, namespace) => format!("{namespace}/{name}"),
    }
}
