//! Rules of PersistentVolumeClaims, some shared with PersistentVolumes (pkg/apis/core/validation).

use serde_json::Value;

use super::field::ObjectField;
use super::findings::Causes;
use super::{names, selectors};
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
pub(super) fn modes(spec: &ObjectField<'_>, out: &mut Causes) {
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

/// Validates the storage class and the volume mode, which volumes and claims both have.
pub(super) fn class(spec: &ObjectField<'_>, out: &mut Causes) {
    spec.at("storageClassName")
        .named_if_filled(names::subdomain, out);
    spec.at("volumeMode").supported_if_set(&VOLUME_MODES, out);
}

/// Returns whether an amount is positive. An amount that cannot be parsed counts as positive.
pub(super) fn is_positive(amount: &Value) -> bool {
    let quantity = amount.as_str().and_then(|text| Quantity::parse(text).ok());
    quantity.is_none_or(|quantity| quantity.sign().is_gt())
}

/// Validates the spec of a claim (`ValidatePersistentVolumeClaimSpec`).
pub(super) fn claim(spec: &Value, path: &str, out: &mut Causes) {
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
