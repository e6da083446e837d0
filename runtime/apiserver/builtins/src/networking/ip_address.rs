//! IPAddresses. Unlike kube-apiserver, this server validates them by their published schema alone.

use genclient_apimachinery::unstructured::str_or_empty;
use serde_json::{Value, json};

use crate::cells::NONE;
use crate::row::Row;
use crate::strategy::Strategy;

/// Strategy of IPAddresses.
#[derive(Debug)]
pub(crate) struct IpAddressStrategy;

impl Strategy for IpAddressStrategy {
    fn cells(&self, row: Row<'_>) -> Option<Vec<Value>> {
        let parent = format_parent(&row.spec()["parentRef"]);
        Some(vec![row.name(), json!(parent), row.age()])
    }
}

/// Formats the object that an IPAddress belongs to, such as `services/default/web`.
fn format_parent(reference: &Value) -> String {
    if reference.is_null() {
        return NONE.to_owned();
    }
    let mut parent = str_or_empty(&reference["resource"]).to_lowercase();
    let group = str_or_empty(&reference["group"]).to_lowercase();
    if !group.is_empty() {
        parent = format!("{parent}.{group}");
    }
    for part in ["namespace", "name"] {
        let part_text = str_or_empty(&reference[part]);
        if part == "name" || !part_text.is_empty() {
            parent = format!("{parent}/{part_text}");
        }
    }
    parent
}
