//! Aggregated ClusterRoles: their rules are collected from the ClusterRoles that `aggregationRule`
//! selects (pkg/controller/clusterroleaggregation).

use std::time::Duration;

use genclient_apimachinery::labels::label_selector_matches;
use genclient_merge::ssa::{self, Writer};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::kinds::Kind;
use crate::rbac::rbac_resource;
use crate::state::ServerState;
use crate::store::StoreEvent;
use crate::stored::Stored;

/// Field manager of the aggregation controller.
const FIELD_MANAGER: &str = "clusterrole-aggregation-controller";

/// Maximum number of passes over all roles. A role that aggregates aggregated roles needs several.
const MAX_ROUNDS: usize = 16;

/// Updates the rules of aggregated ClusterRoles after an object of `kind` was written. `states` are
/// the object before and after. Does nothing if `kind` is not ClusterRole or aggregation is off.
pub(crate) fn aggregate_after<'s>(
    server: &ServerState,
    kind: &Kind,
    mut states: impl Iterator<Item = &'s Stored>,
    lag: Duration,
) {
    let roles = rbac_resource("clusterroles");
    if kind.resource != roles || !server.authorization.aggregates {
        return;
    }
    for round in 0..MAX_ROUNDS {
        let snapshot = server.store.list(&roles, "");
        let selectors =
            AggregationSelectors::from_roles(snapshot.objects.iter().map(|(_, stored)| &**stored));
        if round == 0 && !states.any(|role| selectors.involve(role)) {
            return;
        }
        let mut involved = snapshot.objects;
        involved.retain(|(_, stored)| selectors.involve(stored));
        let roles_involved: Vec<_> = involved.iter().map(|(_, stored)| stored.value()).collect();
        let mut has_changed = false;
        for ((key, live), object) in involved.iter().zip(&roles_involved) {
            let Some(rules) = aggregate_rules(object, &roles_involved) else {
                continue;
            };
            let object = with_rules(object, rules, kind, &server.clock.timestamp());
            let write = |version| Some(Stored::new(object, version, 0));
            let observe = |event: &StoreEvent| server.controller_queue.add(&roles, event);
            let written = server
                .store
                .commit(&roles, key, Some(live), write, lag, observe);
            // A lost race needs no retry here: the other write aggregates again.
            has_changed |= written.is_ok();
        }
        if !has_changed {
            return;
        }
    }
}

/// The selectors of all aggregated roles. Every server has dozens of roles; only those that the
/// selectors involve are decoded.
struct AggregationSelectors(Vec<Value>);

/// The field of a ClusterRole that selects others.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct AggregatedRole {
    aggregation_rule: Value,
}

impl AggregationSelectors {
    fn from_roles<'s>(roles: impl Iterator<Item = &'s Stored>) -> Self {
        let selectors = roles
            .filter(|role| may_aggregate(role))
            .map(|role| role.deserialize::<AggregatedRole>().aggregation_rule)
            .filter_map(|rule| rule["clusterRoleSelectors"].as_array().cloned())
            .flatten();
        Self(selectors.collect())
    }

    /// Returns whether a role aggregates others, or is selected.
    fn involve(&self, role: &Stored) -> bool {
        let labels = json!(role.labels);
        may_aggregate(role)
            || self
                .0
                .iter()
                .any(|selector| label_selector_matches(selector, &labels).unwrap_or(false))
    }
}

/// Returns whether the text of a role contains the field `aggregationRule`, at any depth.
fn may_aggregate(role: &Stored) -> bool {
    role.text_contains("\"aggregationRule\"")
}

/// Sets the rules of the aggregated ClusterRoles in `objects`, before the objects are stored.
pub(super) fn aggregate_before_storing(objects: &mut [Value], kind: &Kind, now: &str) {
    for _ in 0..MAX_ROUNDS {
        let changed: Vec<_> = objects
            .iter()
            .map(|object| aggregate_rules(object, objects))
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
        manager: FIELD_MANAGER,
        now,
    };
    let applied = kind
        .field_manager("")
        .map(|field_manager| ssa::apply(field_manager, Some(&live), &applied, writer, true));
    let mut object = match applied {
        Some(Ok(Some(object))) => object,
        _ => live,
    };
    // `rules` is a required field: without rules, Go encodes the nil slice as null.
    object["rules"] = rules;
    object
}

/// Returns the rules that a role aggregates, or `None` if the role does not aggregate or already
/// has them (`syncClusterRole`). Rules are in the order of the names of their roles, which is that
/// of `roles`. Without any rule, the result is null.
fn aggregate_rules(role: &Value, roles: &[Value]) -> Option<Value> {
    let aggregation_rule = &role["aggregationRule"];
    if aggregation_rule.is_null() {
        return None;
    }
    let selectors = aggregation_rule["clusterRoleSelectors"].as_array();
    let mut rules: Vec<Value> = Vec::new();
    for selector in selectors.into_iter().flatten() {
        let selected = roles.iter().filter(|other| {
            other["metadata"]["name"] != role["metadata"]["name"]
                && label_selector_matches(selector, &other["metadata"]["labels"]).unwrap_or(false)
        });
        for rule in selected.flat_map(|other| other["rules"].as_array().into_iter().flatten()) {
            if !rules.contains(rule) {
                rules.push(rule.clone());
            }
        }
    }
    let current = role["rules"].as_array().map_or(&[][..], Vec::as_slice);
    if current == rules {
        None
    } else if rules.is_empty() {
        Some(Value::Null)
    } else {
        Some(rules.into())
    }
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
        aggregate_before_storing(&mut roles, &kind, "2026-01-01T00:00:00Z");
        let rules = |at: usize| roles[at]["rules"].clone();
        assert_eq!(rules(1), json!([rule("get"), rule("list")]));
        assert_eq!(rules(0), json!([rule("get"), rule("list")]));
        assert_eq!(rules(4), Value::Null);
        let managers = &roles[0]["metadata"]["managedFields"];
        assert_eq!(managers[0]["manager"], FIELD_MANAGER);
        assert_eq!(managers[0]["operation"], "Apply");
    }
}
