//! Constraints from markers in Kubernetes' Go sources, for types meant for use in CRDs. The API
//! server does not publish them.

use std::sync::Arc;

use serde_json::json;

use crate::Schema;

/// Adds the constraints to the schema of a definition.
pub(super) fn add(name: &str, schema: &mut Schema) {
    if name == "io.k8s.apimachinery.pkg.apis.meta.v1.Condition" {
        for (name, property) in &mut schema.properties {
            condition(name, Arc::make_mut(property));
        }
    }
}

fn condition(name: &str, property: &mut Schema) {
    match name {
        "message" => property.max_length = Some(32_768),
        "observedGeneration" => property.minimum = Some(0.into()),
        "reason" => {
            (property.min_length, property.max_length) = (Some(1), Some(1024));
            property.pattern = Some("^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$".to_owned());
        }
        "status" => property.enum_ = vec![json!("True"), json!("False"), json!("Unknown")],
        "type" => {
            let label = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
            let domain = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
            property.max_length = Some(316);
            property.pattern = Some(format!("^({domain}/)?({label})$"));
        }
        _ => {}
    }
}
