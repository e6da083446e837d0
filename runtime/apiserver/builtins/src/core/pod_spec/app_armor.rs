//! AppArmor profiles of containers, and the deprecated annotations for them.

use genclient_apimachinery::unstructured::str_field;
use serde_json::{Value, json};

use crate::warnings::Warnings;

pub(crate) const ANNOTATION: &str = "container.apparmor.security.beta.kubernetes.io/";

/// Converts the value of an AppArmor annotation to a profile (`ApparmorFieldForAnnotation`).
pub(crate) fn parse_profile_annotation(annotation: &str) -> Option<Value> {
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
pub(crate) fn adopt_annotations(pod: &mut Value, out: &mut Warnings) {
    let of_pod = pod["spec"]["securityContext"]["appArmorProfile"].clone();
    let annotations = pod["metadata"]["annotations"].clone();
    for list in ["initContainers", "containers", "ephemeralContainers"] {
        let containers = pod
            .pointer_mut(&format!("/spec/{list}"))
            .and_then(Value::as_array_mut);
        for container in containers.into_iter().flatten() {
            let key = format!("{ANNOTATION}{}", str_field(container, "name"));
            let is_set = !container["securityContext"]["appArmorProfile"].is_null();
            let Some(written) = annotations[&*key].as_str().filter(|_| !is_set) else {
                continue;
            };
            let profile = parse_profile_annotation(written).filter(is_valid_profile);
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
fn is_valid_profile(profile: &Value) -> bool {
    match profile["localhostProfile"].as_str() {
        Some(name) => name.trim() == name && name.len() <= 4095,
        None => true,
    }
}
