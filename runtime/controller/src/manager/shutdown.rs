//! Shutdown timeouts of components and whole runs: [`ShutdownTimeouts`] and [`ShutdownDeadline`].

use std::pin::pin;
use std::sync::OnceLock;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::serve::LAST_ANSWERS_TIMEOUT;
use crate::component::Run;
use crate::setup::LAST_EVENTS;

/// Time at the end of a shutdown that is reserved to release the lease, send the last events and
/// stop the servers. If a sixth of the shutdown timeout is shorter, only that sixth is reserved.
const RESERVED_AFTER_WORK: Duration = Duration::from_secs(5);

/// Shutdown timeouts of tasks.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShutdownTimeouts {
    /// Time from the cancellation of [`Run::stop`] to the cancellation of [`Run::cancel`].
    pub(super) undisturbed: Duration,
    /// Time from the cancellation of [`Run::stop`] to the drop of work that still runs.
    pub(super) timeout: Duration,
}

/// Deadline of the shutdown of a run, shared by all its phases.
#[derive(Debug)]
pub(super) struct ShutdownDeadline {
    timeout: Duration,
    /// When the shutdown began.
    begun: OnceLock<Instant>,
}

impl ShutdownTimeouts {
    /// Returns timeouts for work that is dropped after `timeout`. After two thirds of it, `cancel`
    /// is cancelled.
    pub(super) fn new(timeout: Duration) -> Self {
        Self {
            undisturbed: timeout / 3 * 2,
            timeout,
        }
    }

    /// Stops `work` by the tokens of `run`, and waits for it. Returns its result, or `None` if it
    /// does not end in time.
    pub(super) async fn stop<T>(self, run: &Run, work: impl Future<Output = T>) -> Option<T> {
        let mut work = pin!(work);
        run.stop.cancel();
        // All sleeps begin here. Unlike a deadline, a sleep of `Duration::MAX` does not overflow.
        let undisturbed = self.undisturbed.min(self.timeout);
        let requests = undisturbed + (self.timeout - undisturbed) / 2;
        let steps = [
            (sleep(undisturbed), Some(&run.cancel)),
            (sleep(requests), Some(&run.end_requests)),
            (sleep(self.timeout), None),
        ];
        for (end, token) in steps {
            tokio::select! {
                biased;
                ended = work.as_mut() => return Some(ended),
                () = end => {}
            }
            if let Some(token) = token {
                token.cancel();
            }
        }
        None
    }
}

impl ShutdownDeadline {
    pub(super) fn new(timeout: Duration) -> Self {
        Self {
            timeout,
            begun: OnceLock::new(),
        }
    }

    /// Returns the timeouts of work: the remaining time, except the time that is reserved by
    /// [`RESERVED_AFTER_WORK`].
    pub(super) fn work_timeouts(&self) -> ShutdownTimeouts {
        let (all, elapsed) = (ShutdownTimeouts::new(self.timeout), self.elapsed());
        let timeout = self.timeout - RESERVED_AFTER_WORK.min(self.timeout / 6);
        ShutdownTimeouts {
            undisturbed: all.undisturbed.saturating_sub(elapsed),
            timeout: timeout.saturating_sub(elapsed),
        }
    }

    /// Returns the time in which the lease has to be released: the time for work, and half of the
    /// time that is reserved after it.
    pub(super) fn release_timeout(&self) -> Duration {
        let reserved = RESERVED_AFTER_WORK.min(self.timeout / 6);
        self.remaining().saturating_sub(reserved / 2)
    }

    /// Returns the time for the last events: at most half of the remaining time. Servers get the
    /// rest.
    pub(super) fn events_timeout(&self) -> Duration {
        LAST_EVENTS.min(self.remaining() / 2)
    }

    /// Returns the timeouts of components that are servers. They leave time for the last responses
    /// of probes.
    pub(super) fn server_timeouts(&self) -> ShutdownTimeouts {
        ShutdownTimeouts::new(self.remaining().saturating_sub(LAST_ANSWERS_TIMEOUT))
    }

    /// Returns the time in which the manager's own servers may complete their last responses.
    pub(super) fn answers_timeout(&self) -> Duration {
        LAST_ANSWERS_TIMEOUT.min(self.remaining())
    }

    fn remaining(&self) -> Duration {
        self.timeout.saturating_sub(self.elapsed())
    }

    /// Returns the time since the first call of this method, which begins the shutdown.
    fn elapsed(&self) -> Duration {
        self.begun.get_or_init(Instant::now).elapsed()
    }
}
