//! Keys of list items: parameters of constructors.

use std::collections::BTreeMap;

use genclient::prelude::*;
use serde::{Deserialize, Serialize};

#[genclient]
#[group = "keys.example.com"]
#[version = "v1"]
pub struct Keyed {
    pub metadata: ObjectMeta,
    /// Identified by two keys.
    #[crd(list_type = "map", list_map_keys = ["name", "port"])]
    pub pairs: Vec<Pair>,
    /// A key with a default is no parameter.
    #[crd(list_type = "map", list_map_keys = ["port", "protocol"])]
    pub ports: Vec<Port>,
    /// One type in two lists with different keys.
    #[crd(list_type = "map", list_map_keys = ["first"])]
    pub firsts: Vec<Both>,
    #[crd(list_type = "map", list_map_keys = ["second"])]
    pub seconds: Vec<Both>,
    /// The keys are in flattened structs.
    #[crd(list_type = "map", list_map_keys = ["id", "kind"])]
    pub nested: Vec<Nested>,
    /// Two keys with one identifier.
    #[crd(list_type = "map", list_map_keys = ["name", "zone"])]
    pub namesakes: Vec<Namesake>,
    /// Lists in a map.
    pub by_zone: BTreeMap<String, Zoned>,
    /// Items of Kubernetes.
    #[crd(list_type = "map", list_map_keys = ["type"])]
    pub conditions: Vec<Condition>,
    /// A single value of a type with keys.
    pub single: Option<Both>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, CrdSchema)]
pub struct Pair {
    pub value: Option<String>,
    pub port: i32,
    pub name: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, CrdSchema)]
pub struct Port {
    pub port: i32,
    #[crd(default = "TCP")]
    pub protocol: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, CrdSchema)]
pub struct Both {
    pub first: String,
    pub second: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, CrdSchema)]
pub struct Nested {
    #[serde(flatten)]
    pub outer: Outer,
    pub text: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, CrdSchema)]
pub struct Outer {
    #[serde(flatten)]
    pub inner: Inner,
    #[serde(rename = "kind")]
    pub type_: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, CrdSchema)]
pub struct Inner {
    pub id: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, CrdSchema)]
pub struct Namesake {
    #[serde(flatten)]
    pub located: Located,
    #[serde(rename = "name")]
    pub id: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, CrdSchema)]
pub struct Located {
    #[serde(rename = "zone")]
    pub id: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, CrdSchema)]
pub struct Zoned {
    #[crd(list_type = "map", list_map_keys = ["name"])]
    pub items: Vec<Item>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, CrdSchema)]
pub struct Item {
    pub name: String,
}
