//! Changes to published definitions. A definition is replaced if a CRD cannot express it or if it
//! describes the values that the API server accepts only roughly. Constraints that published
//! definitions lack are added from markers in Kubernetes' Go sources.

use std::sync::Arc;

use serde_json::json;

use super::Release;
use crate::{JsonType, Schema};

/// Returns the schema that replaces a published definition in a CRD, if there is one.
pub(super) fn instead(name: &str, release: Release) -> Option<Schema> {
    let below = name
        .strip_prefix("io.k8s.apimachinery.pkg.")
        .or_else(|| name.strip_prefix("io.k8s.apiextensions-apiserver.pkg."))?;
    Some(match below {
        // As published, without the description of the Go type. `MicroTime` has the same format,
        // although it has microseconds.
        "apis.meta.v1.Time" | "apis.meta.v1.MicroTime" => {
            Schema::formatted(JsonType::String, "date-time")
        }
        "api.resource.Quantity" if release.quantities_are_strings => Schema {
            pattern: Some(QUANTITY.to_owned()),
            ..Schema::typed(JsonType::String)
        },
        "api.resource.Quantity" => int_or_string(Some(QUANTITY)),
        "util.intstr.IntOrString" => int_or_string(None),
        "apis.apiextensions.v1.JSON" => anything(),
        // Opaque objects. Without `x-kubernetes-preserve-unknown-fields`, the API server would
        // prune all their fields.
        "runtime.RawExtension"
        | "apis.meta.v1.FieldsV1"
        | "apis.meta.v1.Patch"
        | "apis.apiextensions.v1.CustomResourceSubresourceStatus" => open_object(),
        _ => return None,
    })
}

/// Returns whether the definition is one of `JSONSchemaPropsOr…`. These contain themselves through
/// `JSONSchemaProps`, which their published definitions do not show.
pub(super) fn is_hidden_circle(name: &str) -> bool {
    name.starts_with("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOr")
}

/// Returns the schema of any JSON value.
pub fn anything() -> Schema {
    Schema {
        preserve_unknown_fields: true,
        ..Schema::default()
    }
}

/// Returns the schema of any JSON object.
pub fn open_object() -> Schema {
    Schema {
        preserve_unknown_fields: true,
        ..Schema::typed(JsonType::Object)
    }
}

/// Pattern of the quantities that the API server accepts.
pub const QUANTITY: &str = r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$";

fn int_or_string(pattern: Option<&str>) -> Schema {
    Schema {
        any_of: vec![
            Schema::typed(JsonType::Integer),
            Schema::typed(JsonType::String),
        ],
        int_or_string: true,
        pattern: pattern.map(str::to_owned),
        ..Schema::default()
    }
}

/// Adds the constraints that Kubernetes' Go sources state as markers of `Condition`.
pub(super) fn add_constraints(name: &str, schema: &mut Schema) {
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
