//! Warnings about Services, EndpointSlices, Ingresses and NetworkPolicies.

use serde_json::Value;

use crate::builtins::ip;
use crate::builtins::warnings::{Warnings, annotation, items, text};

/// Warns about a Service (`GetWarningsForService`).
pub(crate) fn service(service: &Value, out: &mut Warnings) {
    let spec = &service["spec"];
    if annotation(service, "service.kubernetes.io/topology-aware-hints").is_some() {
        out.push(
            "annotation service.kubernetes.io/topology-aware-hints is deprecated, please use \
             service.kubernetes.io/topology-mode instead"
                .to_owned(),
        );
    }
    let addresses = |list: &str, out: &mut Warnings| {
        let texts = items(spec, list).iter().filter_map(Value::as_str);
        for (index, address) in texts.enumerate() {
            ip::address(&format!("spec.{list}[{index}]"), address, out);
        }
    };
    let (type_, cluster_ip) = (text(spec, "type"), text(spec, "clusterIP"));
    let (balancer, has_external) = (
        text(spec, "loadBalancerIP"),
        !items(spec, "externalIPs").is_empty(),
    );
    if !cluster_ip.is_empty() && cluster_ip != "None" {
        addresses("clusterIPs", out);
    }
    let is_headless = type_ == "ClusterIP" && cluster_ip == "None";
    if is_headless {
        ignored_headless(spec, out);
    }
    addresses("externalIPs", out);
    if has_external && !is_headless && type_ != "ExternalName" {
        let what =
            "spec.externalIPs is deprecated and may no longer be implemented in some clusters";
        out.push(what.to_owned());
    }
    ip::address("spec.loadBalancerIP", balancer, out);
    let ranges = items(spec, "loadBalancerSourceRanges").iter();
    for (index, range) in ranges.filter_map(Value::as_str).enumerate() {
        ip::range(
            &format!("spec.loadBalancerSourceRanges[{index}]"),
            range,
            out,
        );
    }
    if type_ == "ExternalName" && has_external {
        out.push("spec.externalIPs is ignored when spec.type is \"ExternalName\"".to_owned());
    }
    if type_ != "ExternalName" && !text(spec, "externalName").is_empty() {
        out.push("spec.externalName is ignored when spec.type is not \"ExternalName\"".to_owned());
    }
    if text(spec, "trafficDistribution") == "PreferClose" {
        out.push(
            "spec.trafficDistribution: \"PreferClose\" is deprecated; use \"PreferSameZone\""
                .to_owned(),
        );
    }
}

/// Warns about fields that have no effect in a headless Service.
fn ignored_headless(spec: &Value, out: &mut Warnings) {
    for (is_set, field) in [
        (!text(spec, "loadBalancerIP").is_empty(), "loadBalancerIP"),
        (!items(spec, "externalIPs").is_empty(), "externalIPs"),
        (text(spec, "sessionAffinity") != "None", "SessionAffinity"),
    ] {
        if is_set {
            out.push(format!("spec.{field} is ignored for headless services"));
        }
    }
}

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
