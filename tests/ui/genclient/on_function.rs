//! A function cannot be served.
use genclient::prelude::*;

#[genclient]
pub fn task() {}

fn main() {}
