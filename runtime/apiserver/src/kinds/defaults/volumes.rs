//! Defaults of volumes of Pods, and of volume sources (pkg/apis/core/v1, defaults.go).

use serde_json::json;

use crate::builtins::members::{or, text};
use crate::kinds::defaults::containers::pull_policy;
use crate::types::Object;

/// Default file mode: `rw-r--r--`.
const MODE: i32 = 0o644;

pub(crate) fn set(name: &str, members: &mut Object) {
    match name {
        "Volume" if members.len() <= 1 => or(members, "emptyDir", json!({})),
        "HostPathVolumeSource" if !members.contains_key("type") => {
            members.insert("type".to_owned(), "".into());
        }
        "SecretVolumeSource"
        | "ConfigMapVolumeSource"
        | "DownwardAPIVolumeSource"
        | "ProjectedVolumeSource" => or(members, "defaultMode", MODE),
        "ServiceAccountTokenProjection" => or(members, "expirationSeconds", 3600),
        "ISCSIVolumeSource" => {
            or(members, "iscsiInterface", "default");
        }
        "RBDVolumeSource" => {
            or(members, "pool", "rbd");
            or(members, "user", "admin");
            or(members, "keyring", "/etc/ceph/keyring");
        }
        "AzureDiskVolumeSource" => {
            or(members, "cachingMode", "ReadWrite");
            or(members, "fsType", "ext4");
            or(members, "readOnly", false);
            or(members, "kind", "Shared");
        }
        "ScaleIOVolumeSource" => {
            or(members, "storageMode", "ThinProvisioned");
            or(members, "fsType", "xfs");
        }
        "ImageVolumeSource" => {
            let policy = pull_policy(text(members, "reference"));
            or(members, "pullPolicy", policy);
        }
        _ => {}
    }
}
