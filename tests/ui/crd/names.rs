//! Invalid resource names, categories and scopes.
use genclient::prelude::*;

#[genclient]
#[group = "example.com"]
#[version = "v1"]
#[crd(plural = "Tasks")]
pub struct Plural {
    pub metadata: ObjectMeta,
}

#[genclient]
#[group = "example.com"]
#[version = "v1"]
#[crd(singular = "a task")]
pub struct Singular {
    pub metadata: ObjectMeta,
}

#[genclient]
#[group = "example.com"]
#[version = "v1"]
#[crd(short_names = ["GT", "gt"])]
pub struct ShortName {
    pub metadata: ObjectMeta,
}

#[genclient]
#[group = "example.com"]
#[version = "v1"]
#[crd(short_names = ["gt", "gt"])]
pub struct ShortNameTwice {
    pub metadata: ObjectMeta,
}

#[genclient]
#[group = "example.com"]
#[version = "v1"]
#[crd(categories = "all")]
pub struct Categories {
    pub metadata: ObjectMeta,
}

#[genclient]
#[group = "example.com"]
#[version = "v1"]
#[crd(scope = "cluster")]
pub struct Scope {
    pub metadata: ObjectMeta,
}

fn main() {}
