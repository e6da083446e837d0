//! PersistentVolumeClaims (pkg/apis/core/validation), and claim templates.

use genclient_apimachinery::field;
use genclient_apimachinery::resource::Quantity;
use genclient_apimachinery::unstructured::{list_or_empty, str_or_empty};
use genclient_apimachinery::validation;
use serde_json::{Value, json};

use crate::accessors::{change_member, member_mut, set_default, text_or};
use crate::cells::UNSET;
use crate::core::resources;
use crate::field::ObjectField;
use crate::row::Row;
use crate::selectors;
use crate::strategy::{Creation, FinalizerRule, Strategy};
use crate::types::Object;
use crate::warnings::{Warnings, get_annotation};

const MODES: [&str; 4] = [
    "ReadOnlyMany",
    "ReadWriteMany",
    "ReadWriteOnce",
    "ReadWriteOncePod",
];

const ALONE: &str = "ReadWriteOncePod";

const VOLUME_MODES: [&str; 2] = ["Block", "Filesystem"];

const CLASS_ANNOTATION: &str = "volume.beta.kubernetes.io/storage-class";

/// Strategy of PersistentVolumeClaims (pkg/registry/core/persistentvolumeclaim, strategy.go).
#[derive(Debug)]
pub(crate) struct PersistentVolumeClaimStrategy;

impl Strategy for PersistentVolumeClaimStrategy {
    fn finalizer_rule(&self) -> FinalizerRule {
        FinalizerRule::QualifiedTwice
    }

    fn resets_status(&self) -> bool {
        false
    }

    fn prepare_for_create(&self, claim: &mut Value, _creation: &mut Creation<'_>) {
        add_protection_finalizer(claim);
        claim["status"] = json!({"phase": "Pending"});
    }

    fn validate(&self, object: &Value, out: &mut field::ErrorList) {
        validate_spec(&object["spec"], "spec", out);
    }

    /// Validates an update of a claim. The error about an immutable spec lacks the diff that
    /// kube-apiserver appends.
    fn validate_update(&self, new: &Value, old: &Value, out: &mut field::ErrorList) {
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
            out.push(field::Error::forbidden("spec", detail));
        }
        ObjectField::of(&spec["volumeMode"], "volumeMode").unchanged(&before["volumeMode"], out);
        validate_spec(&new["spec"], "spec", out);
    }

    fn warn_on_create(&self, claim: &Value, out: &mut Warnings) {
        if get_annotation(claim, CLASS_ANNOTATION).is_some() {
            out.push(format!(
                "metadata.annotations[{CLASS_ANNOTATION}]: deprecated since v1.8; use \
                 \"storageClassName\" attribute instead"
            ));
        }
        warn_spec(&claim["spec"], "spec", out);
    }

    fn cells(&self, row: Row<'_>) -> Option<Vec<Value>> {
        Some(claim_cells(row))
    }
}

/// Adds a finalizer, as the admission plug-in StorageObjectInUseProtection does.
fn add_protection_finalizer(claim: &mut Value) {
    let finalizer = "kubernetes.io/pvc-protection";
    let finalizers = &mut member_mut(claim, "metadata")["finalizers"];
    match finalizers {
        Value::Array(finalizers) if finalizers.iter().any(|one| one == finalizer) => {}
        Value::Array(finalizers) => finalizers.push(finalizer.into()),
        _ => *finalizers = json!([finalizer]),
    }
}

/// Sets the defaults of a claim.
pub(crate) fn set_defaults(members: &mut Object) {
    change_member(members, "status", |status| {
        set_default(status, "phase", "Pending");
    });
}

/// Sets the defaults of the spec of a claim or a claim template.
pub(crate) fn set_spec_defaults(spec: &mut Object) {
    set_default(spec, "volumeMode", "Filesystem");
}

