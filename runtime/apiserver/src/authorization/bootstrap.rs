//! Bootstrap policy: the roles and bindings that every API server creates at startup.
//!
//! `hack/kubernetes-schemas.sh` records the policy from a running API server in
//! `data/policy.jsonl`. The policy is added to the store when it is first needed, such as by an
//! authorization. Its objects have the resource version 1 and cause no watch events.

use genclient_merge::ssa::{self, Writer};
use serde_json::{Value, json};

use super::aggregation;
use crate::rbac::{GROUP, rbac_resource};
use crate::seed::Seed;
use crate::state::ServerState;
use crate::store::Key;
use crate::stored::Stored;

const POLICY_OBJECTS: &str = include_str!("../../data/policy.jsonl");

/// Field manager of the policy's objects.
const FIELD_MANAGER: &str = "kube-apiserver";

/// Resource version of the policy's objects.
const POLICY_VERSION: u64 = 1;

/// Resources of the policy. Each line of [`POLICY_OBJECTS`] begins with `{"resource":"NAME"`.
const POLICY_RESOURCES: [&str; 4] = [
    "clusterroles",
    "clusterrolebindings",
    "roles",
    "rolebindings",
];

/// Adds the policy to the store, unless it was added before.
pub(crate) fn load_bootstrap_policy(server: &ServerState) {
    for (index, plural) in (0..).zip(POLICY_RESOURCES) {
        let read = || policy_objects(server, plural, index);
        server.store.preload(&rbac_resource(plural), read);
    }
}

fn policy_objects(server: &ServerState, plural: &str, seed: u64) -> Vec<(Key, Stored)> {
    let start = format!("{{\"resource\":\"{plural}\",\"object\":");
    let mut objects: Vec<Value> = POLICY_OBJECTS
        .lines()
        .filter_map(|line| line.strip_prefix(&start)?.strip_suffix('}'))
        .filter_map(|object| serde_json::from_str(object).ok())
        .collect();
    // A seed of its own for each resource: the uids do not depend on when the policy is loaded, nor
    // does loading it change those of other objects.
    let (seed, created) = (Seed::new(seed), server.clock.start());
    let Some(kind) = server.kinds.get(GROUP, "v1", plural) else {
        return Vec::new();
    };
    let writer = Writer {
        manager: FIELD_MANAGER,
        now: &created,
    };
    for object in &mut objects {
        object["apiVersion"] = kind.api_version().into();
        object["kind"] = kind.kind.as_str().into();
        if let Some(field_manager) = kind.field_manager("") {
            ssa::update(field_manager, None, object, writer);
        }
        object["metadata"]["uid"] = json!(seed.uid());
        object["metadata"]["creationTimestamp"] = json!(created);
    }
    if plural == "clusterroles" && server.authorization.aggregates {
        aggregation::aggregate_before_storing(&mut objects, &kind, &created);
    }
    let entries = objects.into_iter().map(|object| {
        let stored = Stored::new(object, POLICY_VERSION, 0);
        (Key::new(&stored.namespace, &stored.name), stored)
    });
    entries.collect()
}
