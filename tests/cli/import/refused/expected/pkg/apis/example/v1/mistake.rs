//! The kind `Mistake` in version `v1` of the group `example.com`.

#![allow(missing_docs, reason = "descriptions and names are those of the CRD")]

use std::collections::BTreeMap;

use genclient::prelude::*;

#[genclient]
#[group = "example.com"]
#[crd(unserved)]
pub struct Mistake {
    /// Standard object metadata.
    pub metadata: ObjectMeta,

    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[crd(type = "integer", maximum = 9223372036854775807)]
    pub beyond: Option<i64>,

    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub items: Option<String>,

    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[crd(one_of = [{}, {}])]
    pub none: Option<bool>,

    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[crd(values(min_items = 3, max_items = 2, items(type = "integer")))]
    pub sizes: Option<BTreeMap<String, Vec<i64>>>,
}
