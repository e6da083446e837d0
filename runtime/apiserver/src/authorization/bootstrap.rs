//! Bootstrap policy: the roles and bindings that every API server makes when it starts.
//!
//! `hack/kubernetes-schemas.sh` takes them from a running API server into `data/policy.jsonl`.
//! They are put into the store when something first asks for roles, as if they had been there from
//! the beginning: they have the first version, and nobody sees them appear.

use serde_json::{Value, json};

use super::aggregation;
use crate::rbac::{GROUP, resource};
use crate::seed::Seed;
use crate::ssa::{self, Writer};
use crate::state::State;
use crate::store::Key;
use crate::stored::Stored;

const POLICY: &str = include_str!("../../data/policy.jsonl");

/// The field manager of the objects.
const MANAGER: &str = "kube-apiserver";

/// Version of the objects that are there from the beginning.
const VERSION: u64 = 1;

/// Roles and bindings, with the resource that each line begins with.
const RESOURCES: [&str; 4] = [
    "clusterroles",
    "clusterrolebindings",
    "roles",
    "rolebindings",
];

/// Puts the policy into the store, unless it is there.
pub(crate) fn load(server: &State) {
    for (index, plural) in (0..).zip(RESOURCES) {
        let read = || objects(server, plural, index);
        server.store.preload(&resource(plural), read);
    }
}

fn objects(server: &State, plural: &str, seed: u64) -> Vec<(Key, Stored)> {
    let start = format!("{{\"resource\":\"{plural}\",\"object\":");
    let lines = POLICY.lines().filter_map(|line| line.strip_prefix(&start));
    let parsed = lines.filter_map(|line| serde_json::from_str(line.strip_suffix('}')?).ok());
    let mut objects: Vec<Value> = parsed.collect();
    let (seed, created) = (Seed::new(seed), server.clock.start());
    let Some(kind) = server.kinds.get(GROUP, "v1", plural) else {
        return Vec::new();
    };
    let writer = Writer {
        manager: MANAGER,
        now: &created,
    };
    for object in &mut objects {
        object["apiVersion"] = kind.api_version().into();
        object["kind"] = kind.kind.as_str().into();
        if let Some(endpoint) = kind.endpoint("") {
            ssa::update(endpoint, None, object, writer);
        }
        object["metadata"]["uid"] = json!(seed.uid());
        object["metadata"]["creationTimestamp"] = json!(created);
    }
    if plural == "clusterroles" && server.authorization.aggregates {
        aggregation::settle(&mut objects, &kind, &created);
    }
    let stored = objects.into_iter().map(|object| {
        let stored = Stored::new(object, VERSION, 0);
        (Key::new(&stored.namespace, &stored.name), stored)
    });
    stored.collect()
}
