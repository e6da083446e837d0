//! Invalid extension methods.
use genclient::prelude::*;

#[genclient(method(name = "scale"))]
#[group = "example.com"]
#[version = "v1"]
pub struct WithoutVerb {
    pub metadata: ObjectMeta,
}

#[genclient(method(name = "scale", verb = "delete"))]
#[group = "example.com"]
#[version = "v1"]
pub struct OtherVerb {
    pub metadata: ObjectMeta,
}

#[genclient(method(name = "getScale", verb = "get"))]
#[group = "example.com"]
#[version = "v1"]
pub struct CamelCase {
    pub metadata: ObjectMeta,
}

#[genclient(method(name = "get", verb = "get"))]
#[group = "example.com"]
#[version = "v1"]
pub struct Taken {
    pub metadata: ObjectMeta,
}

#[genclient(method(name = "fetch", verb = "get", input = "Scale"))]
#[group = "example.com"]
#[version = "v1"]
pub struct InputOfGet {
    pub metadata: ObjectMeta,
}

#[genclient(method(name = "fetch", verb = "get", result = "Scale!"))]
#[group = "example.com"]
#[version = "v1"]
pub struct NoType {
    pub metadata: ObjectMeta,
}

#[genclient(method(name = "fetch", verb = "get", subresouce = "scale"))]
#[group = "example.com"]
#[version = "v1"]
pub struct UnknownArgument {
    pub metadata: ObjectMeta,
}

fn main() {}
