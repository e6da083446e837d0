//! The kind `Defaulted` in version `v1` of the group `example.com`.

#![allow(missing_docs, reason = "descriptions and names are those of the CRD")]

use std::collections::BTreeMap;

use genclient::prelude::*;
use k8s_openapi::apimachinery::pkg::runtime::RawExtension;

#[genclient]
#[group = "example.com"]
pub struct Defaulted {
    /// Standard object metadata.
    pub metadata: ObjectMeta,

    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spec: Option<DefaultedSpec>,
}

/// ---
/// Fields of `.spec` in `Defaulted`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CrdSchema)]
pub struct DefaultedSpec {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    // No Rust type has this schema, so it is stated here.
    #[crd(schema = { "x-kubernetes-int-or-string": true }, default = true)]
    pub either: Option<IntOrString>,

    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[crd(default = "x")]
    pub flag: Option<bool>,

    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[crd(items(type = "integer", default = "x"))]
    pub items: Option<Vec<i64>>,

    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[crd(items(type = "integer"), default = ["x"])]
    pub list: Option<Vec<i64>>,

    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[crd(values(type = "integer"), default = { "a": "x" })]
    pub map: Option<BTreeMap<String, i64>>,

    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[crd(default = "c")]
    pub mode: Option<Mode>,

    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[crd(default = 3)]
    pub name: Option<String>,

    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[crd(default = "x")]
    pub open: Option<RawExtension>,

    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[crd(default = { "size": "x" })]
    pub part: Option<Part>,

    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[crd(type = "number", default = "x")]
    pub ratio: Option<f64>,

    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[crd(type = "integer", default = "x")]
    pub size: Option<i64>,

    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[crd(default = 3000000000)]
    pub small: Option<i32>,

    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[crd(default = "yesterday")]
    pub time: Option<Time>,

    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[crd(values(type = "integer", default = "x"))]
    pub values: Option<BTreeMap<String, i64>>,
}

/// ---
/// Values of `.spec.mode` in `Defaulted`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, CrdSchema)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// The value `a`.
    A,

    /// The value `b`.
    B,
}

/// ---
/// Fields of `.spec.part` in `Defaulted`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CrdSchema)]
pub struct Part {
    pub name: String,

    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[crd(type = "integer")]
    pub size: Option<i64>,
}
