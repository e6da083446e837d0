//! ResourceClaims. Unlike kube-apiserver, this server validates them by their published schema
//! alone.

use genclient_apimachinery::unstructured::list_or_empty;
use serde_json::{Value, json};

use crate::row::Row;
use crate::strategy::Strategy;

/// Strategy of ResourceClaims.
#[derive(Debug)]
pub(crate) struct ResourceClaimStrategy;

impl Strategy for ResourceClaimStrategy {
    fn cells(&self, row: Row<'_>) -> Option<Vec<Value>> {
        Some(vec![row.name(), json!(format_state(row)), row.age()])
    }
}

/// Formats the state of a claim (`resourceClaimState`).
fn format_state(row: Row<'_>) -> String {
    let status = row.status();
    let is_allocated = !status["allocation"].is_null();
    let states = [
        (row.is_deleting(), "deleted"),
        (!is_allocated && !row.is_deleting(), "pending"),
        (is_allocated, "allocated"),
        (
            is_allocated && !list_or_empty(&status["reservedFor"]).is_empty(),
            "reserved",
        ),
    ];
    let states = states.into_iter().filter(|(holds, _)| *holds);
    states.map(|(_, state)| state).collect::<Vec<_>>().join(",")
}
