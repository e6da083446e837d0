//! `CrdSchema` on a union, which has no schema.
use genclient::prelude::*;

#[derive(CrdSchema)]
pub union Spec {
    pub a: u8,
}

fn main() {}
