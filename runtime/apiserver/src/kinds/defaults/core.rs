//! Defaults of the core group, except Pods and volume sources (pkg/apis/core/v1, defaults.go).

use serde_json::{Value, json};

use crate::builtins::members::{has, items, or, text, within};
use crate::types::Object;

pub(crate) fn set(name: &str, members: &mut Object) {
    match name {
        "Secret" => or(members, "type", "Opaque"),
        "Service" => service(members),
        "Namespace" => namespace(members),
        "NamespaceStatus" => or(members, "phase", "Active"),
        "NodeStatus" => {
            if let Some(capacity) = members.get("capacity").cloned() {
                or(members, "allocatable", capacity);
            }
        }
        "PersistentVolumeClaim" => {
            within(members, "status", |status| or(status, "phase", "Pending"));
        }
        "PersistentVolumeClaimSpec" => or(members, "volumeMode", "Filesystem"),
        "LimitRangeItem" if text(members, "type") == "Container" => limits(members),
        _ => {}
    }
}

fn namespace(members: &mut Object) {
    let name = members
        .get("metadata")
        .map(|metadata| metadata["name"].clone());
    if let Some(Value::String(name)) = name.filter(|name| name != "") {
        within(members, "metadata", |metadata| {
            within(metadata, "labels", |labels| {
                labels.insert("kubernetes.io/metadata.name".to_owned(), name.into());
            });
        });
    }
}

fn service(members: &mut Object) {
    within(members, "spec", service_spec);
    let is_balanced = members
        .get("spec")
        .is_some_and(|spec| spec["type"] == "LoadBalancer");
    if is_balanced {
        within(members, "status", |status| {
            within(status, "loadBalancer", |balancer| {
                for ingress in items(balancer, "ingress") {
                    if has(ingress, "ip") {
                        or(ingress, "ipMode", "VIP");
                    }
                }
            });
        });
    }
}

fn service_spec(spec: &mut Object) {
    or(spec, "sessionAffinity", "None");
    match text(spec, "sessionAffinity") {
        "None" => {
            spec.remove("sessionAffinityConfig");
        }
        "ClientIP" => within(spec, "sessionAffinityConfig", |config| {
            within(config, "clientIP", |client| {
                or(client, "timeoutSeconds", 10_800)
            });
        }),
        _ => {}
    }
    or(spec, "type", "ClusterIP");
    for port in items(spec, "ports") {
        or(port, "protocol", "TCP");
        let target = port.get("targetPort");
        if target.is_none_or(|target| *target == json!(0) || *target == "") {
            let number = port.get("port").cloned().unwrap_or_default();
            port.insert("targetPort".to_owned(), number);
        }
    }
    let type_ = text(spec, "type").to_owned();
    let external = matches!(&*type_, "NodePort" | "LoadBalancer");
    if external || (type_ == "ClusterIP" && has(spec, "externalIPs")) {
        or(spec, "externalTrafficPolicy", "Cluster");
    }
    if external || type_ == "ClusterIP" {
        or(spec, "internalTrafficPolicy", "Cluster");
    }
    if type_ == "LoadBalancer" {
        or(spec, "allocateLoadBalancerNodePorts", true);
    }
}

/// Sets the defaults of a LimitRange item. The default limit of a resource is its maximum. The
/// default request is the default limit or, without one, the minimum.
fn limits(item: &mut Object) {
    for (from, to) in [
        ("max", "default"),
        ("default", "defaultRequest"),
        ("min", "defaultRequest"),
    ] {
        let Some(Value::Object(source)) = item.get(from).cloned() else {
            continue;
        };
        within(item, to, |target| {
            for (name, value) in source {
                target.entry(name).or_insert(value);
            }
        });
    }
}
