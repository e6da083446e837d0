//! `#[genclient]` on a function.
use genclient::prelude::*;

#[genclient]
pub fn task() {}

fn main() {}
