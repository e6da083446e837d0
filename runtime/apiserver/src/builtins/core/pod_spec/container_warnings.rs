//! Warnings about containers: deprecated annotations, fractional bytes, and duplicate environment
//! variables.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::builtins::warnings::{Warnings, annotation, items, text};
use crate::types::{Quantity, quoted};

const SECCOMP: &str = "container.seccomp.security.alpha.kubernetes.io/";
const APP_ARMOR: &str = "container.apparmor.security.beta.kubernetes.io/";

/// Returns the containers of all types in a Pod spec, with their paths
/// (`pods.VisitContainersWithPath`).
pub(crate) fn all<'a>(spec: &'a Value, path: &str) -> Vec<(String, &'a Value)> {
    let lists = ["initContainers", "containers", "ephemeralContainers"];
    let of_list = |list| {
        let containers = items(spec, list).iter().enumerate();
        containers.map(move |(index, container)| (format!("{path}.{list}[{index}]"), container))
    };
    lists.into_iter().flat_map(of_list).collect()
}

/// Warns about a container. `owner` is its Pod or Pod template. `template` is the path of the Pod
/// template, or empty for a Pod.
pub(crate) fn container(
    (path, container): &(String, &Value),
    owner: &Value,
    template: &str,
    out: &mut Warnings,
) {
    let name = text(container, "name");
    let context = &container["securityContext"];
    let annotations = crate::builtins::warnings::child(template, "metadata.annotations");
    let key = format!("{SECCOMP}{name}");
    if context["seccompProfile"].is_null() && annotation(owner, &key).is_some() {
        out.push(format!(
            "{annotations}[{key}]: non-functional in v1.27+; use the \"seccompProfile\" field \
             instead"
        ));
    }
    // Only templates get this warning here. Pods get it from `adopt_app_armor`.
    let key = format!("{APP_ARMOR}{name}");
    let is_set = !template.is_empty() && context["appArmorProfile"].is_null();
    if let Some(written) = annotation(owner, &key).filter(|_| is_set) {
        let of_pod = &owner["spec"]["securityContext"]["appArmorProfile"];
        if of_pod.is_null() || app_armor_profile(written).as_ref() != Some(of_pod) {
            out.push(format!(
                "{annotations}[{key}]: deprecated since v1.30; use the \"appArmorProfile\" field \
                 instead"
            ));
        }
    }
    for resource in ["memory", "ephemeral-storage"] {
        for list in ["limits", "requests"] {
            let amounts = &container["resources"][list];
            fractional_bytes(amounts, resource, &format!("{path}.resources.{list}"), out);
        }
    }
    environment(container, path, out);
}

/// Warns if an amount of bytes is not an integer.
pub(crate) fn fractional_bytes(amounts: &Value, resource: &str, path: &str, out: &mut Warnings) {
    let amount = text(amounts, resource);
    if Quantity::parse(amount).is_ok_and(|quantity| !quantity.is_whole()) {
        let amount = quoted(amount);
        out.push(format!(
            "{path}[{resource}]: fractional byte value {amount} is invalid, must be an integer"
        ));
    }
}

fn environment(container: &Value, path: &str, out: &mut Warnings) {
    let mut known = BTreeSet::new();
    for (index, variable) in items(container, "env").iter().enumerate() {
        let (name, value) = (text(variable, "name"), text(variable, "value"));
        if known.insert(name) {
            continue;
        }
        // `X=$(X)123` extends the earlier definition of `X`, and does not hide it.
        let reference = format!("$({name})");
        let extends = value != reference && value.contains(&reference);
        if !variable["valueFrom"].is_null() || !extends {
            let name = quoted(name);
            out.push(format!(
                "{path}.env[{index}]: hides previous definition of {name}, which may be dropped \
                 when using apply"
            ));
        }
    }
}

/// Converts the value of an AppArmor annotation to a profile (`ApparmorFieldForAnnotation`).
fn app_armor_profile(annotation: &str) -> Option<Value> {
    match annotation {
        "unconfined" => Some(json!({ "type": "Unconfined" })),
        "runtime/default" => Some(json!({ "type": "RuntimeDefault" })),
        other => {
            let profile = other
                .strip_prefix("localhost/")
                .filter(|name| !name.is_empty())?;
            Some(json!({ "type": "Localhost", "localhostProfile": profile }))
        }
    }
}

/// Copies AppArmor annotations of a new Pod to fields of its containers, and warns about them
/// (`applyAppArmorVersionSkew`). An annotation is skipped without a warning if its container has a
/// profile field, or if the Pod has the same profile. An invalid annotation is not copied.
pub(crate) fn adopt_app_armor(pod: &mut Value, out: &mut Warnings) {
    let of_pod = pod["spec"]["securityContext"]["appArmorProfile"].clone();
    let annotations = pod["metadata"]["annotations"].clone();
    for list in ["initContainers", "containers", "ephemeralContainers"] {
        let containers = pod.pointer_mut(&format!("/spec/{list}"));
        let containers = containers.and_then(Value::as_array_mut);
        for container in containers.into_iter().flatten() {
            let key = format!("{APP_ARMOR}{}", text(container, "name"));
            let is_set = !container["securityContext"]["appArmorProfile"].is_null();
            let Some(written) = annotations[&*key].as_str().filter(|_| !is_set) else {
                continue;
            };
            let profile = app_armor_profile(written).filter(is_valid);
            if profile.as_ref() == Some(&of_pod) {
                continue;
            }
            if let Some(profile) = profile {
                container["securityContext"]["appArmorProfile"] = profile;
            }
            out.push(format!(
                "metadata.annotations[{key}]: deprecated since v1.30; use the \"appArmorProfile\" \
                 field instead"
            ));
        }
    }
}

/// Returns whether validation would accept the profile.
fn is_valid(profile: &Value) -> bool {
    match profile["localhostProfile"].as_str() {
        Some(name) => name.trim() == name && name.len() <= 4095,
        None => true,
    }
}
