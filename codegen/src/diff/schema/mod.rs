//! A schema as it is compared: documentation left out, one spelling for what means the same.
//!
//! The branches of an `allOf` are constraints like any other and stand among those of the schema itself.

mod limit;
mod merge;
mod node;
mod read;

pub(super) use limit::{Bound, Limit};
pub(super) use node::{Alternatives, Node, Rule};
pub(super) use read::root;
