//! Keys on structs, enums, fields of variants, lists and maps; the derive generates no code.
use std::collections::BTreeMap;

use genclient::prelude::*;

#[derive(CrdSchema)]
#[crd(at_most_one_of = ["a", "b"], struct_type = "atomic", validation(rule = "has(self.a) || has(self.b)", message = "a or b"))]
pub struct Spec {
    #[crd(min_length = 1, max_length = 63, pattern = "^[a-z]+$", default = "x")]
    pub a: Option<String>,
    #[crd(minimum = 0, exclusive_minimum, enum = [1, 2], nullable)]
    pub b: Option<i32>,
    #[crd(list_type = "map", list_map_keys = ["name"], max_items = 4)]
    pub ports: Vec<Port>,
    #[crd(keys(max_length = 10), values(items(min_length = 1)))]
    pub lists: BTreeMap<String, Vec<String>>,
    #[crd(schema = { "type": "string", "x-kubernetes-validations": [{ "rule": "true" }] })]
    pub foreign: std::net::IpAddr,
}

#[derive(CrdSchema)]
pub struct Port {
    pub name: String,
}

#[derive(CrdSchema)]
#[crd(title = "How to store")]
pub enum Store {
    None,
    Disk {
        #[crd(minimum = 1)]
        size: u64,
    },
    Remote(#[crd(format = "uri")] String),
}

#[derive(CrdSchema)]
#[crd(max_length = 253)]
pub struct Name<T>(pub String, pub std::marker::PhantomData<T>);
