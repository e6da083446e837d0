//! Warnings about volumes of Pods with deprecated or removed plug-ins.

use serde_json::Value;

use super::fields::{Warnings, items};
use super::{paths, storage};

/// Warns about the volumes of a Pod; `path` is that of its spec.
pub(super) fn volumes(spec: &Value, path: &str, out: &mut Warnings) {
    let volumes = items(spec, "volumes");
    for (index, volume) in volumes.iter().enumerate() {
        let path = format!("{path}.volumes[{index}]");
        let mut warn = |plugin: &str, since: &str| {
            if !volume[plugin].is_null() {
                // The server uses the name of the Go field for one plug-in.
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
            storage::claim_spec(&claim["spec"], &path, out);
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
