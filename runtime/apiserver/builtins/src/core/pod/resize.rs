//! Validation of the subresource `resize` of Pods (`ValidatePodResize` in
//! pkg/apis/core/validation).

use genclient_apimachinery::field;
use genclient_apimachinery::unstructured::{list_field, str_field};
use serde_json::{Value, json};

use crate::accessors::set_member;
use crate::core::pod::qos;
use crate::core::pod_spec;
use crate::strategy::Strategy;

/// Annotation of Pods that a kubelet runs from a file.
const MIRROR: &str = "kubernetes.io/config.mirror";

const LISTS: [&str; 2] = ["initContainers", "containers"];

/// Strategy of the subresource `resize`.
#[derive(Debug)]
pub(crate) struct ResizeStrategy;

impl Strategy for ResizeStrategy {
    /// Restores everything but the resources of the Pod and its containers, and their resize
    /// policies (`dropNonResizeUpdates` in pkg/registry/core/pod, strategy.go). If a container was
    /// added or removed, the Pod remains as it is: validation rejects it. The caller restores the
    /// metadata.
    fn prepare_for_update(&self, new: &mut Value, old: &Value) {
        let lists = ["containers", "initContainers"];
        let is_resized = lists
            .iter()
            .all(|list| list_length(&new["spec"][*list]) == list_length(&old["spec"][*list]));
        if !is_resized {
            return;
        }
        let spec = new["spec"].take();
        new["spec"] = old["spec"].clone();
        set_member(&mut new["spec"], "resources", spec["resources"].clone());
        for list in lists {
            let merged = with_resources(&spec[list], &old["spec"][list]);
            set_member(&mut new["spec"], list, merged);
        }
        set_member(new, "status", old["status"].clone());
    }

    fn validate_update(&self, new: &Value, old: &Value, out: &mut field::ErrorList) {
        pod_spec::validate_pod(new, out);
        if !old["metadata"]["annotations"][MIRROR].is_null() {
            *out = vec![field::Error::forbidden("", "static pods cannot be resized")];
            return;
        }
        if old["spec"]["os"]["name"] == "windows" {
            *out = vec![field::Error::forbidden(
                "",
                "windows pods cannot be resized",
            )];
            return;
        }
        if qos::compute_qos_class(old) != qos::compute_qos_class(new) {
            let class = &new["status"]["qosClass"];
            let detail = "Pod QOS Class may not change as a result of resizing";
            out.push(field::Error::invalid("spec", class, detail));
        }
        if !is_supported_by_node(old) {
            let detail = "Pod running on node without support for resize";
            out.push(field::Error::forbidden("spec", detail));
        }
        let [new, old] = [new, old].map(|pod| &pod["spec"]);
        let known = out.len();
        validate_same_containers(new, old, out);
        if out.len() > known {
            return;
        }
        for list in LISTS {
            let pairs = list_field(new, list).iter().zip(list_field(old, list));
            for (at, (new, old)) in pairs.enumerate() {
                validate_nothing_removed(new, old, &format!("spec.{list}[{at}].resources"), out);
            }
        }
        for (new, old) in list_field(new, "containers")
            .iter()
            .zip(list_field(old, "containers"))
        {
            if without_cpu_and_memory(new, old) != without_cpu_and_memory(old, old) {
                let detail = "only cpu and memory resources are mutable";
                out.push(field::Error::forbidden("spec", detail));
            }
        }
        let pairs = list_field(new, "initContainers")
            .iter()
            .zip(list_field(old, "initContainers"));
        for (at, (new, old)) in pairs.enumerate() {
            validate_init_container(new, old, &format!("spec.initContainers[{at}]"), out);
        }
    }
}

/// Validates the resize of an init container, which only a sidecar may combine with a restart.
fn validate_init_container(new: &Value, old: &Value, path: &str, out: &mut field::ErrorList) {
    if without_cpu_and_memory(new, old) != without_cpu_and_memory(old, old) {
        let detail = "only cpu and memory resources for init or sidecar containers are mutable";
        out.push(field::Error::forbidden(path, detail));
    }
    let is_sidecar = new["restartPolicy"] == "Always";
    if new != old && !is_sidecar {
        for policy in list_field(new, "resizePolicy") {
            if str_field(policy, "restartPolicy") == "RestartContainer" {
                let detail = "non-sidecar init containers with a resize policy of \
                              RestartContainer cannot be resized";
                out.push(field::Error::forbidden(path, detail));
            }
        }
    }
}

/// Returns whether the node of a running Pod can resize it. Kubelets that can state the resources
/// of running containers.
fn is_supported_by_node(pod: &Value) -> bool {
    let mut statuses = list_field(&pod["status"], "containerStatuses").iter();
    let running = statuses.find(|it| !it["state"]["running"].is_null());
    running.is_none_or(|it| !it["resources"].is_null())
}

/// Checks that no container is added, removed, renamed or moved.
fn validate_same_containers(new: &Value, old: &Value, out: &mut field::ErrorList) {
    for list in ["containers", "initContainers"] {
        let [new, old] = [new, old].map(|spec| list_field(spec, list));
        if new.len() != old.len() {
            let detail = format!("{list} may not be added or removed on resize");
            out.push(field::Error::forbidden(format!("spec.{list}"), &detail));
            continue;
        }
        for (at, (new, old)) in new.iter().zip(old).enumerate() {
            if new["name"] != old["name"] {
                let detail = format!("{list} may not be renamed or reordered on resize");
                out.push(field::Error::forbidden(
                    format!("spec.{list}[{at}].name"),
                    &detail,
                ));
            }
        }
    }
}

fn validate_nothing_removed(new: &Value, old: &Value, path: &str, out: &mut field::ErrorList) {
    for list in ["requests", "limits"] {
        let [new, old] = [new, old].map(|container| &container["resources"][list]);
        let mut names = old.as_object().into_iter().flatten();
        if names.any(|(name, _)| new[name].is_null()) {
            let detail = format!("resource {list} cannot be removed");
            out.push(field::Error::forbidden(format!("{path}.{list}"), &detail));
        }
    }
}

/// Returns a container whose requests and limits of cpu and memory are those of `old`
/// (`dropCPUMemoryResourcesFromContainer`).
fn without_cpu_and_memory(container: &Value, old: &Value) -> Value {
    let resources = ["requests", "limits"].map(|list| {
        let mut amounts = container["resources"][list].clone();
        if amounts.is_null() {
            amounts = json!({});
        }
        for name in ["cpu", "memory"] {
            amounts[name] = old["resources"][list][name].clone();
        }
        amounts
    });
    let mut container = container.clone();
    container["resources"] = json!(resources);
    container
}

/// Returns the containers `old` with the resources and resize policies of `new`. If a container was
/// renamed, returns `new`: validation rejects it.
fn with_resources(new: &Value, old: &Value) -> Value {
    let (Some(found), Some(before)) = (new.as_array(), old.as_array()) else {
        return new.clone();
    };
    let mut pairs = found.iter().zip(before);
    if pairs.any(|(found, before)| found["name"] != before["name"]) {
        return new.clone();
    }
    let mut containers = before.clone();
    for (container, found) in containers.iter_mut().zip(found) {
        for name in ["resources", "resizePolicy"] {
            set_member(container, name, found[name].clone());
        }
    }
    containers.into()
}

fn list_length(list: &Value) -> usize {
    list.as_array().map_or(0, Vec::len)
}
