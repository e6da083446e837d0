//! Cluster IPs and node ports of a Service: allocated when it is created, and kept in updates.

use serde_json::{Value, json};

/// Allocates the cluster IP and the node ports of a new Service.
pub(crate) fn allocate(
    service: &mut Value,
    cluster_ip: &mut dyn FnMut() -> String,
    node_port: &mut dyn FnMut() -> u16,
) {
    let Some(Value::Object(spec)) = service.get_mut("spec") else {
        return;
    };
    let type_ = spec
        .get("type")
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned();
    if type_ == "ExternalName" {
        return;
    }
    let given = spec
        .get("clusterIP")
        .and_then(Value::as_str)
        .unwrap_or_default();
    // Validation rejects a Service that has `clusterIPs` without `clusterIP`.
    if given.is_empty() && spec.contains_key("clusterIPs") {
        return;
    }
    let address = match given {
        "" => cluster_ip(),
        given => given.to_owned(),
    };
    spec.insert("clusterIP".to_owned(), address.clone().into());
    spec.entry("clusterIPs").or_insert_with(|| json!([address]));
    let selectorless = address == "None" && !spec.contains_key("selector");
    let policy = if selectorless {
        "RequireDualStack"
    } else {
        "SingleStack"
    };
    let families = if selectorless {
        json!(["IPv4", "IPv6"])
    } else {
        json!(["IPv4"])
    };
    spec.entry("ipFamilies").or_insert(families);
    spec.entry("ipFamilyPolicy").or_insert(policy.into());
    let balanced = spec.get("allocateLoadBalancerNodePorts") == Some(&Value::Bool(true));
    if type_ == "NodePort" || (type_ == "LoadBalancer" && balanced) {
        let ports = spec.get_mut("ports").and_then(Value::as_array_mut);
        for port in ports.into_iter().flatten() {
            if port.get("nodePort").is_none() {
                port["nodePort"] = node_port().into();
            }
        }
    }
}

/// Restores the allocated fields of the old Service that an update omits.
pub(crate) fn keep_allocated(new: &mut Value, old: &Value) {
    if new["spec"]["type"] == "ExternalName" {
        return;
    }
    // If only `clusterIP` changes, `clusterIPs` gets the new address, as in NormalizeClusterIPs.
    let address = new["spec"].get("clusterIP").cloned();
    let changed = address.filter(|address| Some(address) != old["spec"].get("clusterIP"));
    let is_listed = new["spec"]
        .get("clusterIPs")
        .filter(|ips| **ips != old["spec"]["clusterIPs"]);
    if let Some(address) = changed.filter(|_| is_listed.is_none()) {
        new["spec"]["clusterIPs"] = json!([address]);
    }
    for name in [
        "clusterIP",
        "clusterIPs",
        "ipFamilies",
        "ipFamilyPolicy",
        "healthCheckNodePort",
    ] {
        let kept = old["spec"].get(name);
        if let Some(kept) = kept.filter(|_| new["spec"].get(name).is_none()) {
            new["spec"][name] = kept.clone();
        }
    }
    if !matches!(
        new["spec"]["type"].as_str(),
        Some("NodePort" | "LoadBalancer")
    ) {
        return;
    }
    let old_ports = old["spec"]["ports"].as_array();
    let new_ports = new.pointer_mut("/spec/ports").and_then(Value::as_array_mut);
    for port in new_ports.into_iter().flatten() {
        let same =
            |old: &&Value| old["port"] == port["port"] && old["protocol"] == port["protocol"];
        let found = old_ports.into_iter().flatten().find(same);
        let number = found.and_then(|old| old.get("nodePort")).cloned();
        if let Some(number) = number.filter(|_| port.get("nodePort").is_none()) {
            port["nodePort"] = number;
        }
    }
}
