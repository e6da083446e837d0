//! Validation of PersistentVolumes, StorageClasses, CSIDrivers and updates of
//! PersistentVolumeClaims (pkg/apis/core/validation, pkg/apis/storage/validation).

use genclient_schema::Cause;
use serde_json::Value;

use super::claims::{class, is_positive, modes};
use super::field::ObjectField;
use super::findings::Causes;
use super::{affinity, names, volumes};
use crate::types::{GoType, Quantity};

/// Validates an update of a claim. The error about an immutable spec lacks the diff that
/// kube-apiserver appends.
pub(super) fn claim_updated(new: &Value, old: &Value, out: &mut Causes) {
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

/// Returns the field names of all volume sources in the spec of a PersistentVolume.
fn sources() -> impl Iterator<Item = &'static str> {
    let fields = GoType::named("core/v1.PersistentVolumeSpec").map(|type_| type_.fields());
    let fields = fields.into_iter().flatten();
    let sources = fields.filter(|field| field.embedded == "PersistentVolumeSource");
    sources.map(|field| field.name)
}

/// Validates the spec of a PersistentVolume (`ValidatePersistentVolumeSpec`).
pub(super) fn volume(object: &Value, out: &mut Causes) {
    let spec = ObjectField::spec(object);
    if spec.at("accessModes").has_none() {
        spec.at("accessModes").required("", out);
    }
    modes(&spec, out);
    capacity(&spec.at("capacity"), out);
    let policy = spec.at("persistentVolumeReclaimPolicy");
    policy.supported_if_set(&["Delete", "Recycle", "Retain"], out);
    let nodes = spec.at("nodeAffinity");
    if nodes.is_set() {
        match nodes.at("required").is_set() {
            true => affinity::node_selector(&nodes.at("required"), out),
            false => {
                nodes
                    .at("required")
                    .required("must specify required node constraints", out);
            }
        }
    }
    volume_source(&spec, out);
    if spec.at("hostPath").at("path").text() == "/" && policy.text() == "Recycle" {
        policy.forbidden("may not be 'recycle' for a hostPath mount of '/'", out);
    }
    class(&spec, out);
}

fn capacity(capacity: &ObjectField<'_>, out: &mut Causes) {
    if capacity.has_none() {
        capacity.required("", out);
    }
    let entries = capacity.entries();
    if entries.len() != 1 || entries[0].0 != "storage" {
        out.push(Cause::not_supported(
            &capacity.path,
            capacity.value,
            &["storage"],
        ));
    }
    for (_, amount) in entries {
        let quantity = Quantity::parse(amount.text()).ok();
        if let Some(quantity) = quantity.filter(|quantity| quantity.sign().is_lt()) {
            let mut cause = Cause::invalid(&amount.path, amount.value, "");
            let whole = quantity.as_f64();
            cause.message = format!("Invalid value: {whole:.0}: must be a valid resource quantity");
            out.push(cause);
        }
        if !is_positive(amount.value) {
            amount.invalid("must be greater than zero", out);
        }
    }
}

fn volume_source(spec: &ObjectField<'_>, out: &mut Causes) {
    let mut found = sources()
        .map(|kind| (kind, spec.at(kind)))
        .filter(|(_, it)| it.is_set());
    let Some((kind, source)) = found.next() else {
        return spec.required("must specify a volume type", out);
    };
    match kind {
        "hostPath" => volumes::host_path(&source, out),
        "nfs" => volumes::nfs(&source, out),
        "csi" => {
            volumes::driver(&source.at("driver"), out);
            volumes::required(&source, &["volumeHandle"], out);
        }
        "local" => {
            let path = source.at("path");
            match path.is_filled() {
                true => volumes::no_backsteps(&path, out),
                false => path.required("", out),
            }
            if !spec.at("nodeAffinity").is_set() {
                spec.at("nodeAffinity")
                    .required("Local volume requires node affinity", out);
            }
        }
        _ => {}
    }
    for (_, extra) in found {
        extra.forbidden("may not specify more than 1 volume type", out);
    }
}

