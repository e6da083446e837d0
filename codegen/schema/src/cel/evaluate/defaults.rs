//! Rules on the defaults of a definition.

use serde_json::Value;

use super::{OBJECT_BUDGET, Rules};
use crate::definition::crd::DefaultRules;
use crate::{Cause, Schema};

/// Rules on defaults are evaluated as for an update that leaves the default as it is, and then as
/// for a value that is new (`validate` of
/// k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting).
#[derive(Clone, Copy, Debug)]
pub struct Evaluated;

impl DefaultRules for Evaluated {
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
        match of_update.is_empty() {
            true => check(None),
            false => of_update,
        }
    }
}
