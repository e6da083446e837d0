//! RuntimeClasses. Unlike kube-apiserver, this server validates them by their published schema
//! alone.

use genclient_apimachinery::unstructured::str_or_empty;
use serde_json::{Value, json};

use crate::row::Row;
use crate::strategy::{FinalizerRule, Strategy};

/// Strategy of RuntimeClasses.
#[derive(Debug)]
pub(crate) struct RuntimeClassStrategy;

impl Strategy for RuntimeClassStrategy {
    fn finalizer_rule(&self) -> FinalizerRule {
        FinalizerRule::Any
    }

    fn cells(&self, row: Row<'_>) -> Option<Vec<Value>> {
        let handler = str_or_empty(&row.object["handler"]);
        Some(vec![row.name(), json!(handler), row.age()])
    }
}
