//! Normalized schemas for comparison: without documentation, and with one representation for
//! equivalent schemas.
//!
//! The branches of an `allOf` are merged into the schema itself.

mod limit;
mod node;

pub(super) use limit::{Bound, Limit};
pub(super) use node::{Alternatives, Node, Rule, root};
