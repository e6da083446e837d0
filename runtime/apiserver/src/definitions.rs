//! Controllers of CustomResourceDefinitions: accepted names, conditions and served kinds.
//!
//! Source: `status`, `establish` and `apiapproval` of
//! `k8s.io/apiextensions-apiserver/pkg/controller`.

use std::collections::BTreeMap;
use std::sync::Arc;

use genclient_merge::ssa::{self, Writer};
use genclient_schema::definition::crd::{Condition, Names, TakenNames, accept_names, approval};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::kinds::{Kind, custom};
use crate::state::State;
use crate::store::{Change, Key, Raced, Resource};
use crate::stored::Stored;

/// Field manager of the writes that the server itself makes.
const MANAGER: &str = "kube-apiserver";

/// Stored CustomResourceDefinition. `definition` has only the fields that the controllers read.
struct Summary {
    key: Key,
    stored: Arc<Stored>,
    definition: Value,
}

/// Fields of a CustomResourceDefinition that a [`Summary`] contains.
#[derive(Default, Deserialize, Serialize)]
#[serde(default)]
struct SummaryFields {
    metadata: SummaryMetadata,
    spec: SummarySpec,
    status: Value,
}

#[derive(Default, Deserialize, Serialize)]
#[serde(default)]
struct SummaryMetadata {
    name: String,
    annotations: Value,
}

#[derive(Default, Deserialize, Serialize)]
#[serde(default)]
struct SummarySpec {
    group: String,
    names: Value,
}

impl Summary {
    fn of(key: Key, stored: Arc<Stored>) -> Self {
        let fields: SummaryFields = stored.read();
        Self {
            key,
            stored,
            definition: json!(fields),
        }
    }
}

/// Updates accepted names, conditions and served kinds of all CustomResourceDefinitions of a group
/// after one of them was written or deleted.
pub(crate) fn settle(server: &State, kind: &Kind, written: &Arc<Stored>) {
    let _settling = server.settling.lock();
    let written = Summary::of(Key::new("", &written.name), Arc::clone(written));
    let resource = &kind.resource;
    let mut changed = BTreeMap::new();
    let mut group = summaries(server, resource, &written.definition["spec"]["group"]);
    changed.insert(written.key.clone(), custom::resource(&written.definition));
    loop {
        let next = group.iter().enumerate().find_map(|(index, summary)| {
            let status = next_status(server, &summary.definition, &group)?;
            Some((index, status))
        });
        let Some((index, status)) = next else {
            break;
        };
        let Summary { key, stored, .. } = &group[index];
        let object = with_status(server, kind, stored.value(), status);
        let write = |version| Some(Stored::new(object, version, 0));
        let lag = server.seed.delay(server.lag);
        let observe = |change: &Change| server.observations.add(resource, change);
        let store = &server.store;
        match store.commit(resource, key, Some(stored), write, lag, observe) {
            Ok(stored) => {
                let summary = Summary::of(key.clone(), stored);
                changed.insert(summary.key.clone(), custom::resource(&summary.definition));
                group[index] = summary;
            }
            Err(Raced) => group = summaries(server, resource, &written.definition["spec"]["group"]),
        }
    }
    for (key, served) in &changed {
        let live = server.store.get(resource, key);
        let kinds = live.map_or_else(Vec::new, |live| custom::kinds(&live.value()));
        server.kinds.replace(served, kinds);
        // Watches that were opened before the change have to wake up in order to end.
        server.store.wake(served);
    }
}

/// Returns the CustomResourceDefinitions of a group.
fn summaries(server: &State, resource: &Resource, group: &Value) -> Vec<Summary> {
    let all = server.store.list(resource, "").objects.into_iter();
    let all = all.map(|(key, stored)| Summary::of(key, stored));
    all.filter(|summary| summary.definition["spec"]["group"] == *group)
        .collect()
}

/// Returns the new status of a CustomResourceDefinition, or `None` if the status does not change.
fn next_status(server: &State, definition: &Value, group: &[Summary]) -> Option<Value> {
    let status = &definition["status"];
    let mut taken = TakenNames::default();
    for other in group {
        taken.add(&Names::of(&other.definition["status"]["acceptedNames"]));
    }
    let requested = Names::of(&definition["spec"]["names"]);
    let accepted = Names::of(&status["acceptedNames"]);
    let established = condition(status, "Established").and_then(|it| it["status"].as_str());
    let decided = accept_names(&requested, &accepted, &taken, established);
    let now = server.clock.timestamp();
    let mut next = status.clone();
    next["acceptedNames"] = decided.accepted.to_value();
    set_condition(&mut next, &decided.names_accepted, &now);
    if let Some(established) = &decided.established {
        set_condition(&mut next, established, &now);
    }
    if let Some(approval) = approval(definition) {
        set_condition(&mut next, &approval, &now);
    }
    if next != *status {
        return Some(next);
    }
    let is_accepted = condition(status, "NamesAccepted").is_some_and(|it| it["status"] == "True");
    if is_accepted && established != Some("True") {
        let established = Condition {
            type_: "Established",
            status: "True",
            reason: "InitialNamesAccepted",
            message: "the initial names have been accepted".to_owned(),
        };
        set_condition(&mut next, &established, &now);
        return Some(next);
    }
    None
}

fn condition<'a>(status: &'a Value, type_: &str) -> Option<&'a Value> {
    let conditions = status["conditions"].as_array();
    conditions
        .into_iter()
        .flatten()
        .find(|it| it["type"] == type_)
}

/// Sets a condition. `lastTransitionTime` changes only if the condition's `status` changes.
fn set_condition(status: &mut Value, condition: &Condition, now: &str) {
    let mut written = json!({
        "type": condition.type_,
        "status": condition.status,
        "lastTransitionTime": now,
        "reason": condition.reason,
        "message": condition.message,
    });
    if !status["conditions"].is_array() {
        status["conditions"] = json!([]);
    }
    let Some(conditions) = status["conditions"].as_array_mut() else {
        return;
    };
    let mut known = conditions.iter_mut();
    match known.find(|it| it["type"] == condition.type_) {
        Some(known) => {
            if known["status"] == written["status"] {
                written["lastTransitionTime"] = known["lastTransitionTime"].take();
            }
            *known = written;
        }
        None => conditions.push(written),
    }
}

/// Returns a CustomResourceDefinition with a new status and with the managed fields of a write by
/// the server.
fn with_status(server: &State, kind: &Kind, mut live: Value, status: Value) -> Value {
    live["apiVersion"] = kind.api_version().into();
    live["kind"] = kind.kind.as_str().into();
    let mut object = live.clone();
    object["status"] = status;
    if let Some(endpoint) = kind.endpoint("status") {
        let now = server.clock.timestamp();
        let writer = Writer {
            manager: MANAGER,
            now: &now,
        };
        ssa::update(endpoint, Some(&live), &mut object, writer);
    }
    object
}
