//! Events of core/v1, and what they share with those of events.k8s.io/v1 (pkg/apis/core/validation,
//! events.go; pkg/apis/events/v1, conversion.go). The server stores Events in the form of core/v1.

use genclient_apimachinery::field;
use genclient_apimachinery::unstructured::{str_field, str_or_empty};
use genclient_apimachinery::validation;
use serde_json::{Value, json};

use crate::accessors::{as_integer, text_or};
use crate::names;
use crate::row::Row;
use crate::strategy::{FinalizerRule, Strategy};
use crate::types;
use crate::types::GoType;

pub(crate) const GROUP: &str = "events.k8s.io";

const API_VERSION: &str = "events.k8s.io/v1";

/// Fields whose names differ: the name in core/v1, and the name in events.k8s.io/v1.
const RENAMED: &[(&str, &str)] = &[
    ("count", "deprecatedCount"),
    ("firstTimestamp", "deprecatedFirstTimestamp"),
    ("involvedObject", "regarding"),
    ("lastTimestamp", "deprecatedLastTimestamp"),
    ("message", "note"),
    ("reportingComponent", "reportingController"),
    ("source", "deprecatedSource"),
];

/// Names of the fields that are called differently in core/v1 and in events.k8s.io/v1. Most
/// findings name fields as core/v1 does, even in an Event of events.k8s.io/v1.
pub(crate) struct FieldNames {
    pub(crate) involved: &'static str,
    pub(crate) controller: &'static str,
    pub(crate) note: &'static str,
}

/// Strategy of Events of core/v1 (pkg/registry/core/event, strategy.go).
#[derive(Debug)]
pub(crate) struct EventStrategy;

impl Strategy for EventStrategy {
    fn is_garbage_collected(&self) -> bool {
        false
    }

    fn finalizer_rule(&self) -> FinalizerRule {
        FinalizerRule::Any
    }

    fn convert_from_equivalent(&self, event: Value) -> Value {
        to_core(event)
    }

    fn validate(&self, object: &Value, out: &mut field::ErrorList) {
        let names = FieldNames {
            involved: "involvedObject",
            controller: "reportingComponent",
            note: "message",
        };
        validate_common(object, &names, out);
    }

    fn cells(&self, row: Row<'_>) -> Option<Vec<Value>> {
        Some(event_cells(row))
    }

    fn field_value(&self, object: &Value, field: &str) -> String {
        selected_field(object, field).to_owned()
    }
}

/// Converts an Event from core/v1 to events.k8s.io/v1.
pub(crate) fn to_events(event: Value) -> Value {
    let renamed = rename_members(event, &|name| {
        RENAMED.iter().find(|it| it.0 == name).map(|it| it.1)
    });
    decode_as(renamed, GROUP, API_VERSION)
}

/// Converts an Event from events.k8s.io/v1 to core/v1.
pub(crate) fn to_core(event: Value) -> Value {
    let renamed = rename_members(event, &|name| {
        RENAMED.iter().find(|it| it.1 == name).map(|it| it.0)
    });
    decode_as(renamed, "", "v1")
}

fn rename_members(event: Value, name_of: &dyn Fn(&str) -> Option<&'static str>) -> Value {
    let Value::Object(members) = event else {
        return event;
    };
    let members = members
        .into_iter()
        .map(|(name, value)| (name_of(&name).map_or(name, str::to_owned), value));
    Value::Object(members.collect())
}

/// Decodes an Event as its Go type, to add the fields that Go always writes, and sets `apiVersion`
/// and `kind`.
fn decode_as(event: Value, group: &str, api_version: &str) -> Value {
    let type_ = GoType::of_kind(group, "v1", "Event");
    let decoded = type_.and_then(|type_| types::decode(&event, type_).ok());
    let mut event = decoded.map_or(event, |decoded| decoded.value);
    if let Value::Object(members) = &mut event {
        members.insert("apiVersion".to_owned(), api_version.into());
        members.insert("kind".to_owned(), "Event".into());
    }
    event
}

