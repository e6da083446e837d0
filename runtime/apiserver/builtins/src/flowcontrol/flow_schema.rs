//! FlowSchemas. Unlike kube-apiserver, this server validates them by their published schema alone.

use genclient_apimachinery::unstructured::{list_or_empty, str_or_empty};
use serde_json::{Value, json};

use crate::accessors::as_integer;
use crate::cells::NONE;
use crate::row::Row;
use crate::strategy::Strategy;

/// Strategy of FlowSchemas.
#[derive(Debug)]
pub(crate) struct FlowSchemaStrategy;

impl Strategy for FlowSchemaStrategy {
    fn cells(&self, row: Row<'_>) -> Option<Vec<Value>> {
        let spec = row.spec();
        let mut conditions = list_or_empty(&row.status()["conditions"]).iter();
        let dangling = conditions.find(|condition| condition["type"] == "Dangling");
        Some(vec![
            row.name(),
            json!(str_or_empty(&spec["priorityLevelConfiguration"]["name"])),
            json!(as_integer(&spec["matchingPrecedence"])),
            json!(spec["distinguisherMethod"]["type"].as_str().unwrap_or(NONE)),
            row.age(),
            json!(dangling.map_or("?", |condition| str_or_empty(&condition["status"]))),
        ])
    }
}
