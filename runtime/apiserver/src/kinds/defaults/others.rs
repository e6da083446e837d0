//! Defaults of the API groups that the other modules do not cover.

use serde_json::{Value, json};

use crate::builtins::members::{has, or, text, within};
use crate::types::Object;

pub(crate) fn set(name: &str, members: &mut Object) {
    match name {
        "rbac/v1.RoleBinding" | "rbac/v1.ClusterRoleBinding" => {
            within(members, "roleRef", |role| or(role, "apiGroup", RBAC));
        }
        "rbac/v1.Subject" => {
            if matches!(text(members, "kind"), "User" | "Group") {
                or(members, "apiGroup", RBAC);
            }
        }
        "networking/v1.NetworkPolicyPort" | "discovery/v1.EndpointPort" => {
            or(members, "protocol", "TCP");
            if name.starts_with("discovery") && !has(members, "name") {
                members.insert("name".to_owned(), "".into());
            }
        }
        "networking/v1.NetworkPolicy" => within(members, "spec", |spec| {
            let types = match spec.get("egress") {
                Some(Value::Array(_)) => json!(["Ingress", "Egress"]),
                _ => json!(["Ingress"]),
            };
            or(spec, "policyTypes", types);
        }),
        "scheduling/v1.PriorityClass" => {
            or(members, "preemptionPolicy", "PreemptLowerPriority");
        }
        name => webhook(name, members),
    }
}

const RBAC: &str = "rbac.authorization.k8s.io";

fn webhook(name: &str, members: &mut Object) {
    match name {
        "admissionregistration/v1.ValidatingWebhook"
        | "admissionregistration/v1.MutatingWebhook" => {
            or(members, "failurePolicy", "Fail");
            or(members, "matchPolicy", "Equivalent");
            or(members, "namespaceSelector", json!({}));
            or(members, "objectSelector", json!({}));
            or(members, "timeoutSeconds", 10);
            if name.ends_with("MutatingWebhook") {
                or(members, "reinvocationPolicy", "Never");
            }
        }
        "admissionregistration/v1.RuleWithOperations"
        | "admissionregistration/v1.NamedRuleWithOperations" => or(members, "scope", "*"),
        "admissionregistration/v1.ServiceReference" => or(members, "port", 443),
        "admissionregistration/v1.ValidatingAdmissionPolicySpec" => {
            or(members, "failurePolicy", "Fail");
        }
        "admissionregistration/v1.MatchResources" => {
            or(members, "matchPolicy", "Equivalent");
            or(members, "namespaceSelector", json!({}));
            or(members, "objectSelector", json!({}));
        }
        _ => {}
    }
}
