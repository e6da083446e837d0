//! Validation of Nodes (pkg/apis/core/validation).

use serde_json::Value;

use crate::builtins::core::resources;
use crate::builtins::field::ObjectField;
use crate::builtins::findings::{Causes, go_struct};
use crate::builtins::{addresses, names};

const EFFECTS: [&str; 3] = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

/// Validates a new Node (`ValidateNode`).
pub(crate) fn node(object: &Value, out: &mut Causes) {
    taints(object, out);
    amounts(object, out);
    let ranges = ObjectField::spec(object).at("podCIDRs");
    let parsed: Vec<_> = ranges
        .items()
        .iter()
        .filter_map(|range| addresses::cidr(range, out))
        .collect();
    let mut families = parsed.iter().map(|(ip, _)| ip.is_ipv4());
    let first = families.next();
    if parsed.len() > 2 || families.any(|family| Some(family) == first) {
        ranges.invalid("may specify no more than one CIDR for each IP family", out);
    }
}

/// Validates an update of a Node. As in kube-apiserver, the Node is also validated as a new object,
/// so some findings are reported twice (`ValidateNodeUpdate`).
pub(crate) fn updated(new: &Value, old: &Value, out: &mut Causes) {
    node(new, out);
    amounts(new, out);
    let [spec, old] = [new, old].map(ObjectField::spec);
    if !old.at("podCIDRs").has_none() && spec.value["podCIDRs"] != old.value["podCIDRs"] {
        let detail = "node updates may not change podCIDR except from \"\" to valid";
        spec.at("podCIDRs").forbidden(detail, out);
    }
    let provider = spec.at("providerID");
    if old.at("providerID").is_filled() && *provider.value != old.value["providerID"] {
        let detail = "node updates may not change providerID except from \"\" to valid";
        provider.forbidden(detail, out);
    }
    taints(new, out);
}

/// Validates the taints of a Node. kube-apiserver reports their errors at `metadata.taints`.
fn taints(object: &Value, out: &mut Causes) {
    let taints = ObjectField::of(&object["spec"]["taints"], "metadata.taints").items();
    for (at, taint) in taints.iter().enumerate() {
        let (key, value, effect) = (taint.at("key"), taint.at("value"), taint.at("effect"));
        key.named(names::qualified, out);
        let wrong = names::label_value(value.text());
        if !wrong.is_empty() {
            value.invalid(&wrong.join(";"), out);
        }
        effect.required_one_of(&EFFECTS, "", out);
        let same = |before: &ObjectField<'_>| {
            ["key", "effect"]
                .iter()
                .all(|part| before.value[*part] == taint.value[*part])
        };
        if taints[..at].iter().any(same) {
            taint.duplicate(out);
            let mut printed = taint.value.clone();
            printed["value"] = value.text().into();
            let printed = go_struct(&printed, &["Key", "Value", "Effect", "TimeAdded"]);
            if let Some(cause) = out.last_mut() {
                cause.message = format!(
                    "Duplicate value: {printed}: taints must be unique by key and effect pair"
                );
            }
        }
    }
}

/// Validates the amounts in `capacity` and `allocatable` of a Node.
fn amounts(object: &Value, out: &mut Causes) {
    for list in ["capacity", "allocatable"] {
        let list = ObjectField::of(&object["status"][list], format!("status.{list}"));
        for (name, amount) in list.entries() {
            let field = ObjectField::of(amount.value, format!("{}.{name}", list.path));
            resources::amount(name, &field, out);
        }
    }
}
