//! Updates of Pods and of their ephemeral containers (`ValidatePodUpdate` in
//! pkg/apis/core/validation).

use genclient_apimachinery::field;
use genclient_apimachinery::go::json_list;
use genclient_apimachinery::unstructured::{list_field, str_field};
use serde_json::Value;

use crate::accessors::set_member;
use crate::core::pod_spec;
use crate::field::ObjectField;
use crate::findings::go_struct;
use crate::strategy::Strategy;

/// Validates an update of a Pod. An update may change images, set or shorten
/// `activeDeadlineSeconds`, add tolerations and remove scheduling gates. While the Pod has
/// scheduling gates, an update may also add node constraints.
pub(crate) fn validate_update(new: &Value, old: &Value, out: &mut field::ErrorList) {
    pod_spec::validate_pod(new, out);
    let [new, old] = [new, old].map(|object| &object["spec"]);
    for (list, what) in [
        ("containers", "containers"),
        ("initContainers", "initContainers"),
    ] {
        if list_field(new, list).len() != list_field(old, list).len() {
            let detail = "pod updates may not add or remove containers";
            out.push(field::Error::forbidden(format!("spec.{what}"), detail));
            return;
        }
    }
    validate_images(new, out);
    validate_no_new_gates(new, old, out);
    let deadline = "activeDeadlineSeconds";
    if let Some(before) = old[deadline].as_i64() {
        let field = "spec.activeDeadlineSeconds";
        match new[deadline].as_i64() {
            None => {
                let detail = "must not update from a positive integer to nil value";
                out.push(field::Error::invalid(field, &Value::Null, detail));
            }
            Some(after) if after > before => {
                let detail = "must be less than or equal to previous value";
                out.push(field::Error::invalid(field, &after.into(), detail));
                return;
            }
            Some(_) => {}
        }
    }
    validate_tolerations_update(new, old, out);
    let is_gated = !list_field(old, "schedulingGates").is_empty();
    if is_gated {
        validate_only_added_labels(new, old, out);
        validate_only_added_terms(new, old, out);
    }
    if immutable_spec(new, is_gated) != immutable_spec(old, is_gated) {
        let detail = "pod updates may not change fields other than `spec.containers[*].image`,\
             `spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only \
             additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to \
             be set to 1 if it was previously negative)";
        out.push(field::Error::forbidden("spec", detail));
    }
}

/// Strategy of the subresource `ephemeralcontainers`, which only adds containers.
#[derive(Debug)]
pub(crate) struct EphemeralContainersStrategy;

impl Strategy for EphemeralContainersStrategy {
    /// Restores everything but the ephemeral containers (`dropNonEphemeralContainerUpdates` in
    /// pkg/registry/core/pod, strategy.go). The caller restores the metadata.
    fn prepare_for_update(&self, new: &mut Value, old: &Value) {
        let containers = new["spec"]["ephemeralContainers"].take();
        new["spec"] = old["spec"].clone();
        set_member(&mut new["spec"], "ephemeralContainers", containers);
        set_member(new, "status", old["status"].clone());
    }

    /// Validates an update of the subresource `ephemeralcontainers`, which only adds containers
    /// (`ValidatePodEphemeralContainersUpdate`).
    fn validate_update(&self, new: &Value, old: &Value, out: &mut field::ErrorList) {
        pod_spec::validate_pod(new, out);
        if !old["metadata"]["annotations"]["kubernetes.io/config.mirror"].is_null() {
            let detail = "static pods do not support ephemeral containers";
            *out = vec![field::Error::forbidden("", detail)];
            return;
        }
        let [new, old] = [new, old].map(|pod| list_field(&pod["spec"], "ephemeralContainers"));
        for before in old {
            let name = str_field(before, "name");
            let detail = match new.iter().find(|it| str_field(it, "name") == name) {
                None => format!("existing ephemeral containers {name:?} may not be removed\n"),
                Some(after) if after != before => {
                    format!("existing ephemeral containers {name:?} may not be changed\n")
                }
                Some(_) => continue,
            };
            out.push(field::Error::forbidden("spec.ephemeralContainers", &detail));
        }
    }
}

/// Checks that an update only adds tolerations or changes their `tolerationSeconds`
/// (`validateOnlyAddedTolerations`).
fn validate_tolerations_update(new: &Value, old: &Value, out: &mut field::ErrorList) {
    let lasting = |toleration: &Value| {
        let mut toleration = toleration.clone();
        if let Value::Object(members) = &mut toleration {
            members.remove("tolerationSeconds");
        }
        toleration
    };
    let found: Vec<_> = list_field(new, "tolerations").iter().map(lasting).collect();
    let mut before = list_field(old, "tolerations").iter();
    if before.all(|toleration| found.contains(&lasting(toleration))) {
        return pod_spec::validate_tolerations(new, "spec", out);
    }
    let detail = "existing toleration can not be modified except its tolerationSeconds";
    out.push(field::Error::forbidden("spec.tolerations", detail));
}

