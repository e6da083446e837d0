//! Durations as they can be reckoned with.

use std::time::Duration;

/// As good as for ever; the sum with any time that a clock shows is a valid one.
pub(crate) const FOR_EVER: Duration = Duration::from_secs(30 * 365 * 24 * 3600);
