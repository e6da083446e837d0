//! Comparison of old and new definitions.

mod constraints;
mod definitions;
mod log;
mod nulls;
mod schemas;

pub(super) use definitions::compare;