/// Returns the value of a field that field selectors of Events may use. In either form of an Event,
/// the names of core/v1 and of events.k8s.io/v1 both work (`ToSelectableFields` in
/// pkg/registry/core/event, strategy.go).
pub(crate) fn selected_field<'a>(event: &'a Value, field: &str) -> &'a str {
    let either = |core: &str, other: &str| event.get(core).or_else(|| event.get(other));
    let member =
        |found: Option<&'a Value>, name: &str| found.map_or("", |it| str_or_empty(&it[name]));
    let controller =
        || either("reportingComponent", "reportingController").map_or("", str_or_empty);
    match field {
        "source" => match member(either("source", "deprecatedSource"), "component") {
            "" => controller(),
            component => component,
        },
        "reportingComponent" | "reportingController" => controller(),
        field => match field.split_once('.') {
            Some(("involvedObject" | "regarding", name)) => {
                member(either("involvedObject", "regarding"), name)
            }
            _ => str_or_empty(&event[field]),
        },
    }
}

/// Validates an Event in either form. `of` has the names of its fields in the object.
pub(crate) fn validate_common(object: &Value, of: &FieldNames, out: &mut field::ErrorList) {
    let namespace = str_field(&object["metadata"], "namespace");
    let involved = str_field(&object[of.involved], "namespace");
    let matches = match (object["eventTime"].is_null(), involved) {
        (true, "") => matches!(namespace, "" | "default"),
        (true, involved) => namespace == involved,
        (false, "") => matches!(namespace, "default" | "kube-system"),
        (false, _) => true,
    };
    if !matches {
        let message = "does not match event.namespace";
        out.push(field::Error::invalid(
            "involvedObject.namespace",
            &involved.into(),
            message,
        ));
    }
    if object["eventTime"].is_null() {
        return;
    }
    let controller = str_field(object, of.controller);
    if controller.is_empty() {
        out.push(field::Error::required(of.controller, ""));
    }
    names::report_name_errors(
        of.controller,
        controller,
        validation::label_key(controller),
        out,
    );
    // The name in the finding, the name in the object, and the maximum length in bytes.
    for (field, name, most) in [
        ("reportingInstance", "reportingInstance", 128),
        ("action", "action", 128),
        ("reason", "reason", 128),
        ("message", of.note, 1024),
    ] {
        let value = str_field(object, name);
        if value.is_empty() && field != "message" {
            out.push(field::Error::required(field, ""));
        }
        if value.len() > most {
            let message = format!("can have at most {most} characters");
            out.push(field::Error::invalid(field, &"".into(), &message));
        }
    }
}

/// Validates the series of an Event of events.k8s.io/v1.
pub(crate) fn validate_series(event: &Value, out: &mut field::ErrorList) {
    let series = &event["series"];
    if series.is_null() {
        return;
    }
    if series["count"].as_i64().unwrap_or_default() < 2 {
        let cause = field::Error::invalid("series.count", &"".into(), "should be at least 2");
        out.push(cause);
    }
    if series["lastObservedTime"].is_null() {
        out.push(field::Error::required("series.lastObservedTime", ""));
    }
}

/// Returns the value, or for null the zero value of its Go type. `field` is the name in findings.
pub(crate) fn or_zero(value: &Value, field: &str) -> Value {
    match (value, field) {
        (Value::Null, "count") => Value::from(0),
        (Value::Null, "eventTime" | "firstTimestamp" | "lastTimestamp" | "related") => Value::Null,
        (Value::Null, "involvedObject" | "source") => json!({}),
        (Value::Null, _) => Value::from(""),
        (value, _) => value.clone(),
    }
}

/// Fields of an `ObjectReference`: the name in Go and the name in JSON.
pub(crate) const REFERENCE: &[(&str, &str)] = &[
    ("Kind", "kind"),
    ("Namespace", "namespace"),
    ("Name", "name"),
    ("UID", "uid"),
    ("APIVersion", "apiVersion"),
    ("ResourceVersion", "resourceVersion"),
    ("FieldPath", "fieldPath"),
];

