//! Helpers for `genclient-envtest`, which reads manifests as this crate does. This module is not a
//! public API and changes without notice.

pub use crate::decode::large_stack::on_large_stack;
pub use crate::text_file::read_text_file;
