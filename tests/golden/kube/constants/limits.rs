//! Constants outside of the API module.

use std::sync::LazyLock;

pub const MOST: u32 = 1 << 6;

/// As a pattern, schemars accepts any expression that can be converted to text.
pub static WORD: LazyLock<String> = LazyLock::new(|| "^[a-z]+$".to_owned());
