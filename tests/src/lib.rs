//! Shared support for tests: listing of folders and of golden cases.

mod files;

pub use files::{files, golden_files};
