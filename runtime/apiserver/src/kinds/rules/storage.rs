//! Rules of volumes and claims (pkg/apis/core/validation).

use genclient_schema::Cause;
use serde_json::Value;

use super::findings::{Causes, items};
use crate::types::{GoType, Quantity};

const MODES: [&str; 4] = [
    "ReadOnlyMany",
    "ReadWriteMany",
    "ReadWriteOnce",
    "ReadWriteOncePod",
];

fn modes(spec: &Value, path: &str, detail: &str, out: &mut Causes) {
    let field = format!("{path}.accessModes");
    let found = items(spec, "accessModes");
    if found.is_empty() {
        out.push(Cause::required(field.clone(), detail));
    }
    for mode in found {
        if !MODES.iter().any(|known| mode == known) {
            out.push(Cause::not_supported(field.clone(), mode, &MODES));
        }
    }
}

fn is_positive(amount: &Value) -> bool {
    let quantity = amount.as_str().and_then(|text| Quantity::parse(text).ok());
    quantity.is_none_or(|quantity| quantity.sign().is_gt())
}

pub(super) fn claim(spec: &Value, path: &str, out: &mut Causes) {
    modes(spec, path, "at least 1 access mode is required", out);
    let field = format!("{path}.resources[storage]");
    match spec["resources"]["requests"].get("storage") {
        None => out.push(Cause::required(field, "")),
        Some(amount) if !is_positive(amount) => {
            out.push(Cause::invalid(field, amount, "must be greater than zero"));
        }
        Some(_) => {}
    }
}

/// What may change of a claim; the difference that the server prints behind it is left out.
pub(super) fn claim_updated(new: &Value, old: &Value, out: &mut Causes) {
    let bound = new["status"]["phase"] == "Bound";
    let fixed = |object: &Value| {
        let mut spec = object["spec"].clone();
        let unnamed = old["spec"].get("volumeName").is_none();
        if let Value::Object(spec) = &mut spec {
            if unnamed {
                spec.remove("volumeName");
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
}

pub(super) fn volume(object: &Value, out: &mut Causes) {
    let spec = &object["spec"];
    modes(spec, "spec", "", out);
    let capacity = spec["capacity"].as_object();
    if capacity.is_none_or(serde_json::Map::is_empty) {
        out.push(Cause::required("spec.capacity", ""));
    }
    if capacity.is_none_or(|capacity| capacity.len() != 1 || !capacity.contains_key("storage")) {
        out.push(Cause::not_supported(
            "spec.capacity",
            &spec["capacity"],
            &["storage"],
        ));
    }
    let source = GoType::named("core/v1.PersistentVolumeSpec").is_some_and(|type_| {
        let sources = type_.fields().iter();
        let mut sources = sources.filter(|field| field.embedded == "PersistentVolumeSource");
        sources.any(|field| spec.get(field.name).is_some())
    });
    if !source {
        out.push(Cause::required("spec", "must specify a volume type"));
    }
}