/// Fields of an `EventSource`: the name in Go and the name in JSON.
pub(crate) const SOURCE: &[(&str, &str)] = &[("Component", "component"), ("Host", "host")];

/// Formats a struct as messages print it, with Go's names of its fields.
pub(crate) fn format_struct(value: &Value, fields: &[(&str, &str)]) -> String {
    if value.is_null() {
        return "null".to_owned();
    }
    let members = fields
        .iter()
        .map(|(title, name)| format!("\"{title}\":{}", Value::from(str_field(value, name))));
    format!("{{{}}}", members.collect::<Vec<_>>().join(","))
}

/// Returns a field of an Event. Its name is `one` or `other`, depending on the API group.
fn first_set<'a>(event: &'a Value, one: &str, other: &str) -> &'a Value {
    match &event[one] {
        Value::Null => &event[other],
        found => found,
    }
}

/// Returns the cells of an Event in either form (`printEvent`).
pub(crate) fn event_cells(row: Row<'_>) -> Vec<Value> {
    let event = row.object;
    let first_seen = match first_set(event, "firstTimestamp", "deprecatedFirstTimestamp") {
        Value::Null => row.since(&event["eventTime"]),
        first => row.since(first),
    };
    let mut last_seen = match first_set(event, "lastTimestamp", "deprecatedLastTimestamp") {
        Value::Null => first_seen.clone(),
        last => row.since(last),
    };
    let mut count = match as_integer(first_set(event, "count", "deprecatedCount")) {
        0 => 1,
        count => count,
    };
    if let series @ Value::Object(_) = &event["series"] {
        last_seen = row.since(&series["lastObservedTime"]);
        count = as_integer(&series["count"]);
    }
    let about = first_set(event, "involvedObject", "regarding");
    let kind = str_or_empty(&about["kind"]).to_lowercase();
    let target = match str_or_empty(&about["name"]) {
        "" => kind,
        name => format!("{kind}/{name}"),
    };
    let source = first_set(event, "source", "deprecatedSource");
    let reporter = first_set(event, "reportingComponent", "reportingController");
    let component = text_or(&source["component"], str_or_empty(reporter));
    let source = match text_or(&source["host"], str_or_empty(&event["reportingInstance"])) {
        "" => component.to_owned(),
        host => format!("{component}, {host}"),
    };
    vec![
        json!(last_seen),
        json!(str_or_empty(&event["type"])),
        json!(str_or_empty(&event["reason"])),
        json!(target),
        json!(str_or_empty(&about["fieldPath"])),
        json!(source),
        json!(str_or_empty(first_set(event, "message", "note")).trim()),
        json!(first_seen),
        json!(count),
        row.name(),
    ]
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn events_convert_between_core_v1_and_events_v1() {
        let core = json!({
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": { "name": "a" },
            "count": 3,
            "eventTime": null,
            "firstTimestamp": null,
            "involvedObject": { "name": "p" },
            "lastTimestamp": null,
            "message": "m",
            "reportingComponent": "",
            "reportingInstance": "",
            "source": { "component": "c" },
        });
        let event = json!({
            "apiVersion": "events.k8s.io/v1",
            "kind": "Event",
            "metadata": { "name": "a" },
            "deprecatedCount": 3,
            "deprecatedFirstTimestamp": null,
            "deprecatedLastTimestamp": null,
            "deprecatedSource": { "component": "c" },
            "eventTime": null,
            "note": "m",
            "regarding": { "name": "p" },
        });
        assert_eq!(to_events(core.clone()), event);
        assert_eq!(to_core(event.clone()), core);
        for event in [core, event] {
            assert_eq!(selected_field(&event, "source"), "c");
            assert_eq!(selected_field(&event, "regarding.name"), "p");
        }
    }
}
