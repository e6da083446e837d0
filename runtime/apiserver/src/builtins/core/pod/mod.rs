//! Status of a new Pod, including its QoS class, and writes of subresources of Pods.

pub(crate) mod columns;
pub(crate) mod resize;
pub(crate) mod update;

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::types::Quantity;

pub(crate) fn set_status(pod: &mut Value, now: &str) {
    pod["status"] = json!({"phase": "Pending", "qosClass": qos_class(pod)});
    if pod
        .pointer("/spec/schedulingGates")
        .is_some_and(|gates| !gates.is_null())
    {
        pod["status"]["conditions"] = json!([{
            "type": "PodScheduled",
            "status": "False",
            "reason": "SchedulingGated",
            "message": "Scheduling is blocked due to non-empty scheduling gates",
            "lastProbeTime": null,
            "lastTransitionTime": now,
        }]);
    }
}

/// Restores everything but the ephemeral containers (`dropNonEphemeralContainerUpdates` in
/// pkg/registry/core/pod, strategy.go). The caller restores the metadata.
pub(crate) fn keep_but_ephemeral_containers(new: &mut Value, old: &Value) {
    let containers = new["spec"]["ephemeralContainers"].take();
    new["spec"] = old["spec"].clone();
    set_member(&mut new["spec"], "ephemeralContainers", containers);
    set_member(new, "status", old["status"].clone());
}

/// Restores everything but the resources of the Pod and its containers, and their resize policies
/// (`dropNonResizeUpdates` in pkg/registry/core/pod, strategy.go). If a container was added or
/// removed, the Pod remains as it is: validation rejects it. The caller restores the metadata.
pub(crate) fn keep_but_resources(new: &mut Value, old: &Value) {
    let lists = ["containers", "initContainers"];
    let is_resized = lists
        .iter()
        .all(|list| length(&new["spec"][*list]) == length(&old["spec"][*list]));
    if !is_resized {
        return;
    }
    let spec = new["spec"].take();
    new["spec"] = old["spec"].clone();
    set_member(&mut new["spec"], "resources", spec["resources"].clone());
    for list in lists {
        let merged = with_resources(&spec[list], &old["spec"][list]);
        set_member(&mut new["spec"], list, merged);
    }
    set_member(new, "status", old["status"].clone());
}

/// Returns the containers `old` with the resources and resize policies of `new`. If a container was
/// renamed, returns `new`: validation rejects it.
fn with_resources(new: &Value, old: &Value) -> Value {
    let (Some(found), Some(before)) = (new.as_array(), old.as_array()) else {
        return new.clone();
    };
    let mut pairs = found.iter().zip(before);
    if pairs.any(|(found, before)| found["name"] != before["name"]) {
        return new.clone();
    }
    let mut containers = before.clone();
    for (container, found) in containers.iter_mut().zip(found) {
        for name in ["resources", "resizePolicy"] {
            set_member(container, name, found[name].clone());
        }
    }
    containers.into()
}

fn length(list: &Value) -> usize {
    list.as_array().map_or(0, Vec::len)
}

/// Sets a member of an object, or removes it if `value` is null.
fn set_member(object: &mut Value, name: &str, value: Value) {
    if let Value::Object(members) = object {
        match value {
            Value::Null => members.remove(name),
            value => members.insert(name.to_owned(), value),
        };
    }
}

/// Returns the QoS class of a Pod: `Guaranteed`, `Burstable` or `BestEffort`
/// (pkg/apis/core/helper/qos).
pub(crate) fn qos_class(pod: &Value) -> &'static str {
    let spec = &pod["spec"];
    let mut requests: BTreeMap<&str, Vec<Quantity>> = BTreeMap::new();
    let mut limits: BTreeMap<&str, Vec<Quantity>> = BTreeMap::new();
    let mut guaranteed = true;
    let lists = ["containers", "initContainers"].map(|list| spec[list].as_array());
    for container in lists.into_iter().flatten().flatten() {
        let resources = &container["resources"];
        let found = collect(&resources["limits"], &mut limits);
        collect(&resources["requests"], &mut requests);
        guaranteed &= found == 2;
    }
    if requests.is_empty() && limits.is_empty() {
        return "BestEffort";
    }
    let equal = requests.iter().all(|(name, requests)| {
        let limits = limits.get(name).map(Vec::as_slice).unwrap_or_default();
        let pairs = requests.iter().zip(limits);
        requests.len() == limits.len() && pairs.clone().all(|(a, b)| a.compare(b).is_eq())
    });
    if guaranteed && equal && requests.len() == limits.len() {
        "Guaranteed"
    } else {
        "Burstable"
    }
}

/// Adds the positive amounts of cpu and memory in `list` to `into`, and returns their number.
fn collect(list: &Value, into: &mut BTreeMap<&str, Vec<Quantity>>) -> usize {
    let mut found = 0;
    for name in ["cpu", "memory"] {
        let quantity = list[name]
            .as_str()
            .and_then(|text| Quantity::parse(text).ok());
        if let Some(quantity) = quantity.filter(|quantity| quantity.sign().is_gt()) {
            into.entry(name).or_default().push(quantity);
            found += 1;
        }
    }
    found
}
