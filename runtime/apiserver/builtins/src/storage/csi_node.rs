//! CSINodes. Unlike kube-apiserver, this server validates them by their published schema alone.

use genclient_apimachinery::unstructured::list_or_empty;
use serde_json::{Value, json};

use crate::row::Row;
use crate::strategy::Strategy;

/// Strategy of CSINodes.
#[derive(Debug)]
pub(crate) struct CsiNodeStrategy;

impl Strategy for CsiNodeStrategy {
    fn cells(&self, row: Row<'_>) -> Option<Vec<Value>> {
        let count = list_or_empty(&row.spec()["drivers"]).len();
        Some(vec![row.name(), json!(count), row.age()])
    }
}
