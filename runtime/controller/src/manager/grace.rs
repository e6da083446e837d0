//! Shutdown timeouts of components and whole runs: [`Grace`] and [`Deadline`].

use std::pin::pin;
use std::sync::OnceLock;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::serve::LAST_ANSWERS;
use crate::component::Run;
use crate::setup::LAST_EVENTS;

/// Time for lease, events and servers after work was dropped; a sixth of short timeouts.
const AFTER_WORK: Duration = Duration::from_secs(5);

/// Shutdown timeouts of tasks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grace {
    /// Time in which work under way goes on undisturbed.
    pub(super) undisturbed: Duration,
    /// Time after which the work is dropped, `undisturbed` included.
    pub(super) timeout: Duration,
}

/// Deadline of the shutdown of a run, shared by all its phases.
#[derive(Debug)]
pub(super) struct Deadline {
    timeout: Duration,
    /// When the first phase began to end.
    begun: OnceLock<Instant>,
}

impl Grace {
    /// Returns a grace that is undisturbed for two thirds of a time.
    pub(super) fn of(timeout: Duration) -> Self {
        Self {
            undisturbed: timeout / 3 * 2,
            timeout,
        }
    }

    /// Stops work, and waits for it; `None` if it does not end in time.
    pub(super) async fn stop<T>(self, run: &Run, work: impl Future<Output = T>) -> Option<T> {
        let mut work = pin!(work);
        run.stop.cancel();
        // Both sleeps begin here. Unlike an instant, a sleep may be as long as any duration.
        let undisturbed = sleep(self.undisturbed.min(self.timeout));
        let end = sleep(self.timeout);
        tokio::select! {
            biased;
            ended = work.as_mut() => return Some(ended),
            () = undisturbed => {}
        }
        run.cancel.cancel();
        tokio::select! {
            biased;
            ended = work => Some(ended),
            () = end => None,
        }
    }
}

impl Deadline {
    pub(super) fn new(timeout: Duration) -> Self {
        Self {
            timeout,
            begun: OnceLock::new(),
        }
    }

    /// Returns the grace of work, which ends before events and servers do.
    pub(super) fn work(&self) -> Grace {
        let (all, spent) = (Grace::of(self.timeout), self.spent());
        let timeout = self.timeout - AFTER_WORK.min(self.timeout / 6);
        Grace {
            undisturbed: all.undisturbed.saturating_sub(spent),
            timeout: timeout.saturating_sub(spent),
        }
    }

    /// Returns the time for the last events, which leaves half of the rest to the servers.
    pub(super) fn events(&self) -> Duration {
        LAST_EVENTS.min(self.left() / 2)
    }

    /// Returns the grace of servers, which leaves time for the answers of probes.
    pub(super) fn servers(&self) -> Grace {
        Grace::of(self.left().saturating_sub(LAST_ANSWERS))
    }

    /// Returns the time for the last answers.
    pub(super) fn answers(&self) -> Duration {
        LAST_ANSWERS.min(self.left())
    }

    fn left(&self) -> Duration {
        self.timeout.saturating_sub(self.spent())
    }

    /// Returns the time since the first call, by the first phase that ends.
    fn spent(&self) -> Duration {
        self.begun.get_or_init(Instant::now).elapsed()
    }
}
