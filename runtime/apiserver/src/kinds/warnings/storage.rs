//! Warnings about PersistentVolumes, their claims, volumes of Pods, StorageClasses and CSI objects.

use serde_json::Value;

use super::containers::fractional_bytes;
use super::fields::{Warnings, annotation, items, text};
use super::node_labels::{self, deprecation};
use super::paths;

const STORAGE_CLASS: &str = "volume.beta.kubernetes.io/storage-class";
const MOUNT_OPTIONS: &str = "volume.beta.kubernetes.io/mount-options";

/// Warns about a PersistentVolumeClaim (`GetWarningsForPersistentVolumeClaim`).
pub(super) fn claim(claim: &Value, out: &mut Warnings) {
    storage_class_annotation(claim, out);
    claim_spec(&claim["spec"], "spec", out);
}

/// Warns about fractional bytes in the requests and limits of a claim.
pub(super) fn claim_spec(spec: &Value, path: &str, out: &mut Warnings) {
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

/// Warns about a PersistentVolume (`GetWarningsForPersistentVolume`).
pub(super) fn volume(volume: &Value, out: &mut Warnings) {
    let spec = &volume["spec"];
    storage_class_annotation(volume, out);
    if annotation(volume, MOUNT_OPTIONS).is_some() {
        out.push(format!(
            "metadata.annotations[{MOUNT_OPTIONS}]: deprecated since v1.31; use \"mountOptions\" \
             attribute instead"
        ));
    }
    if text(spec, "persistentVolumeReclaimPolicy") == "Recycle" {
        out.push(
            "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. \
             Instead, the recommended approach is to use dynamic provisioning."
                .to_owned(),
        );
    }
    let terms = items(&spec["nodeAffinity"]["required"], "nodeSelectorTerms");
    node_labels::terms(terms, "spec.nodeAffinity.required.nodeSelectorTerms", out);
    for (plugin, since) in [
        ("cephfs", "v1.28, non-functional in v1.31+"),
        ("photonPersistentDisk", "v1.11, non-functional in v1.16+"),
        ("scaleIO", "v1.16, non-functional in v1.22+"),
        ("storageos", "v1.22, non-functional in v1.25+"),
        ("glusterfs", "v1.25, non-functional in v1.26+"),
        ("rbd", "v1.28, non-functional in v1.31+"),
    ] {
        if !spec[plugin].is_null() {
            // kube-apiserver's message does not spell the field as in JSON.
            let plugin = if plugin == "storageos" {
                "storageOS"
            } else {
                plugin
            };
            out.push(format!("spec.{plugin}: deprecated in {since}"));
        }
    }
}

/// Warns about deprecated labels in a StorageClass (`GetWarningsForStorageClass`).
pub(super) fn storage_class(class: &Value, out: &mut Warnings) {
    for (index, topology) in items(class, "allowedTopologies").iter().enumerate() {
        let expressions = items(topology, "matchLabelExpressions").iter().enumerate();
        for (inner, expression) in expressions {
            if let Some(message) = deprecation(text(expression, "key")) {
                let path = format!("allowedTopologies[{index}].matchLabelExpressions[{inner}]");
                out.push(format!("{path}.key: {message}"));
            }
        }
    }
}

/// Warns about deprecated labels in a CSIStorageCapacity (`GetWarningsForCSIStorageCapacity`).
pub(super) fn storage_capacity(capacity: &Value, out: &mut Warnings) {
    node_labels::selector(&capacity["nodeTopology"], "nodeTopology", out);
}

/// Warns about a CSIDriver that requests tokens but does not set `serviceAccountTokenInSecrets`. An
/// update that keeps `tokenRequests` gets no warning.
pub(super) fn csi_driver(driver: &Value, old: Option<&Value>, out: &mut Warnings) {
    let spec = &driver["spec"];
    let requests = items(spec, "tokenRequests");
    let is_new = old.is_none_or(|old| items(&old["spec"], "tokenRequests") != requests);
    if is_new && !requests.is_empty() && spec["serviceAccountTokenInSecrets"].is_null() {
        out.push(
            "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to \
             true to prevent possible logging of tokens in volume attributes"
                .to_owned(),
        );
    }
}

/// Warns about the volumes of a Pod. `path` is the path of the Pod spec.
pub(super) fn pod_volumes(spec: &Value, path: &str, out: &mut Warnings) {
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
    paths::volumes(volumes, out);
}
