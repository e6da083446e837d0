//! Rules of Pods and Pod templates (pkg/apis/core/validation).

use genclient_schema::Cause;
use serde_json::Value;

use super::containers::containers;
use super::findings::{Causes, items, supported, text};
use super::{names, selectors};

pub(super) fn pod(object: &Value, out: &mut Causes) {
    spec(&object["spec"], "spec", out);
}

/// A template: its labels and its spec.
pub(super) fn template(template: &Value, path: &str, out: &mut Causes) {
    let labels = &template["metadata"]["labels"];
    selectors::labels(labels, &format!("{path}.labels"), out);
    spec(&template["spec"], &format!("{path}.spec"), out);
}

fn spec(spec: &Value, path: &str, out: &mut Causes) {
    volumes(spec, path, out);
    containers(spec, path, out);
    let policies = ["Always", "OnFailure", "Never"];
    supported(
        format!("{path}.restartPolicy"),
        &spec["restartPolicy"],
        &policies,
        out,
    );
    let policies = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];
    supported(
        format!("{path}.dnsPolicy"),
        &spec["dnsPolicy"],
        &policies,
        out,
    );
    let field = format!("{path}.nodeSelector");
    selectors::labels(&spec["nodeSelector"], &field, out);
    for name in [
        "serviceAccountName",
        "nodeName",
        "priorityClassName",
        "runtimeClassName",
    ] {
        let value = text(spec, name);
        if !value.is_empty() {
            names::report(
                &format!("{path}.{name}"),
                value,
                names::subdomain(value),
                out,
            );
        }
    }
    for name in ["hostname", "subdomain"] {
        let value = text(spec, name);
        if !value.is_empty() {
            names::report(&format!("{path}.{name}"), value, names::label(value), out);
        }
    }
    gates(spec, path, out);
    tolerations(spec, path, out);
    let deadline = &spec["activeDeadlineSeconds"];
    let most = i64::from(i32::MAX);
    if deadline
        .as_i64()
        .is_some_and(|deadline| !(1..=most).contains(&deadline))
    {
        let detail = "must be between 1 and 2147483647, inclusive";
        out.push(Cause::invalid(
            format!("{path}.activeDeadlineSeconds"),
            deadline,
            detail,
        ));
    }
}

fn gates(spec: &Value, path: &str, out: &mut Causes) {
    let gates = items(spec, "schedulingGates");
    for (at, gate) in gates.iter().enumerate() {
        let (name, field) = (text(gate, "name"), format!("{path}.schedulingGates[{at}]"));
        names::report(&field, name, names::qualified(name), out);
        if gates[..at]
            .iter()
            .any(|before| text(before, "name") == name)
        {
            out.push(Cause::duplicate(field, &name.into()));
        }
    }
}

fn tolerations(spec: &Value, path: &str, out: &mut Causes) {
    for (at, toleration) in items(spec, "tolerations").iter().enumerate() {
        let path = format!("{path}.tolerations[{at}]");
        let part = |name| text(toleration, name);
        let (key, operator, value) = (part("key"), part("operator"), part("value"));
        let field = format!("{path}.operator");
        if !key.is_empty() {
            names::report(&format!("{path}.key"), key, names::qualified(key), out);
        } else if operator != "Exists" {
            let detail = "operator must be Exists when `key` is empty, which means \"match all \
                 values and all keys\"";
            out.push(Cause::invalid(field.clone(), &operator.into(), detail));
        }
        if !toleration["tolerationSeconds"].is_null() && part("effect") != "NoExecute" {
            let detail = "effect must be 'NoExecute' when `tolerationSeconds` is set";
            let effect = part("effect").into();
            out.push(Cause::invalid(format!("{path}.effect"), &effect, detail));
        }
        match operator {
            "" | "Equal" => names::report(&field, value, names::label_value(value), out),
            "Exists" if !value.is_empty() => {
                let detail = "value must be empty when `operator` is 'Exists'";
                out.push(Cause::invalid(field, &value.into(), detail));
            }
            "Exists" | "Lt" | "Gt" => {}
            other => {
                out.push(Cause::not_supported(
                    field,
                    &other.into(),
                    &["Equal", "Exists"],
                ));
            }
        }
        let effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];
        if !part("effect").is_empty() {
            supported(
                format!("{path}.effect"),
                &toleration["effect"],
                &effects,
                out,
            );
        }
    }
}

