//! Validation of Events (pkg/apis/core/validation, events.go).

use genclient_schema::Cause;
use serde_json::{Value, json};

use crate::builtins::findings::{Causes, IMMUTABLE, invalid_struct, text};
use crate::builtins::names;

/// Names of the fields that are called differently in core/v1 and in events.k8s.io/v1. Most
/// findings name fields as core/v1 does, even in an Event of events.k8s.io/v1.
struct Names {
    involved: &'static str,
    controller: &'static str,
    note: &'static str,
}

pub(crate) fn legacy(object: &Value, out: &mut Causes) {
    let names = Names {
        involved: "involvedObject",
        controller: "reportingComponent",
        note: "message",
    };
    common(object, &names, out);
}

pub(crate) fn event(object: &Value, out: &mut Causes) {
    let names = Names {
        involved: "regarding",
        controller: "reportingController",
        note: "note",
    };
    common(object, &names, out);
    series(object, out);
    if object["eventTime"].is_null() {
        out.push(Cause::required("eventTime", ""));
    }
    let type_ = text(object, "type");
    if !matches!(type_, "Normal" | "Warning") {
        let message = format!("has invalid value: {type_}");
        out.push(Cause::invalid("type", &"".into(), &message));
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
            out.push(Cause::invalid(field, &"".into(), "needs to be unset"));
        }
    }
    let source = &object["deprecatedSource"];
    if !text(source, "component").is_empty() || !text(source, "host").is_empty() {
        out.push(Cause::invalid("source", &"".into(), "needs to be unset"));
    }
}

fn common(object: &Value, of: &Names, out: &mut Causes) {
    let namespace = text(&object["metadata"], "namespace");
    let involved = text(&object[of.involved], "namespace");
    let matches = match (object["eventTime"].is_null(), involved) {
        (true, "") => matches!(namespace, "" | "default"),
        (true, involved) => namespace == involved,
        (false, "") => matches!(namespace, "default" | "kube-system"),
        (false, _) => true,
    };
    if !matches {
        let message = "does not match event.namespace";
        out.push(Cause::invalid(
            "involvedObject.namespace",
            &involved.into(),
            message,
        ));
    }
    if object["eventTime"].is_null() {
        return;
    }
    let controller = text(object, of.controller);
    if controller.is_empty() {
        out.push(Cause::required(of.controller, ""));
    }
    names::report(of.controller, controller, names::qualified(controller), out);
    // The name in the finding, the name in the object, and the maximum length in bytes.
    for (field, name, most) in [
        ("reportingInstance", "reportingInstance", 128),
        ("action", "action", 128),
        ("reason", "reason", 128),
        ("message", of.note, 1024),
    ] {
        let value = text(object, name);
        if value.is_empty() && field != "message" {
            out.push(Cause::required(field, ""));
        }
        if value.len() > most {
            let message = format!("can have at most {most} characters");
            out.push(Cause::invalid(field, &"".into(), &message));
        }
    }
}

/// Validates an update of an Event of events.k8s.io/v1. Only the series may change.
pub(crate) fn updated(new: &Value, old: &Value, out: &mut Causes) {
    let names = Names {
        involved: "regarding",
        controller: "reportingController",
        note: "note",
    };
    common(new, &names, out);
    if new["series"] != old["series"] {
        series(new, out);
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
            "involvedObject" | "related" => {
                invalid_struct(field, &printed(&new, REFERENCE), IMMUTABLE)
            }
            "source" => invalid_struct(field, &printed(&new, SOURCE), IMMUTABLE),
            _ => Cause::invalid(field, &new, IMMUTABLE),
        });
    }
}

fn series(event: &Value, out: &mut Causes) {
    let series = &event["series"];
    if series.is_null() {
        return;
    }
    if series["count"].as_i64().unwrap_or_default() < 2 {
        let cause = Cause::invalid("series.count", &"".into(), "should be at least 2");
        out.push(cause);
    }
    if series["lastObservedTime"].is_null() {
        out.push(Cause::required("series.lastObservedTime", ""));
    }
}

/// Returns the value, or for null the zero value of its Go type. `field` is the name in findings.
fn or_zero(value: &Value, field: &str) -> Value {
    match (value, field) {
        (Value::Null, "count") => Value::from(0),
        (Value::Null, "eventTime" | "firstTimestamp" | "lastTimestamp" | "related") => Value::Null,
        (Value::Null, "involvedObject" | "source") => json!({}),
        (Value::Null, _) => Value::from(""),
        (value, _) => value.clone(),
    }
}

/// Fields of an `ObjectReference`: the name in Go and the name in JSON.
const REFERENCE: &[(&str, &str)] = &[
    ("Kind", "kind"),
    ("Namespace", "namespace"),
    ("Name", "name"),
    ("UID", "uid"),
    ("APIVersion", "apiVersion"),
    ("ResourceVersion", "resourceVersion"),
    ("FieldPath", "fieldPath"),
];

/// Fields of an `EventSource`: the name in Go and the name in JSON.
const SOURCE: &[(&str, &str)] = &[("Component", "component"), ("Host", "host")];

/// Formats a struct as messages print it, with Go's names of its fields.
fn printed(value: &Value, fields: &[(&str, &str)]) -> String {
    if value.is_null() {
        return "null".to_owned();
    }
    let members = fields.iter();
    let members =
        members.map(|(title, name)| format!("\"{title}\":{}", Value::from(text(value, name))));
    format!("{{{}}}", members.collect::<Vec<_>>().join(","))
}
