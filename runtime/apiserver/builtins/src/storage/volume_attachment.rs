//! VolumeAttachments, which follow their published schema alone.

use serde_json::{Value, json};

use crate::accessors::{as_flag, as_text};
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
            json!(as_text(&spec["attacher"])),
            json!(as_text(&spec["source"]["persistentVolumeName"])),
            json!(as_text(&spec["nodeName"])),
            json!(as_flag(&row.status()["attached"])),
            row.age(),
        ])
    }
}
