//! Evaluation of CEL rules on the defaults in a CustomResourceDefinition.

use genclient_apimachinery::field::Cause;
use genclient_cel::evaluate::OBJECT_BUDGET;
use serde_json::Value;

use super::DefaultRules;
use crate::Schema;
use crate::rules::Rules;

/// Evaluates the rules on a default as in an update that leaves the value unchanged. If there are
/// no errors, evaluates the rules again as in a creation (`validate` of
/// k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting).
#[derive(Clone, Copy, Debug)]
pub struct EvaluatedRules;

impl DefaultRules for EvaluatedRules {
    fn causes(
        &self,
        schema: &Schema,
        default: &Value,
        is_resource: bool,
        path: &str,
    ) -> Vec<Cause> {
        let rules = Rules::of_part(schema, is_resource);
        let check = |old| rules.check(default, old, path, OBJECT_BUDGET, false).causes;
        let of_update = check(Some(default));
        if of_update.is_empty() {
            check(None)
        } else {
            of_update
        }
    }
}
