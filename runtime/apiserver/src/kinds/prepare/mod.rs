//! Preparation of written objects of built-in kinds: before validation, the server sets, resets or
//! restores certain fields.
//!
//! Source: `PrepareForCreate` and `PrepareForUpdate` of pkg/registry in Kubernetes' sources.

use genclient_schema::definition::crd;
use serde_json::{Value, json};

use crate::builtins::autoscaling::conversion;
use crate::builtins::core::pod;
use crate::builtins::flags::StatusKeeps;
use crate::builtins::kind::BuiltinKind;
use crate::builtins::strategy::Creation;
use crate::kinds::defaults::set_defaults;
use crate::types::{Object, decode, encode_base64};

/// Metadata that a write of a status or of a similar subresource cannot change
/// (`ResetObjectMetaForStatus`).
const OWN_METADATA: &[&str] = &["labels", "annotations", "finalizers", "ownerReferences"];

/// Changes a decoded object as the conversion to Kubernetes' internal type does.
pub fn convert(kind: &BuiltinKind, object: &mut Value) {
    kind.strategy.convert(object);
    if kind.group.is_empty() && kind.kind == "Secret" {
        merge_string_data(object);
    }
    // `Convert_v1_Pod_To_core_Pod` changes a negative grace period to 1, but not in Pod templates.
    let is_pod = kind.group.is_empty() && kind.kind == "Pod";
    let grace = object["spec"]["terminationGracePeriodSeconds"].as_i64();
    if is_pod && grace.is_some_and(|seconds| seconds < 0) {
        object["spec"]["terminationGracePeriodSeconds"] = 1.into();
    }
    if kind.group.is_empty() && kind.kind == "Node" {
        list_ranges(object);
    }
    if kind.version == "v1" && kind.kind == "HorizontalPodAutoscaler" {
        // Like v2, the internal type has no implicit target, and no annotations in its place.
        *object = conversion::to_v1(conversion::to_v2(object.take()));
    }
    if kind.is_definition() {
        crd::complete(object);
    }
}

/// Makes `podCIDR` the only item of `podCIDRs`, unless it is the first item already
/// (`Convert_v1_NodeSpec_To_core_NodeSpec`).
fn list_ranges(node: &mut Value) {
    let range = node["spec"].get("podCIDR").cloned();
    if let Some(range) = range.filter(|range| *range != node["spec"]["podCIDRs"][0]) {
        node["spec"]["podCIDRs"] = json!([range]);
    }
}

/// Prepares a new object. Resets the status of any object but a Node, sets the fields whose values
/// the server decides, and removes fields of disabled features.
pub fn prepare_create(kind: &BuiltinKind, object: &mut Value, creation: &mut Creation<'_>) {
    match (kind.group, kind.kind) {
        _ if kind.has_strategy() => {
            if kind.subresource("status").is_some() && kind.strategy.resets_status() {
                wipe_status(kind, object);
            }
            kind.strategy.prepare_for_create(object, creation);
        }
        ("apiextensions.k8s.io", "CustomResourceDefinition") => crd::prepare_create(object),
        ("", "Namespace") => {
            add_finalizer(object);
            object["status"] = json!({"phase": "Active"});
        }
        ("", "Pod") => pod::set_status(object, creation.now),
        ("", "PersistentVolumeClaim") => {
            protect(object, "kubernetes.io/pvc-protection");
            object["status"] = json!({"phase": "Pending"});
        }
        // The status of a new Node is kept: a kubelet registers its Node with a status.
        ("", "Node") => {
            drop_config_source(object);
            taint(object);
        }
        ("batch", "Job") => {
            wipe_status(kind, object);
            job_selector(object, creation.uid);
        }
        ("apps", "DaemonSet") => {
            wipe_status(kind, object);
            set_template_generation(object, 1);
        }
        ("apps", "StatefulSet") => {
            wipe_status(kind, object);
            drop_unavailable(object);
        }
        ("coordination.k8s.io", "Lease") => drop_gated(object),
        ("rbac.authorization.k8s.io", _) => drop_empty_rules(object),
        _ if kind.subresource("status").is_some() => wipe_status(kind, object),
        _ => {}
    }
    // Sets the defaults again, as Kubernetes does when it reads an object from storage.
    if let Some(type_) = kind.type_ {
        set_defaults(object, type_);
    }
}

