//! Controllers of the server itself: further writes that a write leads to.

pub(crate) mod establishing;
