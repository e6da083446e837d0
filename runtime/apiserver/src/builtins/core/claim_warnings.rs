//! Warnings about PersistentVolumeClaims and volumes of Pods.

use serde_json::Value;

use crate::builtins::core::pod_spec::container_warnings::fractional_bytes;
use crate::builtins::core::pod_spec::volume_paths;
use crate::builtins::warnings::{Warnings, annotation, items};

const STORAGE_CLASS: &str = "volume.beta.kubernetes.io/storage-class";

/// Warns about a PersistentVolumeClaim (`GetWarningsForPersistentVolumeClaim`).
pub(crate) fn claim(claim: &Value, out: &mut Warnings) {
    storage_class_annotation(claim, out);
    claim_spec(&claim["spec"], "spec", out);
}

/// Warns about fractional bytes in the requests and limits of a claim.
pub(crate) fn claim_spec(spec: &Value, path: &str, out: &mut Warnings) {
    for list in ["requests", "limits"] {
        let path = format!("{path}.resources.{list}");
        fractional_bytes(&spec["resources"][list], "storage", &path, out);
    }
}

fn storage_class_annotation(object: &Value, out: &mut Warnings) {
    if annotation(object, STORAGE_CLASS).is_some() {
        out.push(format!(
            "metadata.annotations[{STORAGE_CLASS}]: deprecated since v1.8; use \
             \"storageClassName\" attribute instead"
        ));
    }
}

/// Warns about the volumes of a Pod. `path` is the path of the Pod spec.
pub(crate) fn pod_volumes(spec: &Value, path: &str, out: &mut Warnings) {
    let volumes = items(spec, "volumes");
    for (index, volume) in volumes.iter().enumerate() {
        let path = format!("{path}.volumes[{index}]");
        let mut warn = |plugin: &str, since: &str| {
            if !volume[plugin].is_null() {
                // kube-apiserver's message does not spell the field as in JSON.
                let plugin = plugin.replace("storageos", "storageOS");
                out.push(format!("{path}.{plugin}: deprecated in {since}"));
            }
        };
        warn("photonPersistentDisk", "v1.11, non-functional in v1.16+");
        warn("gitRepo", "v1.11, and disabled by default in v1.33+");
        warn("scaleIO", "v1.16, non-functional in v1.22+");
        warn("flocker", "v1.22, non-functional in v1.25+");
        warn("storageos", "v1.22, non-functional in v1.25+");
        warn("quobyte", "v1.22, non-functional in v1.25+");
        warn("glusterfs", "v1.25, non-functional in v1.26+");
        if let claim @ Value::Object(_) = &volume["ephemeral"]["volumeClaimTemplate"] {
            let path = format!("{path}.ephemeral.volumeClaimTemplate.spec");
            claim_spec(&claim["spec"], &path, out);
        }
        let mut warn = |plugin: &str| {
            if !volume[plugin].is_null() {
                let since = "deprecated in v1.28, non-functional in v1.31+";
                out.push(format!("{path}.{plugin}: {since}"));
            }
        };
        warn("cephfs");
        warn("rbd");
    }
    volume_paths::volumes(volumes, out);
}
