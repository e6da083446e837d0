//! PriorityLevelConfigurations. Unlike kube-apiserver, this server validates them by their
//! published schema alone.

use genclient_apimachinery::unstructured::str_or_empty;
use serde_json::{Value, json};

use crate::accessors::as_integer;
use crate::cells::NONE;
use crate::row::Row;
use crate::strategy::Strategy;

/// Strategy of PriorityLevelConfigurations.
#[derive(Debug)]
pub(crate) struct PriorityLevelConfigurationStrategy;

impl Strategy for PriorityLevelConfigurationStrategy {
    fn cells(&self, row: Row<'_>) -> Option<Vec<Value>> {
        let spec = row.spec();
        let limited = &spec["limited"];
        let queuing = &limited["limitResponse"]["queuing"];
        let number = |holder: &Value, field: &str| match holder {
            Value::Null => json!(NONE),
            holder => json!(as_integer(&holder[field])),
        };
        Some(vec![
            row.name(),
            json!(str_or_empty(&spec["type"])),
            number(limited, "nominalConcurrencyShares"),
            number(queuing, "queues"),
            number(queuing, "handSize"),
            number(queuing, "queueLengthLimit"),
            row.age(),
        ])
    }
}
