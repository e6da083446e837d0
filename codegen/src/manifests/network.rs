//! Network policies: allowed ingress to the Pods. Policies name ports of Pods, not of Services.

use super::object::{ObjectManifest, namespaced_metadata, pod_labels, serves_webhooks};
use super::settings::{Condition, Feature};
use super::value::{ManifestValue, tree};
use crate::model::Model;
use crate::project::Deploy;

/// The policies of a deployment. The addresses of the API server are unknown, so any peer may
/// connect to the webhooks.
pub(super) fn network_policies(model: &Model, deploy: &Deploy) -> Vec<ObjectManifest> {
    let metrics = tree!([{
        "from": [{ "namespaceSelector": { "matchLabels": { "metrics": "enabled" } } }],
        "ports": [{ "port": 8443, "protocol": "TCP" }],
    }]);
    let condition = Condition::on(Feature::NetworkPolicy);
    let mut policies = vec![
        network_policy(deploy, "allow-metrics-traffic", metrics)
            .when(condition.clone().and(Feature::Metrics)),
    ];
    if serves_webhooks(model, deploy) {
        let webhooks = tree!([{ "ports": [{ "port": 9443, "protocol": "TCP" }] }]);
        policies.push(network_policy(deploy, "allow-webhook-traffic", webhooks).when(condition));
    }
    policies
}

fn network_policy(deploy: &Deploy, name: &str, ingress: ManifestValue) -> ObjectManifest {
    let tree = tree!({
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": (namespaced_metadata(deploy, name)),
        "spec": {
            "ingress": (ingress),
            "podSelector": { "matchLabels": (pod_labels(deploy)) },
            "policyTypes": ["Ingress"],
        },
    });
    ObjectManifest::new(format!("network-policy/{name}.yaml"), "NetworkPolicy", tree)
}
