//! Aggregated ClusterRoles: their rules are collected from the ClusterRoles that `aggregationRule`
//! selects (pkg/controller/clusterroleaggregation).

use std::time::Duration;

use genclient_builtins::selectors;
use genclient_merge::ssa::{self, Writer};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::kinds::Kind;
use crate::rbac::resource;
use crate::state::ServerState;
use crate::store::StoreEvent;
use crate::stored::Stored;

/// Field manager of the aggregation controller.
const MANAGER: &str = "clusterrole-aggregation-controller";

/// Maximum number of passes over all roles. A role that aggregates aggregated roles needs several.
const ROUNDS: usize = 16;

/// Updates the rules of aggregated ClusterRoles after an object of `kind` was written. `states` are
/// the object before and after. Does nothing if `kind` is not ClusterRole or aggregation is off.
pub(crate) fn aggregate_after<'s>(
    server: &ServerState,
    kind: &Kind,
    mut states: impl Iterator<Item = &'s Stored>,
    lag: Duration,
) {
    let roles = resource("clusterroles");
    if kind.resource != roles || !server.authorization.aggregates {
        return;
    }
    for round in 0..ROUNDS {
        let snapshot = server.store.list(&roles, "");
        let selectors =
            AggregationSelectors::of(snapshot.objects.iter().map(|(_, stored)| &**stored));
        if round == 0 && !states.any(|role| selectors.involve(role)) {
            return;
        }
        let mut involved = snapshot.objects;
        involved.retain(|(_, stored)| selectors.involve(stored));
        let objects: Vec<_> = involved.iter().map(|(_, stored)| stored.value()).collect();
        let mut has_changed = false;
        for ((key, live), object) in involved.iter().zip(&objects) {
            let Some(rules) = changed_rules(object, &objects) else {
                continue;
            };
            let object = with_rules(object, rules, kind, &server.clock.timestamp());
            let write = |version| Some(Stored::new(object, version, 0));
            let observe = |change: &StoreEvent| server.controller_queue.add(&roles, change);
            let written = server
                .store
                .commit(&roles, key, Some(live), write, lag, observe);
            has_changed |= written.is_ok();
        }
        if !has_changed {
            return;
        }
    }
}

/// The selectors of all aggregated roles. They tell which of the dozens of roles of each server
/// have to be decoded.
struct AggregationSelectors(Vec<Value>);

/// The field of a ClusterRole that selects others.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Aggregating {
    aggregation_rule: Value,
}

impl AggregationSelectors {
    fn of<'s>(roles: impl Iterator<Item = &'s Stored>) -> Self {
        let aggregating = roles.filter(|role| aggregates(role));
        let rules = aggregating.map(|role| role.read::<Aggregating>().aggregation_rule);
        let selectors = rules.filter_map(|rule| rule["clusterRoleSelectors"].as_array().cloned());
        Self(selectors.flatten().collect())
    }

    /// Returns whether a role aggregates others, or is selected.
    fn involve(&self, role: &Stored) -> bool {
        let labels = json!(role.labels);
        aggregates(role)
            || self
                .0
                .iter()
                .any(|selector| selectors::matches(selector, &labels))
    }
}

fn aggregates(role: &Stored) -> bool {
    role.mentions("\"aggregationRule\"")
}

/// Sets the rules of the aggregated ClusterRoles in `objects`, before the objects are stored.
pub(super) fn settle(objects: &mut [Value], kind: &Kind, now: &str) {
    for _ in 0..ROUNDS {
        let changed: Vec<_> = objects
            .iter()
            .map(|object| changed_rules(object, objects))
            .collect();
        if changed.iter().all(Option::is_none) {
            return;
        }
        for (object, rules) in objects.iter_mut().zip(changed) {
            if let Some(rules) = rules {
                *object = with_rules(object, rules, kind, now);
            }
        }
    }
}

