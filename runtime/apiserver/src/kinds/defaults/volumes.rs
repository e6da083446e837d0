//! Defaults of volumes of Pods, and of volume sources (pkg/apis/core/v1, defaults.go).

use serde_json::json;

use crate::builtins::members::{member_text, set_default};
use crate::kinds::defaults::containers::pull_policy;
use crate::types::Object;

/// Default file mode: `rw-r--r--`.
const MODE: i32 = 0o644;

pub(crate) fn set(name: &str, members: &mut Object) {
    match name {
        "Volume" if members.len() <= 1 => set_default(members, "emptyDir", json!({})),
        "HostPathVolumeSource" if !members.contains_key("type") => {
            members.insert("type".to_owned(), "".into());
        }
        "SecretVolumeSource"
        | "ConfigMapVolumeSource"
        | "DownwardAPIVolumeSource"
        | "ProjectedVolumeSource" => set_default(members, "defaultMode", MODE),
        "ServiceAccountTokenProjection" => set_default(members, "expirationSeconds", 3600),
        "ISCSIVolumeSource" => {
            set_default(members, "iscsiInterface", "default");
        }
        "RBDVolumeSource" => {
            set_default(members, "pool", "rbd");
            set_default(members, "user", "admin");
            set_default(members, "keyring", "/etc/ceph/keyring");
        }
        "AzureDiskVolumeSource" => {
            set_default(members, "cachingMode", "ReadWrite");
            set_default(members, "fsType", "ext4");
            set_default(members, "readOnly", false);
            set_default(members, "kind", "Shared");
        }
        "ScaleIOVolumeSource" => {
            set_default(members, "storageMode", "ThinProvisioned");
            set_default(members, "fsType", "xfs");
        }
        "ImageVolumeSource" => {
            let policy = pull_policy(member_text(members, "reference"));
            set_default(members, "pullPolicy", policy);
        }
        _ => {}
    }
}
