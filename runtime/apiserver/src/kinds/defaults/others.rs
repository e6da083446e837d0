//! Defaults of the API groups that the other modules do not cover.

use serde_json::{Value, json};

use crate::builtins::members::{change_member, has_member, member_text, set_default};
use crate::types::Object;

pub(crate) fn set(name: &str, members: &mut Object) {
    match name {
        "rbac/v1.RoleBinding" | "rbac/v1.ClusterRoleBinding" => {
            change_member(members, "roleRef", |role| {
                set_default(role, "apiGroup", RBAC)
            });
        }
        "rbac/v1.Subject" => {
            if matches!(member_text(members, "kind"), "User" | "Group") {
                set_default(members, "apiGroup", RBAC);
            }
        }
        "networking/v1.NetworkPolicyPort" | "discovery/v1.EndpointPort" => {
            set_default(members, "protocol", "TCP");
            if name.starts_with("discovery") && !has_member(members, "name") {
                members.insert("name".to_owned(), "".into());
            }
        }
        "networking/v1.NetworkPolicy" => change_member(members, "spec", |spec| {
            let types = match spec.get("egress") {
                Some(Value::Array(_)) => json!(["Ingress", "Egress"]),
                _ => json!(["Ingress"]),
            };
            set_default(spec, "policyTypes", types);
        }),
        "scheduling/v1.PriorityClass" => {
            set_default(members, "preemptionPolicy", "PreemptLowerPriority");
        }
        name => webhook(name, members),
    }
}

const RBAC: &str = "rbac.authorization.k8s.io";

fn webhook(name: &str, members: &mut Object) {
    match name {
        "admissionregistration/v1.ValidatingWebhook"
        | "admissionregistration/v1.MutatingWebhook" => {
            set_default(members, "failurePolicy", "Fail");
            set_default(members, "matchPolicy", "Equivalent");
            set_default(members, "namespaceSelector", json!({}));
            set_default(members, "objectSelector", json!({}));
            set_default(members, "timeoutSeconds", 10);
            if name.ends_with("MutatingWebhook") {
                set_default(members, "reinvocationPolicy", "Never");
            }
        }
        "admissionregistration/v1.RuleWithOperations"
        | "admissionregistration/v1.NamedRuleWithOperations" => set_default(members, "scope", "*"),
        "admissionregistration/v1.ServiceReference" => set_default(members, "port", 443),
        "admissionregistration/v1.ValidatingAdmissionPolicySpec" => {
            set_default(members, "failurePolicy", "Fail");
        }
        "admissionregistration/v1.MatchResources" => {
            set_default(members, "matchPolicy", "Equivalent");
            set_default(members, "namespaceSelector", json!({}));
            set_default(members, "objectSelector", json!({}));
        }
        _ => {}
    }
}
