//! An enum cannot be served.
use genclient::prelude::*;

#[genclient]
#[group = "example.com"]
pub enum GPUTask {
    A,
}

fn main() {}
