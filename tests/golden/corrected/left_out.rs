//! Values that serde serializes, or that the API server does not replace by another default.

use std::collections::BTreeMap;

use genclient::prelude::*;

#[genclient]
#[group = "errors.example.com"]
#[version = "v1"]
pub struct Widget {
    pub metadata: ObjectMeta,
    pub spec: WidgetSpec,
}

#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
pub struct WidgetSpec {
    #[serde(default)]
    #[crd(default = ["a"])]
    pub list: Vec<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub map: BTreeMap<String, String>,
    #[serde(default = "name")]
    pub text: String,
    #[serde(default)]
    #[crd(default = true)]
    pub flag: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    pub number: i32,
    #[serde(default)]
    pub of_the_type: Tags,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[crd(default = [])]
    pub the_same: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[crd(default = 3)]
    pub nobody_chose: Option<i32>,
    #[serde(default = "name", skip_serializing_if = "String::is_empty")]
    #[crd(no_default)]
    pub for_the_reader: String,
    #[serde(default = "name")]
    pub always_written: String,
    #[serde(default, skip_serializing_if = "is_odd")]
    #[crd(default = 3)]
    pub not_known: i32,
    pub mistake: Missing,
}

#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
#[crd(default = ["all"])]
pub struct Tags(pub Vec<String>);

#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
pub struct Missing {
    pub name: String,
}

fn name() -> String {
    "widget".to_owned()
}