/// Prepares an update of an object, not of a subresource. Restores the status and the fields that
/// the server set at creation, removes fields of disabled features, and counts changes of a
/// DaemonSet's template. Validation reports changes of other immutable fields.
pub fn prepare_update(kind: &BuiltinKind, new: &mut Value, old: &Value) {
    if kind.is_definition() {
        return crd::prepare_update(new, old);
    }
    if kind.subresource("status").is_some()
        && let Some(status) = old.get("status")
    {
        new["status"] = status.clone();
    }
    match (kind.group, kind.kind) {
        _ if kind.has_strategy() => kind.strategy.prepare_for_update(new, old),
        ("", "Namespace") => match old.pointer("/spec/finalizers") {
            Some(finalizers) => new["spec"]["finalizers"] = finalizers.clone(),
            None => new["spec"] = json!({}),
        },
        ("", "Node") if old["spec"]["configSource"].is_null() => drop_config_source(new),
        ("apps", "DaemonSet") => {
            let generation = template_generation(old);
            let changed = new["spec"]["template"] != old["spec"]["template"];
            set_template_generation(new, generation + i64::from(changed));
        }
        ("apps", "StatefulSet") => drop_unavailable(new),
        ("coordination.k8s.io", "Lease") => drop_gated(new),
        ("rbac.authorization.k8s.io", _) => drop_empty_rules(new),
        _ => {}
    }
}

/// Restores the fields that an update of the status does not change: all members except `status`
/// and `metadata`, and the metadata that `StatusKeeps` names. A Pod keeps its `qosClass` if the
/// update omits it. `new` must have been decoded and have its defaults.
pub fn prepare_status_update(kind: &BuiltinKind, new: &mut Value, old: &Value) {
    let Value::Object(members) = old else {
        return;
    };
    for (name, member) in members {
        if !matches!(name.as_str(), "status" | "metadata") {
            new[name] = member.clone();
        }
    }
    if let Value::Object(written) = new {
        written.retain(|name, _| name == "status" || members.contains_key(name));
    }
    kind.strategy.prepare_for_status_update(new, old);
    let is_pod = kind.group.is_empty() && kind.kind == "Pod";
    if is_pod && new["status"]["qosClass"].is_null() && !old["status"]["qosClass"].is_null() {
        new["status"]["qosClass"] = old["status"]["qosClass"].clone();
    }
    keep_metadata(
        new,
        old,
        match kind.flags.status_keeps {
            StatusKeeps::Nothing => &[],
            StatusKeeps::Labels => &["labels"],
            StatusKeeps::Owners => &["ownerReferences"],
            StatusKeeps::Metadata => OWN_METADATA,
        },
    );
}

/// Restores the fields that an update of a subresource does not change. The subresource has the
/// kind of its resource and is not `status`.
pub fn prepare_subresource_update(
    kind: &BuiltinKind,
    subresource: &str,
    new: &mut Value,
    old: &Value,
) {
    match subresource {
        _ if kind.strategy.subresource(subresource).is_some() => {
            if let Some(strategy) = kind.strategy.subresource(subresource) {
                strategy.prepare_for_update(new, old);
            }
        }
        "ephemeralcontainers" => pod::keep_but_ephemeral_containers(new, old),
        "resize" => pod::keep_but_resources(new, old),
        _ => return,
    }
    keep_metadata(new, old, OWN_METADATA);
}

fn keep_metadata(new: &mut Value, old: &Value, names: &[&str]) {
    for &name in names {
        match old["metadata"].get(name) {
            Some(kept) => new["metadata"][name] = kept.clone(),
            None => {
                if let Some(Value::Object(metadata)) = new.get_mut("metadata") {
                    metadata.remove(name);
                }
            }
        }
    }
}

/// Sets the status to the zero value of its Go type.
fn wipe_status(kind: &BuiltinKind, object: &mut Value) {
    if let Value::Object(members) = object {
        members.remove("status");
    }
    let empty = kind.type_.and_then(|type_| decode(&json!({}), type_).ok());
    if let Some(status) = empty.and_then(|empty| empty.value.get("status").cloned()) {
        object["status"] = status;
    }
}

/// Moves the entries of a Secret's `stringData` to `data`, where they replace entries with the same
/// key. `stringData` itself is never stored.
fn merge_string_data(secret: &mut Value) {
    let Value::Object(members) = secret else {
        return;
    };
    let Some(Value::Object(texts)) = members.remove("stringData") else {
        return;
    };
    let data = members.entry("data").or_insert_with(|| json!({}));
    for (key, text) in texts {
        if let Some(text) = text.as_str() {
            data[key] = encode_base64(text.as_bytes()).into();
        }
    }
}

/// Adds the finalizer `kubernetes` of the namespace controller to the spec of a new namespace.
fn add_finalizer(namespace: &mut Value) {
    let kubernetes = Value::from("kubernetes");
    match namespace.pointer_mut("/spec/finalizers") {
        Some(Value::Array(finalizers)) if finalizers.contains(&kubernetes) => {}
        Some(Value::Array(finalizers)) => finalizers.push(kubernetes),
        _ => namespace["spec"] = json!({"finalizers": [kubernetes]}),
    }
}

