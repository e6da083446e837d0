//! ResourceSlices. Unlike kube-apiserver, this server validates them by their published schema
//! alone.

use genclient_apimachinery::unstructured::str_or_empty;
use serde_json::{Value, json};

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
            json!(str_or_empty(&spec["nodeName"])),
            json!(str_or_empty(&spec["driver"])),
            json!(str_or_empty(&spec["pool"]["name"])),
            row.age(),
        ])
    }

    fn unsupported_field(&self, field: &str) -> String {
        format!("field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: {field}")
    }
}
