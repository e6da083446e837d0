//! Warnings about Services, EndpointSlices, Ingresses and NetworkPolicies.

use serde_json::Value;

use crate::builtins::ip;
use crate::builtins::warnings::{Warnings, annotation, items, text};

/// Warns about the addresses of an EndpointSlice, unless a controller of Kubernetes manages it.
pub(crate) fn endpoint_slice(slice: &Value, out: &mut Warnings) {
    let writer = &slice["metadata"]["labels"]["endpointslice.kubernetes.io/managed-by"];
    let own = [
        "endpointslice-controller.k8s.io",
        "endpointslicemirroring-controller.k8s.io",
    ];
    if own.iter().any(|own| writer == own) {
        return;
    }
    for (index, endpoint) in items(slice, "endpoints").iter().enumerate() {
        let addresses = items(endpoint, "addresses")
            .iter()
            .filter_map(Value::as_str);
        for (inner, address) in addresses.enumerate() {
            ip::address(
                &format!("endpoints[{index}].addresses[{inner}]"),
                address,
                out,
            );
        }
    }
}

/// Warns about the deprecated class annotation of a new Ingress.
pub(crate) fn ingress(ingress: &Value, out: &mut Warnings) {
    let has_class = !ingress["spec"]["ingressClassName"].is_null();
    if annotation(ingress, "kubernetes.io/ingress.class").is_some() && !has_class {
        out.push(
            "annotation \"kubernetes.io/ingress.class\" is deprecated, please use \
             'spec.ingressClassName' instead"
                .to_owned(),
        );
    }
}

/// Warns about the CIDRs in the IP blocks of a NetworkPolicy.
pub(crate) fn network_policy(policy: &Value, out: &mut Warnings) {
    for (direction, peers) in [("ingress", "from"), ("egress", "to")] {
        for (index, rule) in items(&policy["spec"], direction).iter().enumerate() {
            for (inner, peer) in items(rule, peers).iter().enumerate() {
                let block = &peer["ipBlock"];
                let path = format!("spec.{direction}[{index}].{peers}[{inner}].ipBlock");
                ip::range(&format!("{path}.cidr"), text(block, "cidr"), out);
                let except = items(block, "except").iter().filter_map(Value::as_str);
                for (index, range) in except.enumerate() {
                    ip::range(&format!("{path}.except[{index}]"), range, out);
                }
            }
        }
    }
}
