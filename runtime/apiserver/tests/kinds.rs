//! Built-in kinds: what a create or an update of theirs answers, compared with the API server
//! (`hack/kinds/answers.py`). `KIND_CASES` names a folder with more cases and their answers.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking, and so do its helpers"
)]

use std::path::Path;

use genclient_apiserver::kinds::builtin::{self, BuiltinKind};
use genclient_apiserver::kinds::defaults::set_defaults;
use genclient_apiserver::kinds::prepare::{Creation, convert, prepare_create, prepare_update};
use genclient_apiserver::kinds::rules::{validate, validate_update};
use genclient_apiserver::types::decode;
use genclient_schema::Cause;
use serde_json::{Value, json};

/// The kind of a path, and the namespace.
fn kind(path: &str) -> (&'static BuiltinKind, Option<&str>) {
    let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
    let (group, version, rest) = match &*parts {
        ["api", version, rest @ ..] => ("", *version, rest),
        ["apis", group, version, rest @ ..] => (*group, *version, rest),
        _ => panic!("{path}"),
    };
    let (namespace, plural) = match rest {
        ["namespaces", namespace, plural] => (Some(*namespace), *plural),
        [plural] => (None, *plural),
        _ => panic!("{path}"),
    };
    (builtin::find(group, version, plural).unwrap(), namespace)
}

/// What an update has to keep, and a server's registry keeps.
const KEPT: [&str; 3] = ["uid", "creationTimestamp", "namespace"];

fn decoded(kind: &BuiltinKind, body: &Value) -> Result<Value, Value> {
    let type_ = kind.type_.unwrap();
    let mut value = decode(body, type_)
        .map_err(|error| {
            let (name, version) = (kind.kind, kind.api_version());
            let version = version.rsplit('/').next().unwrap_or_default();
            let message =
                format!("{name} in version \"{version}\" cannot be handled as a {name}: {error}");
            json!({"code": 400, "message": message})
        })?
        .value;
    convert(kind, &mut value);
    set_defaults(&mut value, type_);
    value["kind"] = kind.kind.into();
    value["apiVersion"] = kind.api_version().into();
    Ok(value)
}

fn refused(causes: &[Cause]) -> Result<(), Value> {
    let mut causes: Vec<&Cause> = causes.iter().collect();
    causes.sort_by_key(|cause| (&cause.field, &cause.message));
    let causes = causes.iter().map(|cause| {
        let (field, message) = (&cause.field, &cause.message);
        json!({"reason": cause.reason, "message": message, "field": field})
    });
    let causes: Vec<Value> = causes.collect();
    if causes.is_empty() {
        Ok(())
    } else {
        Err(json!({"code": 422, "causes": causes}))
    }
}

fn create(path: &str, body: &Value) -> Result<Value, Value> {
    let (kind, namespace) = kind(path);
    let mut object = decoded(kind, body)?;
    object["metadata"]["uid"] = "UID".into();
    object["metadata"]["creationTimestamp"] = "NOW".into();
    if let Some(namespace) = namespace {
        object["metadata"]["namespace"] = namespace.into();
    }
    if kind.strategy.generation {
        object["metadata"]["generation"] = 1.into();
    }
    let mut creation = Creation {
        uid: "UID",
        now: "NOW",
        cluster_ip: &mut || "10.0.0.1".to_owned(),
        node_port: &mut || 30_000,
    };
    prepare_create(kind, &mut object, &mut creation);
    refused(&validate(kind, &object))?;
    Ok(object)
}

fn update(path: &str, body: &Value, old: &Value) -> Result<Value, Value> {
    let (kind, _) = kind(path);
    let mut object = decoded(kind, body)?;
    for name in KEPT {
        if let Some(kept) = old["metadata"].get(name) {
            object["metadata"][name] = kept.clone();
        }
    }
    if kind.strategy.conditional_update && body["metadata"]["resourceVersion"].is_null() {
        let detail = "must be specified for an update";
        refused(&[Cause::invalid(
            "metadata.resourceVersion",
            &json!(0),
            detail,
        )])?;
    }
    prepare_update(kind, &mut object, old);
    refused(&validate_update(kind, &object, old))?;
    if let Some(generation) = old["metadata"]["generation"].as_i64() {
        let more = i64::from(declared(&object) != declared(old));
        object["metadata"]["generation"] = (generation + more).into();
    }
    Ok(object)
}

/// What counts for the generation.
fn declared(object: &Value) -> Value {
    let mut object = object.clone();
    object["metadata"] = Value::Null;
    object["status"] = Value::Null;
    object
}

fn answer(result: Result<Value, Value>, code: u16) -> Value {
    match result {
        Ok(object) => json!({"code": code, "object": object}),
        Err(refused) => refused,
    }
}

fn differences(ours: &Value, theirs: &Value, path: &str, out: &mut Vec<String>) {
    match (ours, theirs) {
        (Value::Object(a), Value::Object(b)) => {
            let names: std::collections::BTreeSet<_> = a.keys().chain(b.keys()).collect();
            for name in names {
                let [a, b] = [a, b].map(|members| members.get(name).unwrap_or(&Value::Null));
                let path = format!("{path}.{name}");
                if ours.get(name).is_none() != theirs.get(name).is_none() {
                    out.push(format!("{path}: ours {a}, server {b}"));
                } else {
                    differences(a, b, &path, out);
                }
            }
        }
        (a, b) if a != b => out.push(format!("{path}:\n    ours   {a}\n    server {b}")),
        _ => {}
    }
}

#[test]
fn answers_are_those_of_the_server() {
    check(
        include_str!("kinds/cases.jsonl"),
        include_str!("kinds/answers.jsonl"),
    );
}

#[test]
fn answers_to_a_folder_are_those_of_the_server() {
    if let Some(folder) = std::env::var_os("KIND_CASES") {
        let read = |name| std::fs::read_to_string(Path::new(&folder).join(name)).unwrap();
        check(&read("cases.jsonl"), &read("answers.jsonl"));
    }
}

fn check(cases: &str, answers: &str) {
    let (cases, answers) = (cases.lines(), answers.lines());
    assert_eq!(cases.clone().count(), answers.clone().count());
    let mut wrong = Vec::new();
    for (case, expected) in cases.zip(answers) {
        let case: Value = serde_json::from_str(case).unwrap();
        let expected: Value = serde_json::from_str(expected).unwrap();
        let path = case["path"].as_str().unwrap();
        let created = create(path, &case["body"]);
        let mut found = Vec::new();
        differences(
            &answer(created.clone(), 201),
            &expected["create"],
            "",
            &mut found,
        );
        if let (Some(body), Some(expected), Ok(old)) =
            (case.get("update"), expected.get("update"), created)
        {
            let updated = answer(update(path, body, &old), 200);
            differences(&updated, expected, " update ", &mut found);
        }
        if !found.is_empty() {
            wrong.push(format!("{case}\n  {}", found.join("\n  ")));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
