//! Tests of managed fields and server-side apply against Kubernetes' own field manager.
//!
//! `hack/oracle/apply` prints sequences of random writes with their results; a sample is in
//! `apply.jsonl`. `APPLY_CASES` names a file with other cases.

#![expect(clippy::unwrap_used, reason = "a test may fail anywhere")]

use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::Arc;

use genclient_apimachinery::fieldpath::{decode_set, encode_set_text, values_equal};
use genclient_merge::ssa::{
    self, ApplyFailure, FieldManager, ResourceFieldManagers, Types, Writer, scale,
};
use genclient_schema::Schema;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Case {
    seed: i64,
    /// Name of a built-in kind.
    #[serde(default)]
    definition: String,
    #[serde(default)]
    api_version: String,
    #[serde(default)]
    kind: String,
    #[serde(default)]
    versions: Option<Vec<Version>>,
    steps: Vec<Step>,
}

#[derive(Deserialize)]
struct Version {
    name: String,
    schema: Schema,
    status: bool,
    #[serde(default)]
    replicas: Option<String>,
}

#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
#[derive(Default)]
struct Step {
    op: String,
    versions: Vec<Version>,
    version: String,
    subresource: String,
    manager: String,
    force: bool,
    now: String,
    create: bool,
    input: Value,
    object: Option<Value>,
    errors: Vec<String>,
    code: u16,
    causes: Vec<Value>,
    live: Value,
    scaled: Value,
    text: String,
}

#[test]
fn server_side_apply_matches_kube_apiserver() {
    let given = std::env::var("APPLY_CASES").map(|path| std::fs::read_to_string(path).unwrap());
    let lines = given.unwrap_or_else(|_| include_str!("apply.jsonl").to_owned());
    let mut failures = String::new();
    let (mut steps, mut failed) = (0, 0);
    for line in lines.lines() {
        let case: Case = serde_json::from_str(line).unwrap();
        match replay_case(&case) {
            Ok(()) => {}
            Err(failure) if failed < 5 => {
                failed += 1;
                writeln!(failures, "seed {}: {failure}\n", case.seed).unwrap();
            }
            Err(_) => failed += 1,
        }
        steps += case.steps.len();
    }
    println!("{steps} steps");
    assert!(
        failed == 0,
        "{failed} of {} cases\n{failures}",
        lines.lines().count()
    );
}

fn custom_field_managers(versions: &[Version]) -> ResourceFieldManagers {
    let versions: Vec<_> = versions
        .iter()
        .map(|version| ssa::Version {
            name: &version.name,
            schema: Some(&version.schema),
            status: version.status,
            replicas: version.replicas.as_deref(),
        })
        .collect();
    ResourceFieldManagers::new("probe.dev", "Widget", &versions, None)
}

/// Returns the field managers of a built-in kind and of its status.
fn builtin_field_managers(case: &Case) -> (FieldManager, FieldManager) {
    let mut types = Types::new();
    let versions = vec![(
        case.api_version.clone(),
        types.published_type(&case.definition),
    )];
    let kind = FieldManager::new(&*case.api_version, &*case.kind, Arc::new(types), versions);
    (kind.clone(), kind.at_subresource("status"))
}

fn replay_case(case: &Case) -> Result<(), String> {
    let mut replay = Replay {
        resource: custom_field_managers(case.versions.as_deref().unwrap_or_default()),
        builtin: (!case.definition.is_empty()).then(|| builtin_field_managers(case)),
        group: case
            .api_version
            .rsplit_once('/')
            .map_or("", |(group, _)| group)
            .to_owned(),
        live: None,
    };
    if replay.builtin.is_none() {
        replay.group = "probe.dev".to_owned();
    }
    for (at, step) in case.steps.iter().enumerate() {
        let label = |error| format!("step {at}, {} by {:?}: {error}", step.op, step.manager);
        replay.step(step).map_err(label)?;
    }
    Ok(())
}

struct Replay {
    resource: ResourceFieldManagers,
    /// Field managers of a built-in kind and of its status.
    builtin: Option<(FieldManager, FieldManager)>,
    group: String,
    live: Option<Value>,
}

