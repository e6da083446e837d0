//! Nodes (pkg/apis/core/validation).

use std::collections::BTreeSet;

use genclient_apimachinery::field;
use genclient_apimachinery::unstructured::{list_field, list_or_empty, str_field, str_or_empty};
use genclient_apimachinery::validation;
use serde_json::{Value, json};

use crate::accessors::{as_flag, member_mut, set_default, text_or};
use crate::cells::{NONE, UNKNOWN};
use crate::core::resources;
use crate::field::ObjectField;
use crate::findings::go_struct;
use crate::row::Row;
use crate::selectable::SpecialField;
use crate::strategy::{Creation, Strategy};
use crate::types::Object;
use crate::warnings::Warnings;
use crate::{addresses, ip};

const EFFECTS: [&str; 3] = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

/// Strategy of Nodes (pkg/registry/core/node, strategy.go).
#[derive(Debug)]
pub(crate) struct NodeStrategy;

impl Strategy for NodeStrategy {
    fn convert(&self, node: &mut Value) {
        list_pod_cidrs(node);
    }

    /// A kubelet registers its Node with a status.
    fn resets_status(&self) -> bool {
        false
    }

    fn prepare_for_create(&self, node: &mut Value, _creation: &mut Creation<'_>) {
        drop_config_source(node);
        add_not_ready_taint(node);
    }

    fn prepare_for_update(&self, new: &mut Value, old: &Value) {
        if old["spec"]["configSource"].is_null() {
            drop_config_source(new);
        }
    }

    /// Validates a new Node (`ValidateNode`).
    fn validate(&self, object: &Value, out: &mut field::ErrorList) {
        validate_taints(object, out);
        validate_amounts(object, out);
        let ranges = ObjectField::spec(object).at("podCIDRs");
        let parsed: Vec<_> = ranges
            .items()
            .iter()
            .filter_map(|range| addresses::validate_cidr(range, out))
            .collect();
        let mut families = parsed.iter().map(|(ip, _)| ip.is_ipv4());
        let first = families.next();
        if parsed.len() > 2 || families.any(|family| Some(family) == first) {
            ranges.invalid("may specify no more than one CIDR for each IP family", out);
        }
    }

    /// Validates an update of a Node. As in kube-apiserver, the Node is also validated as a new
    /// object, so some findings are reported twice (`ValidateNodeUpdate`).
    fn validate_update(&self, new: &Value, old: &Value, out: &mut field::ErrorList) {
        self.validate(new, out);
        validate_amounts(new, out);
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
        validate_taints(new, out);
    }

    fn warn_on_create(&self, node: &Value, out: &mut Warnings) {
        let spec = &node["spec"];
        if !str_field(spec, "externalID").is_empty() {
            let what = "spec.externalID: this field is deprecated, and is unused by Kubernetes";
            out.push(what.to_owned());
        }
        for (index, range) in list_field(spec, "podCIDRs").iter().enumerate() {
            let range = range.as_str().unwrap_or_default();
            ip::warn_cidr(&format!("spec.podCIDRs[{index}]"), range, out);
        }
    }

    fn cells(&self, row: Row<'_>) -> Option<Vec<Value>> {
        Some(node_cells(row))
    }

    fn special_fields(&self) -> &'static [SpecialField] {
        &[SpecialField {
            name: "spec.unschedulable",
            path: "spec.unschedulable",
            unset: "false",
        }]
    }
}

/// Makes `podCIDR` the only item of `podCIDRs`, unless it is the first item already
/// (`Convert_v1_NodeSpec_To_core_NodeSpec`).
fn list_pod_cidrs(node: &mut Value) {
    let range = node["spec"].get("podCIDR").cloned();
    if let Some(range) = range.filter(|range| *range != node["spec"]["podCIDRs"][0]) {
        node["spec"]["podCIDRs"] = json!([range]);
    }
}

