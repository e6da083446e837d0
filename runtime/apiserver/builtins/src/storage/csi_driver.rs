//! CSIDrivers, which follow their published schema alone.

use serde_json::{Value, json};

use crate::accessors::{as_flag, as_items, as_text};
use crate::cells::{NONE, UNSET, join_texts};
use crate::row::Row;
use crate::strategy::Strategy;

/// Strategy of CSIDrivers.
#[derive(Debug)]
pub(crate) struct CsiDriverStrategy;

impl Strategy for CsiDriverStrategy {
    fn cells(&self, row: Row<'_>) -> Option<Vec<Value>> {
        let spec = row.spec();
        let modes = join_texts(&spec["volumeLifecycleModes"]);
        let audiences = as_items(&spec["tokenRequests"])
            .iter()
            .map(|it| as_text(&it["audience"]));
        let tokens = match &spec["tokenRequests"] {
            Value::Null => UNSET.to_owned(),
            _ => audiences.collect::<Vec<_>>().join(","),
        };
        Some(vec![
            row.name(),
            json!(spec["attachRequired"].as_bool().unwrap_or(true)),
            json!(as_flag(&spec["podInfoOnMount"])),
            json!(as_flag(&spec["storageCapacity"])),
            json!(tokens),
            json!(as_flag(&spec["requiresRepublish"])),
            json!(if modes.is_empty() { NONE } else { &*modes }),
            row.age(),
        ])
    }
}
