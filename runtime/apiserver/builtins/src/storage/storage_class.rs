//! StorageClasses. Unlike kube-apiserver, this server validates them by their published schema
//! alone.

use genclient_apimachinery::unstructured::str_or_empty;
use serde_json::{Value, json};

use crate::accessors::as_flag;
use crate::row::Row;
use crate::strategy::Strategy;

/// Strategy of StorageClasses.
#[derive(Debug)]
pub(crate) struct StorageClassStrategy;

impl Strategy for StorageClassStrategy {
    fn cells(&self, row: Row<'_>) -> Option<Vec<Value>> {
        let object = row.object;
        let is_default = |key: &str| row.annotation(key) == Some("true");
        let mut name = str_or_empty(&row.metadata()["name"]).to_owned();
        if is_default("storageclass.kubernetes.io/is-default-class")
            || is_default("storageclass.beta.kubernetes.io/is-default-class")
        {
            name.push_str(" (default)");
        }
        Some(vec![
            json!(name),
            json!(str_or_empty(&object["provisioner"])),
            json!(object["reclaimPolicy"].as_str().unwrap_or("Delete")),
            json!(object["volumeBindingMode"].as_str().unwrap_or("Immediate")),
            json!(as_flag(&object["allowVolumeExpansion"])),
            row.age(),
        ])
    }
}
