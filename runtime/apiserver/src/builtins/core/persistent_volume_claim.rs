//! Validation of PersistentVolumeClaims (pkg/apis/core/validation).

use genclient_schema::Cause;
use serde_json::Value;

use crate::builtins::field::ObjectField;
use crate::builtins::findings::Causes;
use crate::builtins::{names, selectors};
use crate::types::Quantity;

const MODES: [&str; 4] = [
    "ReadOnlyMany",
    "ReadWriteMany",
    "ReadWriteOnce",
    "ReadWriteOncePod",
];

const ALONE: &str = "ReadWriteOncePod";

const VOLUME_MODES: [&str; 2] = ["Block", "Filesystem"];

/// Validates the access modes. `ReadWriteOncePod` excludes all others.
fn modes(spec: &ObjectField<'_>, out: &mut Causes) {
    let modes = spec.at("accessModes");
    let found = modes.items();
    for mode in &found {
        ObjectField::of(mode.value, &*modes.path).supported(&MODES, out);
    }
    let is_other = |mode: &ObjectField<'_>| mode.text() != ALONE && MODES.contains(&mode.text());
    if found.iter().any(|mode| mode.text() == ALONE) && found.iter().any(is_other) {
        modes.forbidden("may not use ReadWriteOncePod with other access modes", out);
    }
}

/// Validates the storage class and the volume mode.
fn class(spec: &ObjectField<'_>, out: &mut Causes) {
    spec.at("storageClassName")
        .named_if_filled(names::subdomain, out);
    spec.at("volumeMode").supported_if_set(&VOLUME_MODES, out);
}

/// Returns whether an amount is positive. An amount that cannot be parsed counts as positive.
fn is_positive(amount: &Value) -> bool {
    let quantity = amount.as_str().and_then(|text| Quantity::parse(text).ok());
    quantity.is_none_or(|quantity| quantity.sign().is_gt())
}

/// Validates the spec of a claim (`ValidatePersistentVolumeClaimSpec`).
pub(crate) fn claim(spec: &Value, path: &str, out: &mut Causes) {
    let spec = ObjectField::of(spec, path);
    if spec.at("accessModes").has_none() {
        spec.at("accessModes")
            .required("at least 1 access mode is required", out);
    }
    let selector = spec.at("selector");
    selectors::selector(selector.value, &selector.path, out);
    modes(&spec, out);
    let amount = &spec.value["resources"]["requests"]["storage"];
    let amount = ObjectField::of(amount, format!("{path}.resources[storage]"));
    if !amount.is_set() {
        amount.required("", out);
    } else if !is_positive(amount.value) {
        amount.invalid("must be greater than zero", out);
    }
    class(&spec, out);
    spec.at("volumeAttributesClassName")
        .named_if_filled(names::subdomain, out);
}

/// Validates an update of a claim. The error about an immutable spec lacks the diff that
/// kube-apiserver appends.
pub(crate) fn claim_updated(new: &Value, old: &Value, out: &mut Causes) {
    let bound = new["status"]["phase"] == "Bound";
    let [spec, before] = [new, old].map(|object| &object["spec"]);
    // A claim without a storage class may get one later.
    let unclassed = before.get("storageClassName").is_none();
    let fixed = |object: &Value| {
        let mut spec = object["spec"].clone();
        let unnamed = before.get("volumeName").is_none();
        if let Value::Object(spec) = &mut spec {
            if unnamed {
                spec.remove("volumeName");
            }
            if unclassed {
                spec.remove("storageClassName");
            }
            if bound {
                spec.remove("resources");
                spec.remove("volumeAttributesClassName");
            }
        }
        spec
    };
    if fixed(new) != fixed(old) {
        let detail = "spec is immutable after creation except resources.requests and \
             volumeAttributesClassName for bound claims";
        out.push(Cause::forbidden("spec", detail));
    }
    ObjectField::of(&spec["volumeMode"], "volumeMode").unchanged(&before["volumeMode"], out);
}
