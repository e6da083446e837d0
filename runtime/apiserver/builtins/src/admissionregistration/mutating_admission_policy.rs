//! MutatingAdmissionPolicies. Unlike kube-apiserver, this server validates them by their published
//! schema alone.

use genclient_apimachinery::unstructured::list_or_empty;
use serde_json::{Value, json};

use crate::cells::param_kind_cell;
use crate::row::Row;
use crate::strategy::{FinalizerRule, Strategy};

/// Strategy of MutatingAdmissionPolicies.
#[derive(Debug)]
pub(crate) struct MutatingAdmissionPolicyStrategy;

impl Strategy for MutatingAdmissionPolicyStrategy {
    fn finalizer_rule(&self) -> FinalizerRule {
        FinalizerRule::Any
    }

    fn is_enforced(&self) -> bool {
        false
    }

    fn cells(&self, row: Row<'_>) -> Option<Vec<Value>> {
        let spec = row.spec();
        let count = list_or_empty(&spec["mutations"]).len();
        Some(vec![
            row.name(),
            json!(count),
            param_kind_cell(spec),
            row.age(),
        ])
    }
}