impl Replay {
    fn step(&mut self, step: &Step) -> Result<(), String> {
        match &*step.op {
            "schemas" => self.resource = custom_field_managers(&step.versions),
            "fields" => return compare_fields(step),
            "update" => self.update(step)?,
            "apply" => self.apply(step)?,
            "scale" => self.scale(step)?,
            other => return Err(format!("unknown step {other}")),
        }
        if step.object.is_some() {
            self.live.clone_from(&step.object);
        }
        Ok(())
    }

    fn endpoint(&self, step: &Step) -> &FieldManager {
        let status = step.subresource == "status";
        match &self.builtin {
            Some((_, of_status)) if status => of_status,
            Some((kind, _)) => kind,
            None if status => self.resource.status_of(&step.version).unwrap(),
            None => self.resource.objects(&step.version).unwrap(),
        }
    }

    fn api_version(&self, step: &Step) -> Value {
        let group = &self.group;
        let separator = if group.is_empty() { "" } else { "/" };
        format!("{group}{separator}{}", step.version).into()
    }

    /// Returns the object before a step, in the version of the step.
    fn before(&self, step: &Step) -> Option<Value> {
        let mut live = self.live.clone().filter(|_| !step.create)?;
        live["apiVersion"] = self.api_version(step);
        Some(live)
    }

    fn update(&self, step: &Step) -> Result<(), String> {
        let mut object = step.input.clone();
        ssa::update(
            self.endpoint(step),
            self.before(step).as_ref(),
            &mut object,
            step_writer(step),
        );
        compare_objects(&object, step.object.as_ref().unwrap())
    }

    fn apply(&self, step: &Step) -> Result<(), String> {
        let before = self.before(step);
        let kind = self.endpoint(step);
        let result = ssa::apply(
            kind,
            before.as_ref(),
            &step.input,
            step_writer(step),
            step.force,
        );
        let empty = || json!({"apiVersion": self.api_version(step), "kind": step.input["kind"]});
        let before = before.unwrap_or_else(empty);
        compare_result(result, before, step)
    }

    fn scale(&self, step: &Step) -> Result<(), String> {
        let before = self.before(step).unwrap();
        let managed = before["metadata"].get("managedFields");
        let kind = self.resource.scale();
        let paths = self.resource.replicas();
        let entries = scale::managed_fields_of_scale(managed, paths).unwrap();
        compare_objects(
            &entries.unwrap_or_default(),
            &step.live["metadata"]["managedFields"],
        )?;
        let mut scaled = step.live.clone();
        if let Some(patch) = step.input.get("apply") {
            let result = ssa::apply(kind, Some(&step.live), patch, step_writer(step), step.force);
            if !step.errors.is_empty() {
                return compare_result(result, step.live.clone(), step);
            }
            scaled = result.unwrap().unwrap_or(scaled);
        } else {
            scaled["spec"]["replicas"] = step.input["replicas"].clone();
            if step.input["replicas"] == 0 {
                scaled["spec"] = json!({});
            }
            ssa::update(kind, Some(&step.live), &mut scaled, step_writer(step));
        }
        compare_objects(
            &scaled["metadata"]["managedFields"],
            &step.scaled["metadata"]["managedFields"],
        )?;
        let version = format!("probe.dev/{}", step.version);
        let entries = scaled["metadata"].get("managedFields");
        let entries = scale::managed_fields_of_parent(managed, entries, &version, paths).unwrap();
        let expected = &step.object.as_ref().unwrap()["metadata"]["managedFields"];
        compare_objects(&entries.unwrap_or_default(), expected)
    }
}

fn step_writer(step: &Step) -> Writer<'_> {
    Writer {
        manager: &step.manager,
        now: &step.now,
    }
}

