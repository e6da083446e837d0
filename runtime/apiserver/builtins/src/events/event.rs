//! Events of events.k8s.io/v1.

use genclient_apimachinery::field;
use genclient_apimachinery::unstructured::str_field;
use serde_json::Value;

use crate::core::event;
use crate::core::event::{
    FieldNames, REFERENCE, SOURCE, or_zero, selected_field, to_events, validate_common,
    validate_series,
};
use crate::findings::IMMUTABLE;
use crate::row::Row;
use crate::strategy::Strategy;

/// Strategy of Events of events.k8s.io/v1 (pkg/registry/core/event, strategy.go).
#[derive(Debug)]
pub(crate) struct EventV1Strategy;

impl Strategy for EventV1Strategy {
    fn is_garbage_collected(&self) -> bool {
        false
    }

    fn stored_as(&self) -> Option<(&'static str, &'static str, &'static str)> {
        Some(("", "v1", "events"))
    }

    fn convert_from_equivalent(&self, event: Value) -> Value {
        to_events(event)
    }

    fn validate(&self, object: &Value, out: &mut field::ErrorList) {
        let names = FieldNames {
            involved: "regarding",
            controller: "reportingController",
            note: "note",
        };
        validate_common(object, &names, out);
        validate_series(object, out);
        if object["eventTime"].is_null() {
            out.push(field::Error::required("eventTime", ""));
        }
        let type_ = str_field(object, "type");
        if !matches!(type_, "Normal" | "Warning") {
            let message = format!("has invalid value: {type_}");
            out.push(field::Error::invalid("type", &"".into(), &message));
        }
        // The name in the finding, and the name in the object.
        for (field, name) in [
            ("firstTimestamp", "deprecatedFirstTimestamp"),
            ("lastTimestamp", "deprecatedLastTimestamp"),
            ("count", "deprecatedCount"),
        ] {
            let set = object
                .get(name)
                .is_some_and(|found| !found.is_null() && *found != 0);
            if set {
                out.push(field::Error::invalid(
                    field,
                    &"".into(),
                    "needs to be unset",
                ));
            }
        }
        let source = &object["deprecatedSource"];
        if !str_field(source, "component").is_empty() || !str_field(source, "host").is_empty() {
            out.push(field::Error::invalid(
                "source",
                &"".into(),
                "needs to be unset",
            ));
        }
    }

    /// Validates an update of an Event of events.k8s.io/v1. Only the series may change.
    fn validate_update(&self, new: &Value, old: &Value, out: &mut field::ErrorList) {
        let names = FieldNames {
            involved: "regarding",
            controller: "reportingController",
            note: "note",
        };
        validate_common(new, &names, out);
        if new["series"] != old["series"] {
            validate_series(new, out);
        }
        // The name in the finding, and the name in the object.
        for (field, name) in [
            ("involvedObject", "regarding"),
            ("reason", "reason"),
            ("message", "note"),
            ("source", "deprecatedSource"),
            ("firstTimestamp", "deprecatedFirstTimestamp"),
            ("lastTimestamp", "deprecatedLastTimestamp"),
            ("count", "deprecatedCount"),
            // kube-apiserver checks the reason twice, and reports it twice.
            ("reason", "reason"),
            ("type", "type"),
            ("eventTime", "eventTime"),
            ("action", "action"),
            ("related", "related"),
            ("reportingController", "reportingController"),
            ("reportingInstance", "reportingInstance"),
        ] {
            let [new, old] = [new, old].map(|event| or_zero(&event[name], field));
            if new == old {
                continue;
            }
            out.push(match field {
                "involvedObject" | "related" => field::Error::invalid_text(
                    field,
                    &event::format_struct(&new, REFERENCE),
                    IMMUTABLE,
                ),
                "source" => field::Error::invalid_text(
                    field,
                    &event::format_struct(&new, SOURCE),
                    IMMUTABLE,
                ),
                _ => field::Error::invalid(field, &new, IMMUTABLE),
            });
        }
    }

    fn cells(&self, row: Row<'_>) -> Option<Vec<Value>> {
        Some(event::event_cells(row))
    }

    fn field_value(&self, object: &Value, field: &str) -> String {
        selected_field(object, field).to_owned()
    }
}
