//! Network policies: allowed ingress to the Pods. Policies name ports of Pods, not of Services.

use super::object::{ObjectManifest, metadata, pod_labels, serves_webhooks};
use super::settings::{Condition, Switch};
use super::tree::{Tree, tree};
use crate::model::Model;
use crate::project::Deploy;

/// The policies of a deployment. The addresses of the API server are unknown, so any peer may
/// connect to the webhooks.
pub(super) fn policies(model: &Model, deploy: &Deploy) -> Vec<ObjectManifest> {
    let metrics = tree!([{
        "from": [{ "namespaceSelector": { "matchLabels": { "metrics": "enabled" } } }],
        "ports": [{ "port": 8443, "protocol": "TCP" }],
    }]);
    let condition = Condition::on(Switch::NetworkPolicy);
    let mut policies = vec![
        policy(deploy, "allow-metrics-traffic", metrics)
            .when(condition.clone().and(Switch::Metrics)),
    ];
    if serves_webhooks(model, deploy) {
        let webhooks = tree!([{ "ports": [{ "port": 9443, "protocol": "TCP" }] }]);
        policies.push(policy(deploy, "allow-webhook-traffic", webhooks).when(condition));
    }
    policies
}

fn policy(deploy: &Deploy, name: &str, ingress: Tree) -> ObjectManifest {
    let tree = tree!({
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": (metadata(deploy, name)),
        "spec": {
            "ingress": (ingress),
            "podSelector": { "matchLabels": (pod_labels(deploy)) },
            "policyTypes": ["Ingress"],
        },
    });
    ObjectManifest::new(format!("network-policy/{name}.yaml"), "NetworkPolicy", tree)
}
