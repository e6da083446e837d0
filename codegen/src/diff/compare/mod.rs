//! Comparison of old and new definitions.

mod constraints;
mod definitions;
mod nulls;
mod pairs;
mod schemas;
mod topology;
mod versions;

pub(super) use definitions::compare;
