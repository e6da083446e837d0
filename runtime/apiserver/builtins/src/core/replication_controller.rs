//! ReplicationControllers. Unlike kube-apiserver, this server validates them by their published
//! schema alone.

use serde_json::{Value, json};

use crate::accessors::as_integer;
use crate::cells::{container_cells, format_labels};
use crate::row::Row;
use crate::selectable::SpecialField;
use crate::strategy::Strategy;

/// Strategy of ReplicationControllers.
#[derive(Debug)]
pub(crate) struct ReplicationControllerStrategy;

impl Strategy for ReplicationControllerStrategy {
    fn cells(&self, row: Row<'_>) -> Option<Vec<Value>> {
        let (spec, status) = (row.spec(), row.status());
        let count = |field: &str| json!(as_integer(&status[field]));
        let [names, images] = container_cells(&spec["template"]["spec"]);
        Some(vec![
            row.name(),
            json!(as_integer(&spec["replicas"])),
            count("replicas"),
            count("readyReplicas"),
            row.age(),
            names,
            images,
            json!(format_labels(&spec["selector"])),
        ])
    }

    fn special_fields(&self) -> &'static [SpecialField] {
        &[SpecialField {
            name: "status.replicas",
            path: "status.replicas",
            unset: "0",
        }]
    }
}
