//! Controllers of CustomResourceDefinitions: accepted names, conditions and served kinds.
//!
//! Source: `status`, `establish` and `apiapproval` of
//! `k8s.io/apiextensions-apiserver/pkg/controller`.

mod names;

use std::collections::BTreeMap;
use std::sync::Arc;

use genclient_merge::ssa::{self, Writer};
use genclient_schema::definition::crd::{
    APPROVAL, ApprovalState, approval_state, is_protected_group,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use self::names::{Names, TakenNames, accept_names, established, names_accepted};
use crate::conditions::{self, Condition};
use crate::kinds::{Kind, custom};
use crate::state::ServerState;
use crate::store::{GroupResource, Key, Raced, StoreEvent};
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
        let fields: SummaryFields = stored.deserialize();
        Self {
            key,
            stored,
            definition: json!(fields),
        }
    }
}

/// Updates accepted names, conditions and served kinds of all CustomResourceDefinitions of a group
/// after one of them was written or deleted.
pub(crate) fn settle(server: &ServerState, kind: &Kind, written: &Arc<Stored>) {
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
        let observe = |change: &StoreEvent| server.controller_queue.add(resource, change);
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
fn summaries(server: &ServerState, resource: &GroupResource, group: &Value) -> Vec<Summary> {
    let all = server.store.list(resource, "").objects.into_iter();
    let all = all.map(|(key, stored)| Summary::of(key, stored));
    all.filter(|summary| summary.definition["spec"]["group"] == *group)
        .collect()
}

/// Returns the new status of a CustomResourceDefinition, or `None` if the status does not change.
fn next_status(server: &ServerState, definition: &Value, group: &[Summary]) -> Option<Value> {
    let status = &definition["status"];
    let mut taken = TakenNames::default();
    for other in group {
        taken.add(&Names::from_value(
            &other.definition["status"]["acceptedNames"],
        ));
    }
    let requested = Names::from_value(&definition["spec"]["names"]);
    let accepted = Names::from_value(&status["acceptedNames"]);
    let before = condition(status, "Established").and_then(|it| it["status"].as_str());
    let (names, conflict) = accept_names(&requested, &accepted, &taken);
    let now = server.clock.timestamp();
    let mut next = status.clone();
    next["acceptedNames"] = names.to_value();
    conditions::set_in_status(&mut next, &now, names_accepted(conflict.as_ref()));
    if let Some(established) = established(before, conflict.is_none()) {
        conditions::set_in_status(&mut next, &now, established);
    }
    if is_protected_group(definition["spec"]["group"].as_str().unwrap_or_default()) {
        let annotation = &definition["metadata"]["annotations"][APPROVAL];
        let (state, message) = approval_state(annotation.as_str().unwrap_or_default());
        conditions::set_in_status(&mut next, &now, approval_conformance(state, &message));
    }
    if next != *status {
        return Some(next);
    }
    let is_accepted = condition(status, "NamesAccepted").is_some_and(|it| it["status"] == "True");
    if is_accepted && before != Some("True") {
        let established = Condition {
            type_: "Established",
            status: true,
            reason: "InitialNamesAccepted",
            message: "the initial names have been accepted",
        };
        conditions::set_in_status(&mut next, &now, established);
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

/// Returns the condition `KubernetesAPIApprovalPolicyConformant` of a definition in a protected
/// group (`calculateCondition`).
fn approval_conformance(state: ApprovalState, message: &str) -> Condition<'_> {
    Condition {
        type_: "KubernetesAPIApprovalPolicyConformant",
        status: state == ApprovalState::Approved,
        reason: match state {
            ApprovalState::Missing => "MissingAnnotation",
            ApprovalState::Invalid => "InvalidAnnotation",
            ApprovalState::Bypassed => "UnapprovedAnnotation",
            ApprovalState::Approved => "ApprovedAnnotation",
        },
        message,
    }
}

/// Returns a CustomResourceDefinition with a new status and with the managed fields of a write by
/// the server.
fn with_status(server: &ServerState, kind: &Kind, mut live: Value, status: Value) -> Value {
    live["apiVersion"] = kind.api_version().into();
    live["kind"] = kind.kind.as_str().into();
    let mut object = live.clone();
    object["status"] = status;
    if let Some(field_manager) = kind.field_manager("status") {
        let now = server.clock.timestamp();
        let writer = Writer {
            manager: MANAGER,
            now: &now,
        };
        ssa::update(field_manager, Some(&live), &mut object, writer);
    }
    object
}
