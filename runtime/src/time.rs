//! Time constants and intervals.

use std::time::Duration;

use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};

/// Practically unlimited, yet small enough to be added to any current `Instant` without overflow.
pub(crate) const FOR_EVER: Duration = Duration::from_secs(30 * 365 * 24 * 3600);

/// Returns an interval that ticks every `period`, for the first time after one. A late tick delays
/// the following ones.
pub(crate) fn every(period: Duration) -> Interval {
    let mut ticks = interval_at(Instant::now() + period, period);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks
}
