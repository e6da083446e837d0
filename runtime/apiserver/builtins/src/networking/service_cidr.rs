//! ServiceCIDRs. Unlike kube-apiserver, this server validates them by their published schema alone.

use serde_json::{Value, json};

use crate::cells::join_texts;
use crate::row::Row;
use crate::strategy::Strategy;

/// Strategy of ServiceCIDRs.
#[derive(Debug)]
pub(crate) struct ServiceCidrStrategy;

impl Strategy for ServiceCidrStrategy {
    fn cells(&self, row: Row<'_>) -> Option<Vec<Value>> {
        let ranges = join_texts(&row.spec()["cidrs"]);
        Some(vec![row.name(), json!(ranges), row.age()])
    }
}
