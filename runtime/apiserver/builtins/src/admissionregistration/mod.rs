//! Kinds of the group `admissionregistration.k8s.io`.

pub(crate) mod match_resources;
pub(crate) mod mutating_admission_policy;
pub(crate) mod mutating_admission_policy_binding;
pub(crate) mod validating_admission_policy;
pub(crate) mod validating_admission_policy_binding;
pub(crate) mod webhook_configuration;

use genclient_apimachinery::unstructured::str_field;
use serde_json::Value;

use crate::warnings::Warnings;

/// Warns about a name with the reserved ending `.static.k8s.io` (`WarningsForStaticSuffix`).
pub(crate) fn warn_static_suffix(object: &Value, out: &mut Warnings) {
    if str_field(&object["metadata"], "name").ends_with(".static.k8s.io") {
        out.push(
            "metadata.name: names ending with \".static.k8s.io\" are reserved for static \
             manifest-based configurations and cannot be managed via the API"
                .to_owned(),
        );
    }
}
