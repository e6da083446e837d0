//! Lists, sets and maps.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use genclient::prelude::*;
use proptest_derive::Arbitrary;
use schemars::JsonSchema;

use super::structs::{Plain, Text};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Arbitrary, CrdSchema)]
pub struct Lists {
    pub texts: Vec<String>,
    pub objects: Vec<Plain>,
    pub queue: VecDeque<i32>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Arbitrary, CrdSchema)]
pub struct Nested {
    pub lists: Vec<Vec<i32>>,
    pub maps: BTreeMap<String, BTreeMap<String, bool>>,
    pub both: BTreeMap<String, Vec<Plain>>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Arbitrary, CrdSchema)]
pub struct OptionalItems {
    pub list: Vec<Option<i32>>,
    pub map: BTreeMap<String, Option<String>>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Arbitrary, CrdSchema)]
pub struct Arrays {
    pub three: [i32; 3],
    pub pairs: [[u8; 2]; 2],
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Arbitrary, CrdSchema)]
pub struct Sets {
    pub texts: BTreeSet<String>,
    pub numbers: BTreeSet<i32>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Arbitrary, CrdSchema)]
pub struct Maps {
    pub texts: BTreeMap<String, String>,
    pub objects: HashMap<String, Plain>,
    pub newtypes: BTreeMap<String, Text>,
}
