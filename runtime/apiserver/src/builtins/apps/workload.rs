//! Validation of the kinds of the group `apps` (pkg/apis/apps/validation).

use genclient_schema::Cause;
use serde_json::{Value, json};

use crate::builtins::apps::rolling_update;
use crate::builtins::core::{persistent_volume_claim, pod_spec};
use crate::builtins::field::ObjectField;
use crate::builtins::findings::{Causes, NOT_NEGATIVE, invalid_struct, not_negative, unchanged};
use crate::builtins::{names, selectors};

const MISMATCH: &str = "`selector` does not match template `labels`";

/// Validates the selector and the template of a workload. `kind` is the kind that messages name.
fn selected(spec: &Value, kind: &str, out: &mut Causes) {
    let selector = &spec["selector"];
    if selector.is_null() && kind != "daemonset" {
        out.push(Cause::required("spec.selector", ""));
    } else if !selector.is_null() {
        let before = out.len();
        selectors::selector(selector, "spec.selector", out);
        if selectors::is_empty(selector) {
            let detail = format!("empty selector is invalid for {kind}");
            out.push(Cause::invalid("spec.selector", selector, &detail));
        } else if out.len() > before {
            let printed = selectors::printed(selector);
            // kube-apiserver does not add this error for DaemonSets.
            if kind != "daemonset" {
                out.push(invalid_struct(
                    "spec.selector",
                    &printed,
                    "invalid label selector",
                ));
            }
            return pod_spec::template(&spec["template"], "spec.template", out);
        }
    }
    let labels = &spec["template"]["metadata"]["labels"];
    let compared = selector.is_null() || !selectors::is_empty(selector);
    if compared && !selectors::matches(selector, labels) {
        out.push(Cause::invalid(
            "spec.template.metadata.labels",
            labels,
            MISMATCH,
        ));
    }
    pod_spec::template(&spec["template"], "spec.template", out);
    always_running(spec, kind, out);
}

/// Checks that the Pods of a workload always restart and have no deadline.
fn always_running(spec: &Value, kind: &str, out: &mut Causes) {
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

pub(crate) fn deployment(object: &Value, out: &mut Causes) {
    let spec = &object["spec"];
    let counts = [
        "replicas",
        "minReadySeconds",
        "revisionHistoryLimit",
        "progressDeadlineSeconds",
    ];
    not_negative(spec, &counts, "spec", out);
    selected(spec, "deployment", out);
    rolling_update::deployment(&spec["strategy"], out);
    let deadline = &spec["progressDeadlineSeconds"];
    let ready = spec["minReadySeconds"].as_i64().unwrap_or_default();
    if deadline.as_i64().is_some_and(|deadline| deadline <= ready) {
        let detail = "must be greater than minReadySeconds";
        out.push(Cause::invalid(
            "spec.progressDeadlineSeconds",
            deadline,
            detail,
        ));
    }
}

pub(crate) fn replica_set(object: &Value, out: &mut Causes) {
    not_negative(
        &object["spec"],
        &["replicas", "minReadySeconds"],
        "spec",
        out,
    );
    // kube-apiserver's message names Deployments here by mistake.
    selected(&object["spec"], "deployment", out);
}

pub(crate) fn daemon_set(object: &Value, out: &mut Causes) {
    let spec = &object["spec"];
    not_negative(
        spec,
        &["minReadySeconds", "revisionHistoryLimit"],
        "spec",
        out,
    );
    selected(spec, "daemonset", out);
    rolling_update::daemon_set(&ObjectField::spec(object).at("updateStrategy"), out);
}

pub(crate) fn stateful_set(object: &Value, out: &mut Causes) {
    let spec = ObjectField::spec(object);
    let policy = spec.at("podManagementPolicy");
    if !matches!(policy.text(), "OrderedReady" | "Parallel") {
        policy.invalid("must be 'OrderedReady' or 'Parallel'", out);
    }
    rolling_update::stateful_set(&spec.at("updateStrategy"), out);
    let retention = spec.at("persistentVolumeClaimRetentionPolicy");
    for name in ["whenDeleted", "whenScaled"] {
        if retention.is_set() {
            retention.at(name).supported(&["Retain", "Delete"], out);
        }
    }
    let claims = spec.at("volumeClaimTemplates").items();
    for claim in claims.iter().map(|claim| claim.at("spec")) {
        persistent_volume_claim::claim(claim.value, &claim.path, out);
    }
    for count in [
        spec.at("replicas"),
        spec.at("minReadySeconds"),
        spec.at("ordinals").at("start"),
    ] {
        count.not_negative(out);
    }
    spec.at("serviceName").named_if_filled(names::label, out);
    let running = as_run(spec.value);
    selected(&running, "statefulset", out);
    pod_spec::template_metadata(&running["template"], "spec.template", out);
}

/// Returns the spec with the Pod template that is validated. The template has a volume for each
/// claim template, and lacks host name and subdomain, which the StatefulSet controller sets.
fn as_run(spec: &Value) -> Value {
    let mut spec = spec.clone();
    let claims = spec["volumeClaimTemplates"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let Some(Value::Object(pod)) = spec.pointer_mut("/template/spec") else {
        return spec;
    };
    pod.remove("hostname");
    pod.remove("subdomain");
    if claims.is_empty() {
        return spec;
    }
    let names = claims.iter().map(|claim| claim["metadata"]["name"].clone());
    let names: Vec<Value> = names.collect();
    let own = pod
        .get("volumes")
        .and_then(Value::as_array)
        .cloned()
        .unwrap_or_default();
    let own = own
        .into_iter()
        .filter(|volume| !names.contains(&volume["name"]));
    let claimed = names.iter().map(|name| {
        // The controller sets the claim's name. Any name works for validation.
        json!({"name": name, "persistentVolumeClaim": {"claimName": name}})
    });
    pod.insert("volumes".to_owned(), claimed.chain(own).collect());
    spec
}

/// Fields of a StatefulSet's spec that an update may change.
const CHANGEABLE: [&str; 7] = [
    "replicas",
    "ordinals",
    "template",
    "updateStrategy",
    "revisionHistoryLimit",
    "persistentVolumeClaimRetentionPolicy",
    "minReadySeconds",
];

pub(crate) fn stateful_set_updated(new: &Value, old: &Value, out: &mut Causes) {
    let fixed = |object: &Value| {
        let mut spec = object["spec"].clone();
        if let Value::Object(spec) = &mut spec {
            spec.retain(|name, _| !CHANGEABLE.contains(&name.as_str()));
        }
        spec
    };
    if fixed(new) != fixed(old) {
        let detail = "updates to statefulset spec for fields other than 'replicas', 'ordinals', \
             'template', 'updateStrategy', 'revisionHistoryLimit', \
             'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";
        out.push(Cause::forbidden("spec", detail));
    }
}

pub(crate) fn controller_revision(object: &Value, out: &mut Causes) {
    match &object["data"] {
        Value::Object(_) => {}
        Value::Null => out.push(Cause::required("data", "data is mandatory")),
        _ => out.push(Cause::required("data", "data must be a valid JSON object")),
    }
    revision(object, out);
}

/// Validates an update of a ControllerRevision. Its data is immutable.
pub(crate) fn controller_revision_updated(new: &Value, old: &Value, out: &mut Causes) {
    revision(new, out);
    unchanged("data", &new["data"], &old["data"], out);
}

fn revision(object: &Value, out: &mut Causes) {
    if object["revision"]
        .as_i64()
        .is_some_and(|revision| revision < 0)
    {
        out.push(Cause::invalid(
            "revision",
            &object["revision"],
            NOT_NEGATIVE,
        ));
    }
}
