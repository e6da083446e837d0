//! Leases (pkg/apis/coordination/validation).

use genclient_apimachinery::field;
use genclient_apimachinery::unstructured::str_or_empty;
use serde_json::{Value, json};

use crate::field::ObjectField;
use crate::findings::not_negative;
use crate::row::Row;
use crate::strategy::{Creation, FinalizerRule, Strategy};

/// Strategy of Leases (pkg/registry/coordination/lease, strategy.go).
#[derive(Debug)]
pub(crate) struct LeaseStrategy;

impl Strategy for LeaseStrategy {
    fn finalizer_rule(&self) -> FinalizerRule {
        FinalizerRule::Any
    }

    fn prepare_for_create(&self, lease: &mut Value, _creation: &mut Creation<'_>) {
        drop_gated_fields(lease);
    }

    fn prepare_for_update(&self, new: &mut Value, _old: &Value) {
        drop_gated_fields(new);
    }

    /// Validates a Lease (pkg/apis/coordination/validation).
    fn validate(&self, object: &Value, out: &mut field::ErrorList) {
        let spec = ObjectField::spec(object);
        let duration = spec.at("leaseDurationSeconds");
        duration.within(1, i64::MAX, "must be greater than 0", out);
        not_negative(spec.value, &["leaseTransitions"], "spec", out);
    }

    fn cells(&self, row: Row<'_>) -> Option<Vec<Value>> {
        let holder = str_or_empty(&row.spec()["holderIdentity"]);
        Some(vec![row.name(), json!(holder), row.age()])
    }
}

/// Removes the fields of the feature gate CoordinatedLeaderElection, which is off.
fn drop_gated_fields(lease: &mut Value) {
    if let Some(Value::Object(spec)) = lease.get_mut("spec") {
        spec.remove("strategy");
        spec.remove("preferredHolder");
    }
}