/// Validates the images after an update, which may change them.
fn validate_images(new: &Value, out: &mut field::ErrorList) {
    for list in ["containers", "initContainers"] {
        for (at, container) in list_field(new, list).iter().enumerate() {
            let image = ObjectField::of(&container["image"], format!("spec.{list}[{at}].image"));
            if !image.is_filled() {
                image.required("", out);
            } else if image.text().trim() != image.text() {
                image.invalid("must not have leading or trailing whitespace", out);
            }
        }
    }
}

/// Checks that an update only removes scheduling gates (`validatePodSchedulingGates`).
fn validate_no_new_gates(new: &Value, old: &Value, out: &mut field::ErrorList) {
    for (at, gate) in list_field(new, "schedulingGates").iter().enumerate() {
        if !list_field(old, "schedulingGates").contains(gate) {
            let name = str_field(gate, "name");
            let detail =
                format!("only deletion is allowed, but found new scheduling gate '{name}'");
            out.push(field::Error::forbidden(
                format!("spec.schedulingGates[{at}].name"),
                &detail,
            ));
        }
    }
}

/// Checks that an update of a Pod with scheduling gates only adds labels to `nodeSelector`.
fn validate_only_added_labels(new: &Value, old: &Value, out: &mut field::ErrorList) {
    let [new, old] = [new, old].map(|spec| &spec["nodeSelector"]);
    let mut before = old.as_object().into_iter().flatten();
    if before.any(|(key, value)| new.get(key) != Some(value)) {
        let detail = "only additions to spec.nodeSelector are allowed (no mutations or deletions)";
        out.push(field::Error::invalid("spec.nodeSelector", new, detail));
    }
}

/// Checks that an update of a Pod with scheduling gates only adds requirements to the terms of node
/// affinity (`validateNodeAffinityMutation`).
fn validate_only_added_terms(new: &Value, old: &Value, out: &mut field::ErrorList) {
    let required = "requiredDuringSchedulingIgnoredDuringExecution";
    let [new, old] = [new, old].map(|spec| {
        let terms = &spec["affinity"]["nodeAffinity"][required]["nodeSelectorTerms"];
        ObjectField::of(
            terms,
            format!("spec.affinity.nodeAffinity.{required}.nodeSelectorTerms"),
        )
    });
    if old.has_none() {
        return;
    }
    let (terms, before) = (new.items(), old.items());
    if terms.len() != before.len() {
        let detail = "no additions/deletions to non-empty NodeSelectorTerms list are allowed";
        let printed = json_list(new.value, format_term);
        return out.push(field::Error::invalid_text(&*new.path, &printed, detail));
    }
    for (term, before) in terms.iter().zip(before) {
        let keeps = |list: &str| {
            let [now, before] = [term.value, before.value].map(|term| list_field(term, list));
            now.starts_with(before)
        };
        // An update must not let a term match more nodes. A term without requirements matches no
        // node, so it must not change.
        let was_empty =
            before.at("matchExpressions").has_none() && before.at("matchFields").has_none();
        let is_same = term.value == before.value;
        if !is_same && (was_empty || !keeps("matchExpressions") || !keeps("matchFields")) {
            let detail = "only additions are allowed (no mutations or deletions)";
            out.push(field::Error::invalid_text(
                &*term.path,
                &format_term(term.value),
                detail,
            ));
        }
    }
}

/// Formats a node selector term as Go prints Kubernetes' internal type.
fn format_term(term: &Value) -> String {
    let format_requirement = |it: &Value| go_struct(it, &["Key", "Operator", "Values"]);
    let expressions = json_list(&term["matchExpressions"], format_requirement);
    let fields = json_list(&term["matchFields"], format_requirement);
    format!("{{\"MatchExpressions\":{expressions},\"MatchFields\":{fields}}}")
}

/// Returns the spec of a Pod without the fields that an update may change. With `is_gated`, these
/// include the node selector and the node affinity.
fn immutable_spec(spec: &Value, is_gated: bool) -> Value {
    let mut spec = spec.clone();
    if is_gated {
        spec["nodeSelector"] = Value::Null;
        // An absent `affinity` must equal one that has only `nodeAffinity`. Therefore, the other
        // two fields replace `affinity`.
        let others = ["podAffinity", "podAntiAffinity"];
        let others = others.map(|name| spec["affinity"][name].clone());
        spec["affinity"] = others.to_vec().into();
    }
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
