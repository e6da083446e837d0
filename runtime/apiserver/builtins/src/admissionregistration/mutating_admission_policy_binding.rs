//! MutatingAdmissionPolicyBindings. Unlike kube-apiserver, this server validates them by their
//! published schema alone.

use genclient_apimachinery::unstructured::str_or_empty;
use serde_json::{Value, json};

use crate::cells::param_ref_cell;
use crate::row::Row;
use crate::strategy::{FinalizerRule, Strategy};

/// Strategy of MutatingAdmissionPolicyBindings.
#[derive(Debug)]
pub(crate) struct MutatingAdmissionPolicyBindingStrategy;

impl Strategy for MutatingAdmissionPolicyBindingStrategy {
    fn finalizer_rule(&self) -> FinalizerRule {
        FinalizerRule::Any
    }

    fn is_enforced(&self) -> bool {
        false
    }

    fn cells(&self, row: Row<'_>) -> Option<Vec<Value>> {
        let spec = row.spec();
        let policy = json!(str_or_empty(&spec["policyName"]));
        let parameter = json!(param_ref_cell(&spec["paramRef"]));
        Some(vec![row.name(), policy, parameter, row.age()])
    }
}
