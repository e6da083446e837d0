//! Shared validation of the workloads in the group `apps` (pkg/apis/apps/validation).

use genclient_apimachinery::field;
use genclient_apimachinery::labels::{is_empty_label_selector, label_selector_matches};
use serde_json::Value;

use crate::core::pod_spec;
use crate::field::ObjectField;
use crate::selectors;
use crate::warnings::Warnings;

/// Path of the Pod template.
pub(crate) const TEMPLATE: &str = "spec.template";

const MISMATCH: &str = "`selector` does not match template `labels`";

/// Validates the selector and the template of a workload. `kind` is the kind that messages name.
pub(crate) fn validate_template(spec: &Value, kind: &str, out: &mut field::ErrorList) {
    let selector = &spec["selector"];
    if selector.is_null() && kind != "daemonset" {
        out.push(field::Error::required("spec.selector", ""));
    } else if !selector.is_null() {
        let before = out.len();
        selectors::validate_selector(selector, "spec.selector", out);
        if is_empty_label_selector(selector) {
            let detail = format!("empty selector is invalid for {kind}");
            out.push(field::Error::invalid("spec.selector", selector, &detail));
        } else if out.len() > before {
            let printed = selectors::format_selector(selector);
            // The selector cannot be compared with the labels. kube-apiserver reports that for all
            // workloads but DaemonSets (`ValidateDaemonSetSpec`).
            if kind != "daemonset" {
                out.push(field::Error::invalid_text(
                    "spec.selector",
                    &printed,
                    "invalid label selector",
                ));
            }
            return pod_spec::validate_template(&spec["template"], "spec.template", out);
        }
    }
    let labels = &spec["template"]["metadata"]["labels"];
    let compared = selector.is_null() || !is_empty_label_selector(selector);
    if compared && label_selector_matches(selector, labels) == Ok(false) {
        out.push(field::Error::invalid(
            "spec.template.metadata.labels",
            labels,
            MISMATCH,
        ));
    }
    pod_spec::validate_template(&spec["template"], "spec.template", out);
    validate_always_running(spec, kind, out);
}

/// Checks that the Pods of a workload always restart and have no deadline.
fn validate_always_running(spec: &Value, kind: &str, out: &mut field::ErrorList) {
    let template = ObjectField::of(&spec["template"]["spec"], "spec.template.spec");
    template.at("restartPolicy").supported(&["Always"], out);
    let deadline = template.at("activeDeadlineSeconds");
    if deadline.is_set() {
        // For Deployments, too, kube-apiserver's message names ReplicaSet.
        let kind = match kind {
            "daemonset" => "DaemonSet",
            "statefulset" => "StatefulSet",
            _ => "ReplicaSet",
        };
        let detail = format!("activeDeadlineSeconds in {kind} is not Supported");
        deadline.forbidden(&detail, out);
    }
}

/// Checks that an update leaves the selector unchanged.
pub(crate) fn validate_selector_unchanged(new: &Value, old: &Value, out: &mut field::ErrorList) {
    let [new, old] = [new, old].map(|object| &object["spec"]["selector"]);
    selectors::validate_unchanged("spec.selector", new, old, out);
}

/// Warns about the Pod template of a workload.
pub(crate) fn warn_template(object: &Value, out: &mut Warnings) {
    pod_spec::warnings::warn_template(&object["spec"]["template"], TEMPLATE, out);
}
