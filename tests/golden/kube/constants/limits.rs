//! Constants of the crate, outside of its API types.

use std::sync::LazyLock;

pub const MOST: u32 = 1 << 6;

/// What schemars takes for an expression is anything that is written as text.
pub static WORD: LazyLock<String> = LazyLock::new(|| "^[a-z]+$".to_owned());
