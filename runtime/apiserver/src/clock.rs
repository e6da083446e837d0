//! [`Clock`]: wall clock of a server. It advances with tokio's clock, so a test that pauses tokio's
//! clock also controls timestamps, leases and timeouts.

use genclient::clock;
use genclient::k8s_openapi::jiff::{SignedDuration, Timestamp};
use tokio::time::Instant;

/// Wall clock: its start time plus the time that has elapsed on tokio's clock. A manager whose
/// [clock](genclient::clock) it is as well sees the same time as its API server.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    start: Timestamp,
    began: Instant,
}

impl Clock {
    /// Returns a clock that shows the system time.
    pub fn system() -> Self {
        Self::at(Timestamp::now())
    }

    /// Returns a clock whose current time is `start`.
    pub fn at(start: Timestamp) -> Self {
        Self {
            start,
            began: Instant::now(),
        }
    }

    /// Returns the wall time.
    pub fn now(&self) -> Timestamp {
        let elapsed = SignedDuration::try_from(self.began.elapsed()).unwrap_or_default();
        self.start.checked_add(elapsed).unwrap_or(Timestamp::MAX)
    }

    /// Returns the time at which the clock started, in RFC 3339 format in UTC with whole seconds.
    pub(crate) fn start(&self) -> String {
        format_time(self.start)
    }

    /// Returns the wall time in RFC 3339 format in UTC with whole seconds.
    pub(crate) fn timestamp(&self) -> String {
        format_time(self.now())
    }
}

impl clock::Clock for Clock {
    fn now(&self) -> Timestamp {
        Self::now(self)
    }
}

/// Formats a time in RFC 3339 format in UTC with whole seconds, as in `creationTimestamp`.
pub(crate) fn format_time(at: Timestamp) -> String {
    let at = Timestamp::from_second(at.as_second()).unwrap_or(Timestamp::UNIX_EPOCH);
    at.to_string()
}
