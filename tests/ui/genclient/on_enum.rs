//! `#[genclient]` on an enum.
use genclient::prelude::*;

#[genclient]
#[group = "example.com"]
pub enum GPUTask {
    A,
}

fn main() {}
