//! CSIDrivers. Unlike kube-apiserver, this server validates them by their published schema alone.

use genclient_apimachinery::unstructured::{list_or_empty, str_or_empty};
use serde_json::{Value, json};

use crate::accessors::as_flag;
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
        let audiences = list_or_empty(&spec["tokenRequests"])
            .iter()
            .map(|it| str_or_empty(&it["audience"]));
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
