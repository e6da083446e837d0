//! Version `v1` of the group `example.com`.

#![allow(missing_docs, reason = "descriptions and names are those of the CRD")]

use std::collections::BTreeMap;

use genclient::prelude::*;
use k8s_openapi::apimachinery::pkg::runtime::RawExtension;

/// A free-form object.
#[genclient]
#[group = "example.com"]
// No Rust type has this schema, so it is stated here.
#[crd(
    schema = {
        "properties": {
            "apiVersion": { "type": "string" },
            "kind": { "enum": ["Free"], "type": "string" },
            "metadata": {
                "properties": { "name": { "maxLength": 20, "type": "string" } },
                "type": "object",
            },
            "spec": {
                "description": "Desired state.",
                "properties": { "size": { "format": "int32", "type": "integer" } },
                "type": "object",
            },
        },
        "required": ["data", "metadata", "spec"],
        "type": "object",
        "x-kubernetes-preserve-unknown-fields": true,
    },
    validation(
        rule = r#"self.metadata.name != "" && has(self.spec)"#,
        message = "A name and a spec."
    )
)]
pub struct Free {
    /// Standard object metadata.
    #[crd(required)]
    pub metadata: ObjectMeta,

    /// Desired state.
    pub spec: FreeSpec,

    /// All other fields.
    #[serde(flatten)]
    pub other: BTreeMap<String, k8s_openapi::serde_json::Value>,
}

/// Fields of `.spec` in `Free`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CrdSchema)]
pub struct FreeSpec {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<i32>,
}

/// An open object.
#[genclient]
#[group = "example.com"]
pub struct Open {
    /// Standard object metadata.
    pub metadata: ObjectMeta,

    /// Desired state.
    pub spec: OpenSpec,
}

/// Fields of `.spec` in `Open`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CrdSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenSpec {
    /// Anything.
    #[crd(schemaless, preserve_unknown_fields)]
    pub any: k8s_openapi::serde_json::Value,

    /// A list of anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[crd(items(schemaless, preserve_unknown_fields))]
    pub any_of_these: Option<Vec<k8s_openapi::serde_json::Value>>,

    /// Anything, by name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[crd(values(schemaless, preserve_unknown_fields))]
    pub by_name: Option<BTreeMap<String, k8s_openapi::serde_json::Value>>,

    /// What only a stated schema says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    // No Rust type has this schema, so it is stated here.
    #[crd(
        schema = {
            "anyOf": [{ "type": "integer" }, { "type": "string" }],
            "maxLength": 0,
            "x-kubernetes-int-or-string": true,
        }
    )]
    pub either: Option<IntOrString>,

    /// An object without fields.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub empty: Option<Empty>,

    /// What is there in any case, and may be null.
    #[crd(nullable, required)]
    pub needed: Option<String>,

    /// Any object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<RawExtension>,

    /// A whole object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[crd(embedded_resource)]
    pub template: Option<RawExtension>,

    /// Words, some of which are missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<Vec<Option<String>>>,

    /// All other fields.
    #[serde(flatten)]
    pub other: BTreeMap<String, k8s_openapi::serde_json::Value>,
}

/// Fields of `.spec.empty` in `Open`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CrdSchema)]
pub struct Empty {}