/// Validates the access modes. `ReadWriteOncePod` excludes all others.
fn validate_access_modes(spec: &ObjectField<'_>, out: &mut field::ErrorList) {
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
fn validate_storage_class(spec: &ObjectField<'_>, out: &mut field::ErrorList) {
    spec.at("storageClassName")
        .named_if_filled(validation::subdomain, out);
    spec.at("volumeMode").supported_if_set(&VOLUME_MODES, out);
}

/// Returns whether an amount is positive. An amount that cannot be parsed counts as positive.
fn is_positive(amount: &Value) -> bool {
    let quantity = amount.as_str().and_then(|text| Quantity::parse(text).ok());
    quantity.is_none_or(|quantity| quantity.sign().is_gt())
}

/// Validates the spec of a claim (`ValidatePersistentVolumeClaimSpec`).
pub(crate) fn validate_spec(spec: &Value, path: &str, out: &mut field::ErrorList) {
    let spec = ObjectField::of(spec, path);
    if spec.at("accessModes").has_none() {
        spec.at("accessModes")
            .required("at least 1 access mode is required", out);
    }
    let selector = spec.at("selector");
    selectors::validate_selector(selector.value, &selector.path, out);
    validate_access_modes(&spec, out);
    let amount = &spec.value["resources"]["requests"]["storage"];
    let amount = ObjectField::of(amount, format!("{path}.resources[storage]"));
    if !amount.is_set() {
        amount.required("", out);
    } else if !is_positive(amount.value) {
        amount.invalid("must be greater than zero", out);
    }
    validate_storage_class(&spec, out);
    spec.at("volumeAttributesClassName")
        .named_if_filled(validation::subdomain, out);
}

/// Warns about fractional bytes in the requests and limits of a claim.
pub(crate) fn warn_spec(spec: &Value, path: &str, out: &mut Warnings) {
    for list in ["requests", "limits"] {
        let path = format!("{path}.resources.{list}");
        resources::warn_fractional_bytes(&spec["resources"][list], "storage", &path, out);
    }
}

/// Returns the cells of a claim. A claim without a volume has no capacity
/// (`printPersistentVolumeClaim`).
fn claim_cells(row: Row<'_>) -> Vec<Value> {
    let (spec, status) = (row.spec(), row.status());
    let volume = str_or_empty(&spec["volumeName"]);
    let (capacity, modes) = match volume {
        "" => (json!(""), json!("")),
        _ => (
            storage_cell(&status["capacity"]),
            access_modes_cell(&status["accessModes"]),
        ),
    };
    vec![
        row.name(),
        phase_cell(row),
        json!(volume),
        capacity,
        modes,
        storage_class_cell(row),
        text_or_unset(&spec["volumeAttributesClassName"]),
        row.age(),
        text_or_unset(&spec["volumeMode"]),
    ]
}

pub(crate) fn phase_cell(row: Row<'_>) -> Value {
    if row.is_deleting() {
        json!("Terminating")
    } else {
        json!(str_or_empty(&row.status()["phase"]))
    }
}

pub(crate) fn text_or_unset(value: &Value) -> Value {
    json!(value.as_str().unwrap_or(UNSET))
}

/// Returns the storage class of a volume or a claim.
pub(crate) fn storage_class_cell(row: Row<'_>) -> Value {
    let annotation = row.annotation("volume.beta.kubernetes.io/storage-class");
    json!(annotation.unwrap_or_else(|| str_or_empty(&row.spec()["storageClassName"])))
}

/// Returns the amount of the resource `storage`, or `0` if it is absent.
pub(crate) fn storage_cell(amounts: &Value) -> Value {
    json!(text_or(&amounts["storage"], "0"))
}

/// Formats access modes by their short names, such as `RWO,ROX` (`GetAccessModesAsString`).
pub(crate) fn access_modes_cell(modes: &Value) -> Value {
    let known = [
        ("ReadWriteOnce", "RWO"),
        ("ReadOnlyMany", "ROX"),
        ("ReadWriteMany", "RWX"),
        ("ReadWriteOncePod", "RWOP"),
    ];
    let has = |mode: &str| list_or_empty(modes).iter().any(|it| it == mode);
    let shown = known
        .iter()
        .filter(|(mode, _)| has(mode))
        .map(|(_, short)| *short);
    json!(shown.collect::<Vec<_>>().join(","))
}
