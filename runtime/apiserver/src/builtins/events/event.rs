//! Conversion of Events between core/v1 and events.k8s.io/v1 (pkg/apis/events/v1, conversion.go).
//! The server stores Events in the form of core/v1.

use serde_json::Value;

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

/// Converts an Event from core/v1 to events.k8s.io/v1.
pub(crate) fn to_events(event: Value) -> Value {
    let renamed = renamed(event, &|name| {
        RENAMED.iter().find(|it| it.0 == name).map(|it| it.1)
    });
    decoded(renamed, GROUP, API_VERSION)
}

/// Converts an Event from events.k8s.io/v1 to core/v1.
pub(crate) fn to_core(event: Value) -> Value {
    let renamed = renamed(event, &|name| {
        RENAMED.iter().find(|it| it.1 == name).map(|it| it.0)
    });
    decoded(renamed, "", "v1")
}

fn renamed(event: Value, name_of: &dyn Fn(&str) -> Option<&'static str>) -> Value {
    let Value::Object(members) = event else {
        return event;
    };
    let members = members.into_iter();
    let members = members.map(|(name, value)| (name_of(&name).map_or(name, str::to_owned), value));
    Value::Object(members.collect())
}

/// Decodes an Event as its Go type, to add the fields that Go always writes, and sets `apiVersion`
/// and `kind`.
fn decoded(event: Value, group: &str, api_version: &str) -> Value {
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
pub(crate) fn field<'a>(event: &'a Value, field: &str) -> &'a str {
    let text = |value: &'a Value| value.as_str().unwrap_or_default();
    let either = |core: &str, other: &str| event.get(core).or_else(|| event.get(other));
    let member = |found: Option<&'a Value>, name: &str| found.map_or("", |it| text(&it[name]));
    let controller = || either("reportingComponent", "reportingController").map_or("", text);
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
            _ => text(&event[field]),
        },
    }
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
            assert_eq!(field(&event, "source"), "c");
            assert_eq!(field(&event, "regarding.name"), "p");
        }
    }
}
