//! Coverage of RBAC rules: comparison of rules to be granted with the rules that a user has
//! (k8s.io/component-helpers/auth/rbac/validation).

use super::policy::{PolicyRule, covers_path};

/// Returns the permissions in `granted` that no rule in `held` covers (`Covers`). Permissions that
/// differ only in the verb are joined, for a short message.
pub(crate) fn uncovered_rules(held: &[&PolicyRule], granted: &[PolicyRule]) -> Vec<PolicyRule> {
    let uncovered = granted
        .iter()
        .flat_map(split_into_single_rules)
        .filter(|single| !held.iter().any(|rule| rule_covers(rule, single)));
    join_verbs(uncovered)
}

/// Splits a rule into rules that have one verb, one resource or path, and at most one name
/// (`BreakdownRule`).
fn split_into_single_rules(rule: &PolicyRule) -> Vec<PolicyRule> {
    let mut parts = Vec::new();
    let only = |text: &String| vec![text.clone()];
    for group in &rule.api_groups {
        for resource in &rule.resources {
            for verb in &rule.verbs {
                let part = PolicyRule {
                    verbs: only(verb),
                    api_groups: only(group),
                    resources: only(resource),
                    ..PolicyRule::default()
                };
                if rule.resource_names.is_empty() {
                    parts.push(part);
                    continue;
                }
                parts.extend(rule.resource_names.iter().map(|name| PolicyRule {
                    resource_names: only(name),
                    ..part.clone()
                }));
            }
        }
    }
    for path in &rule.non_resource_urls {
        parts.extend(rule.verbs.iter().map(|verb| PolicyRule {
            verbs: only(verb),
            non_resource_urls: only(path),
            ..PolicyRule::default()
        }));
    }
    parts
}

/// Returns whether a rule covers a single rule (`ruleCovers`). A rule without resource names covers
/// every name; names are not covered by a rule that lists others.
fn rule_covers(rule: &PolicyRule, part: &PolicyRule) -> bool {
    let has = |list: &[String], wanted: &[String]| {
        list.iter().any(|one| one == "*") || wanted.iter().all(|one| list.contains(one))
    };
    let resources = part.resources.iter().all(|resource| {
        // `*/scale` covers `pods/scale`.
        let with_any = resource.split_once('/').map(|(_, sub)| format!("*/{sub}"));
        rule.resources.contains(resource) || with_any.is_some_and(|it| rule.resources.contains(&it))
    });
    let paths = part.non_resource_urls.iter().all(|path| {
        let mut held = rule.non_resource_urls.iter();
        held.any(|held| covers_path(held, path))
    });
    let names = rule.resource_names.is_empty()
        || !part.resource_names.is_empty()
            && part
                .resource_names
                .iter()
                .all(|name| rule.resource_names.contains(name));
    has(&rule.verbs, &part.verbs)
        && has(&rule.api_groups, &part.api_groups)
        && (resources || rule.resources.iter().any(|one| one == "*"))
        && paths
        && names
}

/// Joins the verbs of rules that have the same groups, resources and names (`CompactRules` in
/// pkg/registry/rbac/validation/policy_compact.go). Rules of paths are not joined there either.
fn join_verbs(rules: impl Iterator<Item = PolicyRule>) -> Vec<PolicyRule> {
    let mut compacted: Vec<PolicyRule> = Vec::new();
    for rule in rules {
        let is_path = !rule.non_resource_urls.is_empty();
        let same = compacted.iter_mut().find(|other| {
            !is_path
                && other.api_groups == rule.api_groups
                && other.resources == rule.resources
                && other.resource_names == rule.resource_names
        });
        match same {
            Some(same) => same.verbs.extend(rule.verbs),
            None => compacted.push(rule),
        }
    }
    compacted
}
