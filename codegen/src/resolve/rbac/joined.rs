//! Merging of a role's rules that differ in one list (`NormalizeRules` in controller-tools'
//! pkg/rbac/parser.go).

use std::collections::{BTreeMap, BTreeSet};
use std::mem;

use crate::model::PolicyRule;

type Texts = BTreeSet<String>;

/// Returns the rules in controller-gen's order and form.
pub(super) fn rules(rules: Vec<PolicyRule>) -> Vec<PolicyRule> {
    let mut rules: Vec<_> = rules.into_iter().flat_map(by_resource).collect();
    let lists: [fn(&mut PolicyRule) -> &mut Texts; 4] = [
        |rule| &mut rule.verbs,
        |rule| &mut rule.resources,
        |rule| &mut rule.groups,
        |rule| &mut rule.urls,
    ];
    for list in lists {
        rules = join(rules, list);
    }
    rules.sort_by_cached_key(order);
    for rule in &mut rules {
        if rule.verbs.contains("*") {
            rule.verbs.retain(|verb| verb == "*");
        }
    }
    rules
}

/// Splits a rule by resource. A rule for URLs stays whole.
pub(super) fn by_resource(rule: PolicyRule) -> Vec<PolicyRule> {
    if rule.resources.is_empty() {
        return vec![rule];
    }
    let of = |resource: &String| PolicyRule {
        resources: Texts::from([resource.clone()]),
        ..rule.clone()
    };
    rule.resources.iter().map(of).collect()
}

/// Merges rules that differ only in `list`.
fn join(rules: Vec<PolicyRule>, list: fn(&mut PolicyRule) -> &mut Texts) -> Vec<PolicyRule> {
    let mut joined: BTreeMap<PolicyRule, Texts> = BTreeMap::new();
    for mut rule in rules {
        let items = mem::take(list(&mut rule));
        joined.entry(rule).or_default().extend(items);
    }
    let joined = joined.into_iter().map(|(mut rule, items)| {
        *list(&mut rule) = items;
        rule
    });
    joined.collect()
}

fn order(rule: &PolicyRule) -> String {
    let lists = [&rule.groups, &rule.resources, &rule.names, &rule.urls];
    let lists = lists.map(|list| {
        list.iter()
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join("&")
    });
    lists.join(" + ")
}