fn volumes(spec: &Value, path: &str, out: &mut Causes) {
    let volumes = items(spec, "volumes");
    for (at, volume) in volumes.iter().enumerate() {
        let (name, field) = (text(volume, "name"), format!("{path}.volumes[{at}].name"));
        if name.is_empty() {
            out.push(Cause::required(field, ""));
        } else if !names::label(name).is_empty() {
            names::report(&field, name, names::label(name), out);
        } else if volumes[..at]
            .iter()
            .any(|before| text(before, "name") == name)
        {
            out.push(Cause::duplicate(field, &name.into()));
        }
    }
}

/// `validateOnlyAddedTolerations`
fn tolerations_updated(new: &Value, old: &Value, out: &mut Causes) {
    let lasting = |toleration: &Value| {
        let mut toleration = toleration.clone();
        if let Value::Object(members) = &mut toleration {
            members.remove("tolerationSeconds");
        }
        toleration
    };
    let found: Vec<_> = items(new, "tolerations").iter().map(lasting).collect();
    let mut before = items(old, "tolerations").iter();
    if before.all(|toleration| found.contains(&lasting(toleration))) {
        return tolerations(new, "spec", out);
    }
    let detail = "existing toleration can not be modified except its tolerationSeconds";
    out.push(Cause::forbidden("spec.tolerations", detail));
}

/// What may change of a Pod: images, a shorter deadline, more tolerations, fewer gates.
pub(super) fn updated(new: &Value, old: &Value, out: &mut Causes) {
    pod(new, out);
    let [new, old] = [new, old].map(|object| &object["spec"]);
    for (list, what) in [
        ("containers", "containers"),
        ("initContainers", "initContainers"),
    ] {
        if items(new, list).len() != items(old, list).len() {
            let detail = "pod updates may not add or remove containers";
            out.push(Cause::forbidden(format!("spec.{what}"), detail));
            return;
        }
    }
    for list in ["containers", "initContainers"] {
        for (at, container) in items(new, list).iter().enumerate() {
            // The image is required once more, as it is one of the fields that may change.
            if text(container, "image").is_empty() {
                out.push(Cause::required(format!("spec.{list}[{at}].image"), ""));
            }
        }
    }
    for (at, gate) in items(new, "schedulingGates").iter().enumerate() {
        if !items(old, "schedulingGates").contains(gate) {
            let name = text(gate, "name");
            let detail =
                format!("only deletion is allowed, but found new scheduling gate '{name}'");
            out.push(Cause::forbidden(
                format!("spec.schedulingGates[{at}].name"),
                &detail,
            ));
        }
    }
    let deadline = "activeDeadlineSeconds";
    if let Some(before) = old[deadline].as_i64() {
        let field = "spec.activeDeadlineSeconds";
        match new[deadline].as_i64() {
            None => {
                let detail = "must not update from a positive integer to nil value";
                out.push(Cause::invalid(field, &Value::Null, detail));
            }
            Some(after) if after > before => {
                let detail = "must be less than or equal to previous value";
                out.push(Cause::invalid(field, &after.into(), detail));
                return;
            }
            Some(_) => {}
        }
    }
    tolerations_updated(new, old, out);
    if fixed(new) != fixed(old) {
        let detail = "pod updates may not change fields other than `spec.containers[*].image`,\
             `spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only \
             additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to \
             be set to 1 if it was previously negative)";
        out.push(Cause::forbidden("spec", detail));
    }
}

/// The spec without what may change.
fn fixed(spec: &Value) -> Value {
    let mut spec = spec.clone();
    if let Value::Object(members) = &mut spec {
        for name in ["activeDeadlineSeconds", "schedulingGates", "tolerations"] {
            members.remove(name);
        }
        for list in ["containers", "initContainers"] {
            let containers = members.get_mut(list).and_then(Value::as_array_mut);
            for container in containers.into_iter().flatten() {
                container["image"] = Value::Null;
            }
        }
    }
    spec
}
