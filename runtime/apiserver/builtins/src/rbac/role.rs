//! Roles and ClusterRoles (pkg/apis/rbac/validation).

use genclient_apimachinery::field;
use genclient_apimachinery::unstructured::list_field;
use serde_json::{Value, json};

use crate::selectors;
use crate::strategy::{Creation, FinalizerRule, Strategy};

/// Strategy of Roles and ClusterRoles (pkg/registry/rbac/role and clusterrole, strategy.go).
#[derive(Debug)]
pub(crate) struct RoleStrategy {
    pub(crate) is_namespaced: bool,
}

impl Strategy for RoleStrategy {
    fn finalizer_rule(&self) -> FinalizerRule {
        FinalizerRule::QualifiedTwice
    }

    /// Managed fields record who set an empty list of rules. The preparation replaces it by null.
    fn kept_empty_lists(&self) -> &'static [&'static str] {
        &["rules"]
    }

    fn prepare_for_create(&self, role: &mut Value, _creation: &mut Creation<'_>) {
        drop_empty_rules(role);
    }

    fn prepare_for_update(&self, new: &mut Value, _old: &Value) {
        drop_empty_rules(new);
    }

    fn validate(&self, object: &Value, out: &mut field::ErrorList) {
        for (at, rule) in list_field(object, "rules").iter().enumerate() {
            validate_policy_rule(rule, self.is_namespaced, &format!("rules[{at}]"), out);
        }
        let Some(aggregation) = object.get("aggregationRule").filter(|rule| !rule.is_null()) else {
            return;
        };
        let path = "aggregationRule.clusterRoleSelectors";
        let found = list_field(aggregation, "clusterRoleSelectors");
        if found.is_empty() {
            let detail = "at least one clusterRoleSelector required if aggregationRule is non-nil";
            out.push(field::Error::required(path, detail));
        }
        for (at, selector) in found.iter().enumerate() {
            let (before, path) = (out.len(), format!("{path}[{at}]"));
            selectors::validate_selector(selector, &path, out);
            if out.len() > before {
                out.push(field::Error::invalid(
                    path,
                    &Value::Null,
                    "invalid label selector.",
                ));
            }
        }
    }
}

/// Replaces an empty list of rules by null. kube-apiserver stores protobuf, where both are equal.
fn drop_empty_rules(role: &mut Value) {
    if role.get("rules") == Some(&json!([])) {
        role["rules"] = Value::Null;
    }
}

/// Validates a rule of a Role or ClusterRole (`ValidatePolicyRule`).
fn validate_policy_rule(rule: &Value, is_namespaced: bool, path: &str, out: &mut field::ErrorList) {
    let has = |name: &str| !list_field(rule, name).is_empty();
    if !has("verbs") {
        let detail = "verbs must contain at least one value";
        out.push(field::Error::required(format!("{path}.verbs"), detail));
    }
    if has("nonResourceURLs") {
        let (field, urls) = (format!("{path}.nonResourceURLs"), &rule["nonResourceURLs"]);
        if is_namespaced {
            let detail = "namespaced rules cannot apply to non-resource URLs";
            out.push(field::Error::invalid(field.clone(), urls, detail));
        }
        if has("apiGroups") || has("resources") || has("resourceNames") {
            let detail = "rules cannot apply to both regular resources and non-resource URLs";
            out.push(field::Error::invalid(field, urls, detail));
        }
        return;
    }
    for (name, what) in [("apiGroups", "api group"), ("resources", "resource")] {
        if !has(name) {
            let detail = format!("resource rules must supply at least one {what}");
            out.push(field::Error::required(format!("{path}.{name}"), &detail));
        }
    }
}
