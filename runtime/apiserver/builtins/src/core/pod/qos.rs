//! QoS classes of Pods (pkg/apis/core/helper/qos, qos.go).

use std::collections::BTreeMap;

use genclient_apimachinery::resource::Quantity;
use serde_json::Value;

/// Returns the QoS class of a Pod: `Guaranteed`, `Burstable` or `BestEffort` (`ComputePodQOS`).
pub(crate) fn compute_qos_class(pod: &Value) -> &'static str {
    let spec = &pod["spec"];
    let mut requests: BTreeMap<&str, Vec<Quantity>> = BTreeMap::new();
    let mut limits: BTreeMap<&str, Vec<Quantity>> = BTreeMap::new();
    let mut guaranteed = true;
    let lists = ["containers", "initContainers"].map(|list| spec[list].as_array());
    for container in lists.into_iter().flatten().flatten() {
        let resources = &container["resources"];
        let found = collect_resources(&resources["limits"], &mut limits);
        collect_resources(&resources["requests"], &mut requests);
        // Each container must limit both.
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
fn collect_resources(list: &Value, into: &mut BTreeMap<&str, Vec<Quantity>>) -> usize {
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
