//! PriorityClasses (pkg/apis/scheduling/validation).

use genclient_apimachinery::field;
use genclient_apimachinery::unstructured::{str_field, str_or_empty};
use serde_json::{Value, json};

use crate::accessors::{as_flag, as_integer, set_default};
use crate::field::ObjectField;
use crate::row::Row;
use crate::strategy::Strategy;
use crate::types::Object;

/// Priority classes of Kubernetes itself, with their values.
const OF_THE_SYSTEM: [(&str, i64); 2] = [
    ("system-node-critical", 2_000_001_000),
    ("system-cluster-critical", 2_000_000_000),
];

const MAX_PRIORITY: i64 = 1_000_000_000;

/// Strategy of PriorityClasses (pkg/registry/scheduling/priorityclass, strategy.go).
#[derive(Debug)]
pub(crate) struct PriorityClassStrategy;

impl Strategy for PriorityClassStrategy {
    /// Validates a PriorityClass (pkg/apis/scheduling/validation).
    fn validate(&self, object: &Value, out: &mut field::ErrorList) {
        let name = str_field(&object["metadata"], "name");
        let value = object["value"].as_i64().unwrap_or_default();
        if name.starts_with("system-") {
            let known = OF_THE_SYSTEM.iter().find(|(known, _)| *known == name);
            let error = match known {
                None => format!("{name} is not a known system priority class"),
                Some((_, needed)) if *needed != value => {
                    format!("value of {name} PriorityClass must be {needed}")
                }
                Some(_) => String::new(),
            };
            if !error.is_empty() {
                let detail = format!(
                    "priority class names with 'system-' prefix are reserved for system use only. \
                     error: {error}"
                );
                out.push(field::Error::forbidden("metadata.name", &detail));
            }
        } else if value > MAX_PRIORITY {
            let detail =
                format!("maximum allowed value of a user defined priority is {MAX_PRIORITY}");
            out.push(field::Error::forbidden("value", &detail));
        }
        let policies = ["PreemptLowerPriority", "Never"];
        let policy = ObjectField::of(&object["preemptionPolicy"], "preemptionPolicy");
        policy.supported_if_set(&policies, out);
    }

    /// Validates an update of a PriorityClass. Its value and its preemption policy are immutable.
    fn validate_update(&self, new: &Value, old: &Value, out: &mut field::ErrorList) {
        if new["value"] != old["value"] {
            let detail = "may not be changed in an update.";
            out.push(field::Error::forbidden("value", detail));
        }
        let policy = "preemptionPolicy";
        ObjectField::of(&new[policy], policy).unchanged(&old[policy], out);
        self.validate(new, out);
    }

    fn cells(&self, row: Row<'_>) -> Option<Vec<Value>> {
        let object = row.object;
        Some(vec![
            row.name(),
            json!(as_integer(&object["value"])),
            json!(as_flag(&object["globalDefault"])),
            row.age(),
            json!(str_or_empty(&object["preemptionPolicy"])),
        ])
    }
}

/// Sets the defaults of a PriorityClass.
pub(crate) fn set_defaults(members: &mut Object) {
    set_default(members, "preemptionPolicy", "PreemptLowerPriority");
}