/// Returns a role with new rules, which the field manager of the controller owns.
fn with_rules(role: &Value, rules: Value, kind: &Kind, now: &str) -> Value {
    let mut live = role.clone();
    live["apiVersion"] = kind.api_version().into();
    live["kind"] = kind.kind.as_str().into();
    let mut applied = json!({
        "apiVersion": live["apiVersion"],
        "kind": live["kind"],
        "metadata": { "name": role["metadata"]["name"] },
    });
    if !rules.is_null() {
        applied["rules"] = rules.clone();
    }
    let writer = Writer {
        manager: MANAGER,
        now,
    };
    let endpoint = kind.endpoint("");
    let object = endpoint.map(|it| ssa::apply(it, Some(&live), &applied, writer, true));
    let mut object = match object {
        Some(Ok(Some(object))) => object,
        _ => live,
    };
    object["rules"] = rules;
    object
}

/// Returns the rules that a role aggregates, or `None` if the role does not aggregate or already
/// has them.
fn changed_rules(role: &Value, roles: &[Value]) -> Option<Value> {
    let selectors = role.pointer("/aggregationRule/clusterRoleSelectors");
    let selectors = match (selectors, &role["aggregationRule"]) {
        (_, Value::Null) => return None,
        (selectors, _) => selectors
            .and_then(Value::as_array)
            .map_or(&[][..], Vec::as_slice),
    };
    let mut rules: Vec<Value> = Vec::new();
    for selector in selectors {
        let selected = roles.iter().filter(|other| {
            other["metadata"]["name"] != role["metadata"]["name"]
                && selectors::matches(selector, &other["metadata"]["labels"])
        });
        for rule in selected.flat_map(|other| other["rules"].as_array().into_iter().flatten()) {
            if !rules.contains(rule) {
                rules.push(rule.clone());
            }
        }
    }
    let has = role["rules"].as_array().map_or(&[][..], Vec::as_slice);
    let rules_or_null = |rules: Vec<Value>| {
        if rules.is_empty() {
            Value::Null
        } else {
            rules.into()
        }
    };
    (has != rules).then(|| rules_or_null(rules))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::Kinds;
    use crate::rbac::GROUP;

    #[test]
    fn cluster_roles_are_aggregated_transitively() {
        let rule = |verb: &str| json!({ "verbs": [verb], "apiGroups": [""], "resources": ["a"] });
        let role = |name: &str, labels: Value, rules: Value, selects: &[&str]| {
            let selector = |label: &&str| json!({ "matchLabels": { *label: "1" } });
            let selectors: Vec<_> = selects.iter().map(selector).collect();
            let mut role =
                json!({ "metadata": { "name": name, "labels": labels }, "rules": rules });
            if !selects.is_empty() {
                role["aggregationRule"] = json!({ "clusterRoleSelectors": selectors });
            }
            role
        };
        let mut roles = vec![
            role("a", json!({}), json!([rule("gone")]), &["to-a"]),
            role("b", json!({ "to-a": "1" }), json!(null), &["to-b"]),
            role(
                "c",
                json!({ "to-b": "1", "to-a": "1" }),
                json!([rule("get")]),
                &[],
            ),
            role(
                "d",
                json!({ "to-b": "1" }),
                json!([rule("get"), rule("list")]),
                &[],
            ),
            role("e", json!({}), json!([rule("gone")]), &["to-e"]),
        ];
        let kind = Kinds::default().get(GROUP, "v1", "clusterroles").unwrap();
        settle(&mut roles, &kind, "2026-01-01T00:00:00Z");
        let rules = |at: usize| roles[at]["rules"].clone();
        assert_eq!(rules(1), json!([rule("get"), rule("list")]));
        assert_eq!(rules(0), json!([rule("get"), rule("list")]));
        assert_eq!(rules(4), Value::Null);
        let managers = &roles[0]["metadata"]["managedFields"];
        assert_eq!(managers[0]["manager"], MANAGER);
        assert_eq!(managers[0]["operation"], "Apply");
    }
}