/// Removes the field of dynamic kubelet configuration, a feature that Kubernetes has removed.
fn drop_config_source(node: &mut Value) {
    if let Some(Value::Object(spec)) = node.get_mut("spec") {
        spec.remove("configSource");
    }
}

/// Adds the taint `not-ready`, as the admission plug-in TaintNodesByCondition does.
fn add_not_ready_taint(node: &mut Value) {
    let taint = json!({"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"});
    let taints = &mut member_mut(node, "spec")["taints"];
    match taints {
        Value::Array(taints) if taints.contains(&taint) => {}
        Value::Array(taints) => taints.push(taint),
        _ => *taints = json!([taint]),
    }
}

/// Sets the defaults of the status.
pub(crate) fn set_status_defaults(status: &mut Object) {
    if let Some(capacity) = status.get("capacity").cloned() {
        set_default(status, "allocatable", capacity);
    }
}

/// Validates the taints of a Node. kube-apiserver reports their errors at `metadata.taints`.
fn validate_taints(object: &Value, out: &mut field::ErrorList) {
    let taints = ObjectField::of(&object["spec"]["taints"], "metadata.taints").items();
    for (at, taint) in taints.iter().enumerate() {
        let (key, value, effect) = (taint.at("key"), taint.at("value"), taint.at("effect"));
        key.named(validation::label_key, out);
        let wrong = validation::label_value(value.text());
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
fn validate_amounts(object: &Value, out: &mut field::ErrorList) {
    for list in ["capacity", "allocatable"] {
        let list = ObjectField::of(&object["status"][list], format!("status.{list}"));
        for (name, amount) in list.entries() {
            let field = ObjectField::of(amount.value, format!("{}.{name}", list.path));
            resources::validate_amount(name, &field, out);
        }
    }
}

/// Returns the cells of a Node (`printNode`).
fn node_cells(row: Row<'_>) -> Vec<Value> {
    let (spec, status) = (row.spec(), row.status());
    let mut conditions = list_or_empty(&status["conditions"]).iter().rev();
    let ready = conditions.find(|condition| condition["type"] == "Ready");
    let mut state = match ready {
        Some(ready) if ready["status"] == "True" => "Ready",
        Some(_) => "NotReady",
        None => "Unknown",
    }
    .to_owned();
    if as_flag(&spec["unschedulable"]) {
        state.push_str(",SchedulingDisabled");
    }
    let info = &status["nodeInfo"];
    let mut kernel = text_or(&info["kernelVersion"], UNKNOWN).to_owned();
    let architecture = str_or_empty(&info["architecture"]);
    if !architecture.is_empty() {
        kernel = format!("{kernel} ({architecture})");
    }
    let address = |type_: &str| {
        let mut addresses = list_or_empty(&status["addresses"]).iter();
        let found = addresses.find(|address| address["type"] == type_);
        json!(found.map_or(NONE, |address| str_or_empty(&address["address"])))
    };
    vec![
        row.name(),
        json!(state),
        json!(format_roles(row)),
        row.age(),
        json!(str_or_empty(&info["kubeletVersion"])),
        address("InternalIP"),
        address("ExternalIP"),
        json!(text_or(&info["osImage"], UNKNOWN)),
        json!(kernel),
        json!(text_or(&info["containerRuntimeVersion"], UNKNOWN)),
    ]
}

/// Returns the roles of a Node, from its labels.
fn format_roles(row: Row<'_>) -> String {
    let labels = row.metadata()["labels"].as_object().into_iter().flatten();
    let roles: BTreeSet<_> = labels
        .map(
            |(key, value)| match key.strip_prefix("node-role.kubernetes.io/") {
                Some(role) => role,
                None if key == "kubernetes.io/role" => str_or_empty(value),
                None => "",
            },
        )
        .filter(|role| !role.is_empty())
        .collect();
    match roles.into_iter().collect::<Vec<_>>().join(",") {
        roles if roles.is_empty() => NONE.to_owned(),
        roles => roles,
    }
}
