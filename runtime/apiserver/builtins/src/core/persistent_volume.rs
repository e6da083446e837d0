//! PersistentVolumes. Unlike kube-apiserver, this server validates them by their published schema
//! alone.

use genclient_apimachinery::unstructured::str_or_empty;
use serde_json::{Value, json};

use crate::core::persistent_volume_claim::{
    access_modes_cell, phase_cell, storage_cell, storage_class_cell, text_or_unset,
};
use crate::row::Row;
use crate::strategy::{FinalizerRule, Strategy};

/// Strategy of PersistentVolumes.
#[derive(Debug)]
pub(crate) struct PersistentVolumeStrategy;

impl Strategy for PersistentVolumeStrategy {
    fn finalizer_rule(&self) -> FinalizerRule {
        FinalizerRule::QualifiedTwice
    }

    fn cells(&self, row: Row<'_>) -> Option<Vec<Value>> {
        let (spec, status) = (row.spec(), row.status());
        let claim = match &spec["claimRef"] {
            Value::Null => String::new(),
            claim => format!(
                "{}/{}",
                str_or_empty(&claim["namespace"]),
                str_or_empty(&claim["name"])
            ),
        };
        Some(vec![
            row.name(),
            storage_cell(&spec["capacity"]),
            access_modes_cell(&spec["accessModes"]),
            json!(str_or_empty(&spec["persistentVolumeReclaimPolicy"])),
            phase_cell(row),
            json!(claim),
            storage_class_cell(row),
            text_or_unset(&spec["volumeAttributesClassName"]),
            json!(str_or_empty(&status["reason"])),
            row.age(),
            text_or_unset(&spec["volumeMode"]),
        ])
    }
}
