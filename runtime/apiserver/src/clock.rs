//! Clock of a server: wall time that moves with tokio's, so that a test that pauses time moves
//! timestamps, leases and timeouts together.

use genclient::k8s_openapi::jiff::{SignedDuration, Timestamp};
use tokio::time::Instant;

/// Wall time at a beginning, and the time since.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    start: Timestamp,
    began: Instant,
}

impl Clock {
    /// The time of the machine.
    pub fn system() -> Self {
        Self::at(Timestamp::now())
    }

    /// A clock that shows `start` now.
    pub fn at(start: Timestamp) -> Self {
        Self {
            start,
            began: Instant::now(),
        }
    }

    /// The wall time.
    pub fn now(&self) -> Timestamp {
        let elapsed = SignedDuration::try_from(self.began.elapsed()).unwrap_or_default();
        self.start.checked_add(elapsed).unwrap_or(Timestamp::MAX)
    }

    /// The wall time at the beginning, as objects have it.
    pub(crate) fn start(&self) -> String {
        text(self.start)
    }

    /// The wall time as objects have it: RFC 3339 in UTC with whole seconds.
    pub(crate) fn timestamp(&self) -> String {
        text(self.now())
    }
}

/// A time as objects have it: RFC 3339 in UTC with whole seconds.
pub(crate) fn text(at: Timestamp) -> String {
    let at = Timestamp::from_second(at.as_second()).unwrap_or(Timestamp::UNIX_EPOCH);
    at.to_string()
}
