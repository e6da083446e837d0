//! Names and conditions of CustomResourceDefinitions, and the kinds that these make available.
//!
//! `k8s.io/apiextensions-apiserver/pkg/controller`: `status`, `establish` and `apiapproval`.

use std::sync::Arc;

use genclient_schema::definition::crd::{Condition, Names, TakenNames, accept_names, approval};
use serde_json::{Value, json};

use crate::kinds::{Kind, custom};
use crate::server::Inner;
use crate::ssa::{self, Writer};
use crate::store::Key;
use crate::stored::Stored;

/// The field manager of the server's own writes.
const MANAGER: &str = "kube-apiserver";

/// Settles the definitions of a group after one of them was written or deleted: who gets which
/// names, who is established, and what is served. When it returns, nothing is left to be done.
pub(crate) fn settle(server: &Inner, kind: &Kind, written: &Arc<Stored>) {
    let written = written.value();
    let group = custom::resource(&written).group;
    let resource = &kind.resource;
    let mut changed = vec![written];
    loop {
        let all = server.store.list(resource, "").objects;
        let all = all.into_iter().map(|(key, stored)| {
            let object = stored.value();
            (key, stored, object)
        });
        let group: Vec<_> = all
            .filter(|(.., object)| object["spec"]["group"] == *group)
            .collect();
        let next = group.iter().find_map(|(key, stored, object)| {
            let status = next_status(server, object, &group)?;
            Some((key, stored, object, status))
        });
        let Some((key, stored, object, status)) = next else {
            break;
        };
        let object = with_status(server, kind, object, status);
        let now_there = object.clone();
        let write = |version| Some(Stored::new(object, version, 0));
        let lag = server.seed.delay(server.lag);
        if server
            .store
            .commit(resource, key, Some(stored), write, lag, |change| {
                server.controllers.observe(resource, change);
            })
            .is_ok()
        {
            changed.push(now_there);
        }
    }
    for definition in &changed {
        let name = definition["metadata"]["name"].as_str().unwrap_or_default();
        let live = server.store.get(resource, &Key::new("", name));
        let kinds = live.map_or_else(Vec::new, |live| custom::kinds(&live.value()));
        server.kinds.replace(&custom::resource(definition), kinds);
    }
}

/// The next status of a definition, if it is to change.
fn next_status(
    server: &Inner,
    definition: &Value,
    group: &[(Key, Arc<Stored>, Value)],
) -> Option<Value> {
    let status = &definition["status"];
    let mut taken = TakenNames::default();
    for (.., other) in group {
        taken.add(&Names::of(&other["status"]["acceptedNames"]));
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

/// Sets a condition; its time is that of the last change of its status.
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

/// A definition with another status, written by the server itself.
fn with_status(server: &Inner, kind: &Kind, definition: &Value, status: Value) -> Value {
    let mut live = definition.clone();
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
