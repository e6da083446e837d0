//! VolumeAttachments. Unlike kube-apiserver, this server validates them by their published schema
//! alone.

use genclient_apimachinery::unstructured::str_or_empty;
use serde_json::{Value, json};

use crate::accessors::as_flag;
use crate::row::Row;
use crate::strategy::Strategy;

/// Strategy of VolumeAttachments.
#[derive(Debug)]
pub(crate) struct VolumeAttachmentStrategy;

impl Strategy for VolumeAttachmentStrategy {
    fn cells(&self, row: Row<'_>) -> Option<Vec<Value>> {
        let spec = row.spec();
        Some(vec![
            row.name(),
            json!(str_or_empty(&spec["attacher"])),
            json!(str_or_empty(&spec["source"]["persistentVolumeName"])),
            json!(str_or_empty(&spec["nodeName"])),
            json!(as_flag(&row.status()["attached"])),
            row.age(),
        ])
    }
}
