//! Definitions of which the API server publishes less than it takes, or something that a CRD cannot say.

use super::Release;
use crate::{JsonType, Schema};

/// What stands in a CRD instead of the published definition.
pub(super) fn instead(name: &str, release: Release) -> Option<Schema> {
    let below = name
        .strip_prefix("io.k8s.apimachinery.pkg.")
        .or_else(|| name.strip_prefix("io.k8s.apiextensions-apiserver.pkg."))?;
    Some(match below {
        // With microseconds or without, what is written is the same format.
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
        // Objects whose members are nobody's business; without a word about that, the server would prune them all.
        "runtime.RawExtension"
        | "apis.meta.v1.FieldsV1"
        | "apis.meta.v1.Patch"
        | "apis.apiextensions.v1.CustomResourceSubresourceStatus" => open_object(),
        _ => return None,
    })
}

/// True for what holds a `JSONSchemaProps`, of which the API server publishes nothing.
pub(super) fn holds_itself(name: &str) -> bool {
    name.starts_with("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOr")
}

/// Any JSON value.
pub fn anything() -> Schema {
    Schema {
        preserve_unknown_fields: true,
        ..Schema::default()
    }
}

/// Any JSON object.
pub fn open_object() -> Schema {
    Schema {
        preserve_unknown_fields: true,
        ..Schema::typed(JsonType::Object)
    }
}

/// What the API server takes for a quantity.
const QUANTITY: &str = r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$";

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
