//! ResourceSlices, which follow their published schema alone.

use serde_json::{Value, json};

use crate::accessors::as_text;
use crate::row::Row;
use crate::strategy::Strategy;

/// Strategy of ResourceSlices.
#[derive(Debug)]
pub(crate) struct ResourceSliceStrategy;

impl Strategy for ResourceSliceStrategy {
    fn cells(&self, row: Row<'_>) -> Option<Vec<Value>> {
        let spec = row.spec();
        Some(vec![
            row.name(),
            json!(as_text(&spec["nodeName"])),
            json!(as_text(&spec["driver"])),
            json!(as_text(&spec["pool"]["name"])),
            row.age(),
        ])
    }

    fn unsupported_field(&self, field: &str) -> String {
        format!("field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: {field}")
    }
}
