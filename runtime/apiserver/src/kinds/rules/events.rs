//! Rules of Events (pkg/apis/core/validation, events.go).

use genclient_schema::Cause;
use serde_json::Value;

use super::{Causes, IMMUTABLE, invalid_struct, names, text};

/// The names of fields in one of the two APIs.
struct Names {
    involved: &'static str,
    controller: &'static str,
    note: &'static str,
}

pub(super) fn legacy(object: &Value, out: &mut Causes) {
    let names = Names {
        involved: "involvedObject",
        controller: "reportingComponent",
        note: "message",
    };
    common(object, &names, out);
}

pub(super) fn event(object: &Value, out: &mut Causes) {
    let names = Names {
        involved: "regarding",
        controller: "reportingController",
        note: "note",
    };
    common(object, &names, out);
    if object["eventTime"].is_null() {
        out.push(Cause::required("eventTime", ""));
    }
    let type_ = text(object, "type");
    if !matches!(type_, "Normal" | "Warning") {
        let message = format!("has invalid value: {type_}");
        out.push(Cause::invalid("type", &"".into(), &message));
    }
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

/// What an Event of events.k8s.io says never changes, its series apart.
pub(super) fn updated(new: &Value, old: &Value, out: &mut Causes) {
    let names = Names {
        involved: "regarding",
        controller: "reportingController",
        note: "note",
    };
    common(new, &names, out);
    for (field, name) in [("involvedObject", "regarding"), ("related", "related")] {
        if new[name] != old[name] {
            out.push(invalid_struct(field, &reference(&new[name]), IMMUTABLE));
        }
    }
    for (field, name) in [
        ("message", "note"),
        ("type", "type"),
        ("eventTime", "eventTime"),
        ("action", "action"),
        ("reportingController", "reportingController"),
        ("reportingInstance", "reportingInstance"),
    ] {
        super::unchanged(
            field,
            &or_empty(&new[name], name),
            &or_empty(&old[name], name),
            out,
        );
    }
    // The server looks at the reason twice.
    for _ in 0..2 {
        let [new, old] = [new, old].map(|event| or_empty(&event["reason"], "reason"));
        super::unchanged("reason", &new, &old, out);
    }
}

/// An absent text is empty; an absent time is null.
fn or_empty(value: &Value, name: &str) -> Value {
    match value {
        Value::Null if name != "eventTime" => Value::from(""),
        value => value.clone(),
    }
}

/// A reference in the order of Go's struct.
fn reference(value: &Value) -> String {
    if value.is_null() {
        return "null".to_owned();
    }
    let names = [
        "kind",
        "namespace",
        "name",
        "uid",
        "apiVersion",
        "resourceVersion",
        "fieldPath",
    ];
    let titles = [
        "Kind",
        "Namespace",
        "Name",
        "UID",
        "APIVersion",
        "ResourceVersion",
        "FieldPath",
    ];
    let pairs = titles.iter().zip(names);
    let members =
        pairs.map(|(title, name)| format!("\"{title}\":{}", Value::from(text(value, name))));
    format!("{{{}}}", members.collect::<Vec<_>>().join(","))
}
