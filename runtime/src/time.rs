//! Time constants and intervals.

use std::time::Duration;

use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};

/// 30 years: practically unlimited, but can be added to any current `Instant` without overflow.
pub(crate) const FOR_EVER: Duration = Duration::from_secs(30 * 365 * 24 * 3600);

/// Returns an interval that ticks every `period`, for the first time after `period`. If a tick is
/// late, the next one follows a full `period` after it.
pub(crate) fn every(period: Duration) -> Interval {
    let mut ticks = interval_at(Instant::now() + period, period);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks
}
