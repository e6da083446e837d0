//! PersistentVolumes, which follow their published schema alone.

use serde_json::{Value, json};

use crate::core::persistent_volume_claim::{access_modes, or_unset, phase, storage, storage_class};
use crate::row::{Row, as_text};
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
                as_text(&claim["namespace"]),
                as_text(&claim["name"])
            ),
        };
        Some(vec![
            row.name(),
            storage(&spec["capacity"]),
            access_modes(&spec["accessModes"]),
            json!(as_text(&spec["persistentVolumeReclaimPolicy"])),
            phase(row),
            json!(claim),
            storage_class(row),
            or_unset(&spec["volumeAttributesClassName"]),
            json!(as_text(&status["reason"])),
            row.age(),
            or_unset(&spec["volumeMode"]),
        ])
    }
}
