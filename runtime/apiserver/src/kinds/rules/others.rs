//! Validation of PodDisruptionBudgets, Leases, PriorityClasses and APIServices.

use genclient_schema::Cause;
use serde_json::Value;

use crate::builtins::apps::rolling_update;
use crate::builtins::field::ObjectField;
use crate::builtins::findings::{Causes, invalid_struct, not_negative, text};
use crate::builtins::{names, selectors};

/// Priority classes of Kubernetes itself, with their values.
const OF_THE_SYSTEM: [(&str, i64); 2] = [
    ("system-node-critical", 2_000_001_000),
    ("system-cluster-critical", 2_000_000_000),
];

const MAX_PRIORITY: i64 = 1_000_000_000;

/// Validates a PodDisruptionBudget (pkg/apis/policy/validation).
pub(crate) fn disruption_budget(object: &Value, out: &mut Causes) {
    let spec = ObjectField::spec(object);
    let (least, most) = (spec.at("minAvailable"), spec.at("maxUnavailable"));
    let policy = spec.at("unhealthyPodEvictionPolicy");
    if least.is_set() && most.is_set() {
        let selector = selectors::printed(&spec.value["selector"]);
        let [least, most, policy] = [&least, &most, &policy].map(|field| field.value);
        let printed = format!(
            "{{\"MinAvailable\":{least},\"Selector\":{selector},\"MaxUnavailable\":{most},\
             \"UnhealthyPodEvictionPolicy\":{policy}}}"
        );
        let detail = "minAvailable and maxUnavailable cannot be both set";
        out.push(invalid_struct("spec", &printed, detail));
    }
    for amount in [least, most] {
        rolling_update::amount(amount.value, &amount.path, out);
        rolling_update::at_most_all(&amount, out);
    }
    let selector = spec.at("selector");
    selectors::selector(selector.value, &selector.path, out);
    policy.supported_if_set(&["AlwaysAllow", "IfHealthyBudget"], out);
}

/// Validates a Lease (pkg/apis/coordination/validation).
pub(crate) fn lease(object: &Value, out: &mut Causes) {
    let spec = ObjectField::spec(object);
    let duration = spec.at("leaseDurationSeconds");
    duration.within(1, i64::MAX, "must be greater than 0", out);
    not_negative(spec.value, &["leaseTransitions"], "spec", out);
}

/// Validates a PriorityClass (pkg/apis/scheduling/validation).
pub(crate) fn priority_class(object: &Value, out: &mut Causes) {
    let name = text(&object["metadata"], "name");
    let value = object["value"].as_i64().unwrap_or_default();
    if name.starts_with("system-") {
        let known = OF_THE_SYSTEM.iter().find(|(known, _)| *known == name);
        let error = match known {
            None => format!("{name} is not a known system priority class"),
            Some((_, needed)) if *needed != value => {
                format!("value of {name} PriorityClass must be {needed}")
            }
            Some(_) => String::new(),
        };
        if !error.is_empty() {
            let detail = format!(
                "priority class names with 'system-' prefix are reserved for system use only. \
                 error: {error}"
            );
            out.push(Cause::forbidden("metadata.name", &detail));
        }
    } else if value > MAX_PRIORITY {
        let detail = format!("maximum allowed value of a user defined priority is {MAX_PRIORITY}");
        out.push(Cause::forbidden("value", &detail));
    }
    let policies = ["PreemptLowerPriority", "Never"];
    let policy = ObjectField::of(&object["preemptionPolicy"], "preemptionPolicy");
    policy.supported_if_set(&policies, out);
}

/// Validates an update of a PriorityClass. Its value and its preemption policy are immutable.
pub(crate) fn priority_class_updated(new: &Value, old: &Value, out: &mut Causes) {
    if new["value"] != old["value"] {
        let detail = "may not be changed in an update.";
        out.push(Cause::forbidden("value", detail));
    }
    let policy = "preemptionPolicy";
    ObjectField::of(&new[policy], policy).unchanged(&old[policy], out);
}

/// Validates an APIService (pkg/apis/apiregistration/validation).
pub(crate) fn api_service(object: &Value, out: &mut Causes) {
    let spec = ObjectField::spec(object);
    let [group, version] = ["group", "version"].map(|name| spec.at(name).text());
    let name = ObjectField::of(&object["metadata"]["name"], "metadata.name");
    let expected = format!("{version}.{group}");
    if name.text() != expected {
        let quoted = crate::types::quoted(&expected);
        name.invalid(
            &format!("must be `spec.version+\".\"+spec.group`: {quoted}"),
            out,
        );
    }
    // As in kube-apiserver, the limits 20000 and 1000 themselves are valid, although the messages
    // say "less than".
    let detail = "must be positive and less than 20000";
    priority(&spec.at("groupPriorityMinimum"), 20_000, detail, out);
    priority(
        &spec.at("versionPriority"),
        1000,
        "must be positive and less than 1000",
        out,
    );
    let service = spec.at("service");
    let insecure = spec.at("insecureSkipTLSVerify");
    if !service.is_set() {
        return;
    }
    for field in [service.at("namespace"), service.at("name")] {
        if !field.is_filled() {
            field.required("", out);
        }
    }
    let port = service.at("port");
    if port.is_set() && !names::is_port(port.number()) {
        port.invalid(&format!("port is not valid: {}", names::PORT_RANGE), out);
    }
    if insecure.is_true() && spec.at("caBundle").is_filled() {
        insecure.invalid("may not be true if caBundle is present", out);
    }
}

fn priority(number: &ObjectField<'_>, most: i64, detail: &str, out: &mut Causes) {
    if !(1..=most).contains(&number.number()) {
        let value = number.number().into();
        ObjectField::of(&value, &*number.path).invalid(detail, out);
    }
}