/// Validates an update of a PersistentVolume (`ValidatePersistentVolumeUpdate`). The error about an
/// immutable source lacks the diff that kube-apiserver appends.
pub(super) fn volume_updated(new: &Value, old: &Value, out: &mut Causes) {
    volume(new, out);
    let [spec, old] = [new, old].map(|object| &object["spec"]);
    if sources().any(|kind| spec[kind] != old[kind]) {
        let detail = "spec.persistentvolumesource is immutable after creation";
        out.push(Cause::forbidden("spec.persistentvolumesource", detail));
    }
    ObjectField::of(&spec["volumeMode"], "volumeMode").unchanged(&old["volumeMode"], out);
}

/// Validates a new StorageClass (`ValidateStorageClass`).
pub(super) fn storage_class(object: &Value, out: &mut Causes) {
    let field = |name: &str| ObjectField::of(&object[name], name);
    let provisioner = field("provisioner");
    match provisioner.is_filled() {
        true => {
            let lower = provisioner.text().to_lowercase();
            names::report(
                "provisioner",
                provisioner.text(),
                names::qualified(&lower),
                out,
            );
        }
        false => provisioner.required("", out),
    }
    for (key, _) in field("parameters").entries() {
        if key.is_empty() {
            ObjectField::of(&key.into(), "parameters").invalid("field can not be empty.", out);
        }
    }
    field("reclaimPolicy").supported(&["Delete", "Retain"], out);
    let modes = ["Immediate", "WaitForFirstConsumer"];
    field("volumeBindingMode").required_one_of(&modes, "", out);
    topologies(&field("allowedTopologies"), out);
}

/// Validates allowed topologies. Keys must be unique in a term, and values unique under a key.
fn topologies(terms: &ObjectField<'_>, out: &mut Causes) {
    let terms = terms.items();
    for term in &terms {
        let requirements = term.at("matchLabelExpressions").items();
        for (at, requirement) in requirements.iter().enumerate() {
            let (key, values) = (requirement.at("key"), requirement.at("values"));
            let all = values.items();
            if all.is_empty() {
                values.required("", out);
            }
            for (at, value) in all.iter().enumerate() {
                if all[..at].iter().any(|before| before.value == value.value) {
                    value.duplicate(out);
                }
            }
            key.named(names::qualified, out);
            if requirements[..at]
                .iter()
                .any(|before| before.at("key").value == key.value)
            {
                key.duplicate(out);
            }
        }
    }
}

pub(super) fn storage_class_updated(new: &Value, old: &Value, out: &mut Causes) {
    for name in [
        "parameters",
        "provisioner",
        "reclaimPolicy",
        "volumeBindingMode",
    ] {
        ObjectField::of(&new[name], name).unchanged(&old[name], out);
    }
}

/// Validates the spec of a CSIDriver (`ValidateCSIDriver`).
pub(super) fn driver(object: &Value, out: &mut Causes) {
    let spec = ObjectField::spec(object);
    let requests = spec.at("tokenRequests").items();
    for (at, request) in requests.iter().enumerate() {
        let (audience, seconds) = (request.at("audience"), request.at("expirationSeconds"));
        if requests[..at]
            .iter()
            .any(|before| before.at("audience").text() == audience.text())
        {
            audience.duplicate(out);
            continue;
        }
        if seconds.is_set() && seconds.number() < 600 {
            seconds.invalid("may not specify a duration less than 10 minutes", out);
        }
        if seconds.number() > 1 << 32 {
            seconds.invalid("may not specify a duration larger than 2^32 seconds", out);
        }
    }
    let policies = ["File", "None", "ReadWriteOnceWithFSType"];
    spec.at("fsGroupPolicy").supported_if_set(&policies, out);
    let modes = spec.at("volumeLifecycleModes");
    for mode in modes.items() {
        ObjectField::of(mode.value, &*modes.path).supported(&["Persistent", "Ephemeral"], out);
    }
}
