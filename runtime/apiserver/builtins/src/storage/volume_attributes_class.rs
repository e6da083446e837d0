//! VolumeAttributesClasses. Unlike kube-apiserver, this server validates them by their published
//! schema alone.

use genclient_apimachinery::unstructured::str_or_empty;
use serde_json::{Value, json};

use crate::row::Row;
use crate::strategy::Strategy;

/// Strategy of VolumeAttributesClasses.
#[derive(Debug)]
pub(crate) struct VolumeAttributesClassStrategy;

impl Strategy for VolumeAttributesClassStrategy {
    fn cells(&self, row: Row<'_>) -> Option<Vec<Value>> {
        let driver = str_or_empty(&row.object["driverName"]);
        Some(vec![row.name(), json!(driver), row.age()])
    }
}