/// Compares the result of an apply.
fn compare_result(
    result: Result<Option<Value>, ApplyFailure>,
    before: Value,
    step: &Step,
) -> Result<(), String> {
    match (result, &step.object) {
        (Ok(object), Some(expected)) => {
            let mut object = object.unwrap_or(before);
            if step.create {
                object["metadata"]["uid"] = "u-1".into();
            }
            compare_objects(&object, expected)
        }
        (Ok(object), None) => Err(format!("{object:?} instead of {:?}", step.errors)),
        (Err(error), Some(_)) => Err(format!("refused: {error}")),
        (Err(error), None) => compare_error(&error, step),
    }
}

/// Compares errors. Several of them have a random order in the original, and one may hide others.
fn compare_error(error: &ApplyFailure, step: &Step) -> Result<(), String> {
    let (code, message, mut causes) = match error {
        ApplyFailure::BadRequest(message) => (400, message, Vec::new()),
        ApplyFailure::Internal(message) => (500, message, Vec::new()),
        ApplyFailure::Conflict { message, causes } => (409, message, causes.clone()),
    };
    causes.sort_by_key(|cause| format!("{}\n{}", cause.message, cause.field));
    let causes: Vec<_> = causes
        .iter()
        .map(
            |cause| json!({"reason": cause.reason, "message": cause.message, "field": cause.field}),
        )
        .collect();
    let lines = |message: &str| -> BTreeSet<String> {
        let (_, list) = message.split_once("errors:\n").unwrap_or(("", message));
        let list = list.lines().map(str::trim_start);
        list.map(|line| line[line.find("): ").map_or(0, |at| at + 3)..].to_owned())
            .collect()
    };
    let one_of = step
        .errors
        .iter()
        .any(|expected| *expected == sort_errors(message));
    let all: BTreeSet<_> = step.errors.iter().flat_map(|error| lines(error)).collect();
    let some = step.errors.len() > 1 && lines(message).is_subset(&all);
    if code != step.code || causes != step.causes || !(one_of || some) {
        return Err(format!(
            "{code} {message}\n{causes:?}\ninstead of {} {}\n{:?}",
            step.code,
            step.errors.join("\n| "),
            step.causes
        ));
    }
    Ok(())
}

fn sort_errors(message: &str) -> String {
    let Some((head, list)) = message.split_once("errors:\n") else {
        return message.to_owned();
    };
    let mut lines: Vec<_> = list.split('\n').collect();
    lines.sort_unstable();
    format!("{head}errors:\n{}", lines.join("\n"))
}

/// Decodes and encodes `fieldsV1`, and compares the text. For an invalid one it is empty.
fn compare_fields(step: &Step) -> Result<(), String> {
    let text = match decode_set(&step.input) {
        Ok(set) => encode_set_text(&set).unwrap(),
        Err(_) => String::new(),
    };
    let expected = &step.text;
    if text == *expected {
        Ok(())
    } else {
        Err(format!("{text}\ninstead of\n{expected}"))
    }
}

/// Compares two objects, with numbers compared by value.
fn compare_objects(object: &Value, expected: &Value) -> Result<(), String> {
    if values_equal(object, expected) {
        return Ok(());
    }
    let mut differences = Vec::new();
    collect_differences("", object, expected, &mut differences);
    Err(differences.join("\n"))
}

fn collect_differences(
    path: &str,
    object: &Value,
    expected: &Value,
    differences: &mut Vec<String>,
) {
    match (object, expected) {
        _ if values_equal(object, expected) => {}
        (Value::Object(a), Value::Object(b)) => {
            let names: BTreeSet<_> = a.keys().chain(b.keys()).collect();
            for name in names {
                let path = format!("{path}.{name}");
                match (a.get(name), b.get(name)) {
                    (Some(a), Some(b)) => collect_differences(&path, a, b, differences),
                    (Some(a), None) => differences.push(format!("{path}: superfluous {a}")),
                    (_, b) => {
                        differences.push(format!("{path}: lacks {}", b.unwrap_or(&json!(""))))
                    }
                }
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (at, (a, b)) in a.iter().zip(b).enumerate() {
                collect_differences(&format!("{path}[{at}]"), a, b, differences);
            }
        }
        (a, b) => differences.push(format!("{path}: {a} instead of {b}")),
    }
}