const TEMPLATE_GENERATION: &str = "deprecated.daemonset.template.generation";

/// Sets the annotation that counts the changes of a DaemonSet's template.
fn set_template_generation(object: &mut Value, generation: i64) {
    let annotations = member(member(object, "metadata"), "annotations");
    annotations[TEMPLATE_GENERATION] = generation.to_string().into();
}

fn template_generation(object: &Value) -> i64 {
    let found = object["metadata"]["annotations"][TEMPLATE_GENERATION].as_str();
    found.and_then(|text| text.parse().ok()).unwrap_or_default()
}

/// Replaces an empty list of rules by null. kube-apiserver stores protobuf, where both are equal.
fn drop_empty_rules(role: &mut Value) {
    if role.get("rules") == Some(&json!([])) {
        role["rules"] = Value::Null;
    }
}

/// Removes the fields of the feature gate CoordinatedLeaderElection, which is off.
fn drop_gated(lease: &mut Value) {
    if let Some(Value::Object(spec)) = lease.get_mut("spec") {
        spec.remove("strategy");
        spec.remove("preferredHolder");
    }
}

/// Removes the field of dynamic kubelet configuration, a feature that Kubernetes has removed.
fn drop_config_source(node: &mut Value) {
    if let Some(Value::Object(spec)) = node.get_mut("spec") {
        spec.remove("configSource");
    }
}

/// Adds a finalizer, as the admission plug-in StorageObjectInUseProtection does.
fn protect(object: &mut Value, finalizer: &str) {
    let finalizers = &mut member(object, "metadata")["finalizers"];
    match finalizers {
        Value::Array(finalizers) if finalizers.iter().any(|one| one == finalizer) => {}
        Value::Array(finalizers) => finalizers.push(finalizer.into()),
        _ => *finalizers = json!([finalizer]),
    }
}

/// Adds the taint `not-ready`, as the admission plug-in TaintNodesByCondition does.
fn taint(node: &mut Value) {
    let taint = json!({"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"});
    let taints = &mut member(node, "spec")["taints"];
    match taints {
        Value::Array(taints) if taints.contains(&taint) => {}
        Value::Array(taints) => taints.push(taint),
        _ => *taints = json!([taint]),
    }
}

/// Generates the selector of a Job, and adds labels with the Job's name and uid to the template. A
/// Job with `manualSelector: true` is not changed.
fn job_selector(job: &mut Value, uid: &str) {
    if job.pointer("/spec/manualSelector") == Some(&Value::Bool(true)) {
        return;
    }
    let name = job["metadata"]["name"].clone();
    let labels = member(
        member(member(&mut job["spec"], "template"), "metadata"),
        "labels",
    );
    for (key, value) in [
        ("job-name", name.clone()),
        ("batch.kubernetes.io/job-name", name),
        ("controller-uid", uid.into()),
        ("batch.kubernetes.io/controller-uid", uid.into()),
    ] {
        if labels.get(key).is_none() {
            labels[key] = value;
        }
    }
    let selector = member(member(&mut job["spec"], "selector"), "matchLabels");
    let key = "batch.kubernetes.io/controller-uid";
    if selector.get(key).is_none() {
        selector[key] = uid.into();
    }
}

/// Returns a member. A null or absent member becomes an empty object first.
fn member<'a>(value: &'a mut Value, name: &str) -> &'a mut Value {
    let place = &mut value[name];
    if place.is_null() {
        *place = Value::Object(Object::new());
    }
    place
}

/// Removes the field of the feature gate MaxUnavailableStatefulSet, which is off.
fn drop_unavailable(object: &mut Value) {
    let update = object.pointer_mut("/spec/updateStrategy/rollingUpdate");
    if let Some(Value::Object(update)) = update {
        update.remove("maxUnavailable");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builtins::kind;

    #[test]
    fn status_update_keeps_the_old_spec_and_labels() {
        let deployments = kind::find("apps", "v1", "deployments").unwrap();
        let labels = |value: &str| json!({"labels": {"a": value}, "annotations": {"b": value}});
        let old = json!({"metadata": labels("old"), "spec": {"replicas": 1}, "status": {}});
        let written = json!({"replicas": 1});
        let mut new = json!({
            "metadata": labels("new"), "spec": {"replicas": 5}, "status": written, "x": 1,
        });
        prepare_status_update(deployments, &mut new, &old);
        let expected = json!({
            "metadata": {"labels": {"a": "old"}, "annotations": {"b": "new"}},
            "spec": {"replicas": 1},
            "status": written,
        });
        assert_eq!(new, expected);
    }
}
