//! Rules of HorizontalPodAutoscaler, PodDisruptionBudget, Ingress and Lease.

use genclient_schema::Cause;
use serde_json::Value;

use super::findings::{Causes, IMMUTABLE, invalid_struct, items, not_negative, supported, text};
use super::{selectors, workloads};

/// pkg/apis/autoscaling/validation
pub(super) fn autoscaler(object: &Value, out: &mut Causes) {
    let spec = &object["spec"];
    let most = spec["maxReplicas"].as_i64().unwrap_or_default();
    let least = &spec["minReplicas"];
    if least.as_i64().is_some_and(|least| least < 1) {
        let detail = "must be greater than or equal to 1";
        out.push(Cause::invalid("spec.minReplicas", least, detail));
    }
    if most < 1 {
        out.push(Cause::required(
            "spec.maxReplicas",
            "must be set and greater than 0",
        ));
    }
    if least.as_i64().is_some_and(|least| most < least) {
        let detail = "must be greater than or equal to `minReplicas`";
        out.push(Cause::invalid("spec.maxReplicas", &most.into(), detail));
    }
    let target = &spec["scaleTargetRef"];
    for name in ["kind", "name"] {
        if text(target, name).is_empty() {
            out.push(Cause::required(format!("spec.scaleTargetRef.{name}"), ""));
        }
    }
    let version = text(target, "apiVersion");
    if version.is_empty() {
        let detail = "apiVersion must specify API group";
        out.push(Cause::invalid(
            "spec.scaleTargetRef.apiVersion",
            &version.into(),
            detail,
        ));
    }
}

/// pkg/apis/policy/validation
pub(super) fn disruption_budget(object: &Value, out: &mut Causes) {
    let spec = &object["spec"];
    let (least, most) = (&spec["minAvailable"], &spec["maxUnavailable"]);
    if !least.is_null() && !most.is_null() {
        let selector = selectors::printed(&spec["selector"]);
        let policy = &spec["unhealthyPodEvictionPolicy"];
        let printed = format!(
            "{{\"MinAvailable\":{least},\"Selector\":{selector},\"MaxUnavailable\":{most},\
             \"UnhealthyPodEvictionPolicy\":{policy}}}"
        );
        let detail = "minAvailable and maxUnavailable cannot be both set";
        out.push(invalid_struct("spec", &printed, detail));
    }
    workloads::amount(least, "spec.minAvailable", out);
    workloads::amount(most, "spec.maxUnavailable", out);
    selectors::selector(&spec["selector"], "spec.selector", out);
}

/// pkg/apis/networking/validation
pub(super) fn ingress(object: &Value, out: &mut Causes) {
    let spec = &object["spec"];
    if items(spec, "rules").is_empty() && spec["defaultBackend"].is_null() {
        let detail = "either `defaultBackend` or `rules` must be specified";
        out.push(Cause::invalid("spec", &Value::Null, detail));
    }
    for (at, rule) in items(spec, "rules").iter().enumerate() {
        for (index, path) in items(&rule["http"], "paths").iter().enumerate() {
            let field = format!("spec.rules[{at}].http.paths[{index}]");
            ingress_path(path, &field, out);
        }
    }
}

fn ingress_path(path: &Value, field: &str, out: &mut Causes) {
    let route = text(path, "path");
    let type_ = text(path, "pathType");
    match type_ {
        "" => {
            let detail = "pathType must be specified";
            out.push(Cause::required(format!("{field}.pathType"), detail));
        }
        "Exact" | "Prefix" if !route.starts_with('/') => {
            let detail = "must be an absolute path";
            out.push(Cause::invalid(
                format!("{field}.path"),
                &route.into(),
                detail,
            ));
        }
        "ImplementationSpecific" if !route.is_empty() && !route.starts_with('/') => {
            let detail = "must be an absolute path";
            out.push(Cause::invalid(
                format!("{field}.path"),
                &route.into(),
                detail,
            ));
        }
        "Exact" | "Prefix" | "ImplementationSpecific" => {}
        other => {
            let known = ["Exact", "ImplementationSpecific", "Prefix"];
            out.push(Cause::not_supported(
                format!("{field}.pathType"),
                &other.into(),
                &known,
            ));
        }
    }
}

/// pkg/apis/coordination/validation
pub(super) fn lease(object: &Value, out: &mut Causes) {
    let spec = &object["spec"];
    let duration = &spec["leaseDurationSeconds"];
    if duration.as_i64().is_some_and(|duration| duration <= 0) {
        let detail = "must be greater than 0";
        out.push(Cause::invalid(
            "spec.leaseDurationSeconds",
            duration,
            detail,
        ));
    }
    not_negative(spec, &["leaseTransitions"], "spec", out);
}

/// pkg/apis/storage/validation
pub(super) fn storage_class(object: &Value, out: &mut Causes) {
    let provisioner = text(object, "provisioner");
    if provisioner.is_empty() {
        out.push(Cause::required("provisioner", ""));
    } else {
        let lower = provisioner.to_lowercase();
        super::names::report(
            "provisioner",
            provisioner,
            super::names::qualified(&lower),
            out,
        );
    }
    let policies = ["Delete", "Retain"];
    let field = "reclaimPolicy".to_owned();
    supported(field, &object["reclaimPolicy"], &policies, out);
}

pub(super) fn storage_class_updated(new: &Value, old: &Value, out: &mut Causes) {
    for name in [
        "parameters",
        "provisioner",
        "reclaimPolicy",
        "volumeBindingMode",
    ] {
        if new[name] == old[name] {
            continue;
        }
        if name == "parameters" {
            out.push(Cause::forbidden(
                name,
                "updates to parameters are forbidden.",
            ));
        } else {
            out.push(Cause::invalid(name, &new[name], IMMUTABLE));
        }
    }
}

/// pkg/apis/scheduling/validation
pub(super) fn priority_class_updated(new: &Value, old: &Value, out: &mut Causes) {
    if new["value"] != old["value"] {
        out.push(Cause::forbidden(
            "value",
            "may not be changed in an update.",
        ));
    }
    let policy = "preemptionPolicy";
    if new[policy] != old[policy] {
        out.push(Cause::invalid(policy, &new[policy], IMMUTABLE));
    }
}

/// pkg/apis/networking/validation
pub(super) fn ingress_class(object: &Value, out: &mut Causes) {
    let controller = text(&object["spec"], "controller");
    if controller.is_empty() {
        out.push(Cause::required("spec.controller", ""));
    } else if !controller.contains('/') {
        let detail = "must be a domain-prefixed path (such as \"acme.io/foo\")";
        out.push(Cause::invalid(
            "spec.controller",
            &controller.into(),
            detail,
        ));
    }
}
