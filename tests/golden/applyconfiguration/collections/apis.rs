//! Collections of configurations, arrays, and arguments of generic types.

use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashSet};
use std::marker::PhantomData;
use std::num::Wrapping;

use genclient::prelude::*;
use serde::{Deserialize, Serialize};

const SIZE: usize = 2;
const WIDE: u8 = 3;
/// Source does not state its value.
const WORD: usize = size_of::<u64>();

#[genclient]
#[group = "collections.example.com"]
#[version = "v1"]
pub struct Collected {
    pub metadata: ObjectMeta,
    pub ports: BTreeSet<Port>,
    pub seen: HashSet<Port>,
    pub nested: BTreeSet<Vec<Port>>,
    pub names: BTreeSet<Box<str>>,
    pub counts: BTreeSet<Wrapping<i64>>,
    pub modes: BTreeSet<Mode>,
    pub pair: [Port; SIZE],
    pub triple: [Port; SIZE + 1],
    pub cast: [Port; WIDE as usize],
    pub fixed: Fixed<4>,
    pub plain: Twice<[u8; SIZE]>,
    pub measured: Measured<WORD>,
    pub literal: Measured<3>,
    pub signed: Signed<true>,
    pub listeners: List<Listener>,
    pub defaults: Defaults,
    pub marked: Marker<Unused>,
    pub queue: Queue,
    pub weighed: Weighed,
    /// A length of time.
    #[crd(schema = { "type": "array", "items": { "type": "integer" } })]
    pub window: (u32, Option<Port>),
    #[crd(schema = { "type": "object" })]
    pub windows: Twice<(u32, Option<Port>)>,
}

pub type List<T> = Vec<T>;

pub type Fixed<const N: usize> = [Port; N];

pub type Defaults<T = Listener> = BTreeMap<String, T>;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, CrdSchema)]
pub struct Port {
    pub port: i32,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, CrdSchema)]
pub enum Mode {
    On,
    Off,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, CrdSchema)]
pub struct Twice<T> {
    pub first: T,
    pub second: T,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, CrdSchema)]
pub struct Measured<const N: usize> {
    pub port: i32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, CrdSchema)]
pub struct Signed<const YES: bool> {
    pub port: i32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, CrdSchema)]
pub struct Listener {
    #[crd(list_type = "map", list_map_keys = ["host"])]
    pub routes: Vec<Route>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, CrdSchema)]
pub struct Route {
    pub host: String,
}

/// The argument is no part of the data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, CrdSchema)]
#[serde(transparent)]
pub struct Marker<T>(u32, PhantomData<T>);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, CrdSchema)]
pub struct Unused {
    pub a: i32,
}

#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
pub struct Queue {
    pub ports: BinaryHeap<Mode>,
}

/// The configuration does not implement `PartialEq`, since `Weight` does not.
#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
pub struct Weighed {
    pub pair: Twice<Weight>,
    pub named: Named,
}

#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
pub enum Weight {
    Light,
    Heavy,
}

#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
pub struct Named(String);

impl PartialEq<str> for Named {
    fn eq(&self, other: &str) -> bool {
        self.0 == other
    }
}
