//! Time that components and whole runs have to end: [`Grace`] and [`Deadline`].

use std::pin::pin;
use std::sync::OnceLock;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::serve::LAST_ANSWERS;
use crate::component::Run;
use crate::setup::LAST_EVENTS;

/// Time for the lease, the events and the servers after work was dropped; of short timeouts a sixth.
const AFTER_WORK: Duration = Duration::from_secs(5);

/// How long tasks may take to end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grace {
    /// So long, what has begun goes on undisturbed.
    pub(super) undisturbed: Duration,
    /// After so long in all, it is dropped.
    pub(super) timeout: Duration,
}

/// The deadline of the end of a run, which all its phases share.
#[derive(Debug)]
pub(super) struct Deadline {
    timeout: Duration,
    /// When the first phase began to end.
    begun: OnceLock<Instant>,
}

impl Grace {
    /// Two thirds of a time undisturbed.
    pub(super) fn of(timeout: Duration) -> Self {
        Self {
            undisturbed: timeout / 3 * 2,
            timeout,
        }
    }

    /// Has work end, and waits for it; `None` if it does not in time.
    pub(super) async fn stop<T>(self, run: &Run, work: impl Future<Output = T>) -> Option<T> {
        let mut work = pin!(work);
        run.stop.cancel();
        // Both begin here. Unlike an instant, a sleep may be as long as any duration.
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

    /// The grace of work, which is what comes before the end of events and servers.
    pub(super) fn work(&self) -> Grace {
        let (all, spent) = (Grace::of(self.timeout), self.spent());
        let timeout = self.timeout - AFTER_WORK.min(self.timeout / 6);
        Grace {
            undisturbed: all.undisturbed.saturating_sub(spent),
            timeout: timeout.saturating_sub(spent),
        }
    }

    /// The time of the last events: they leave half of what is left to the servers.
    pub(super) fn events(&self) -> Duration {
        LAST_EVENTS.min(self.left() / 2)
    }

    /// The grace of servers: they leave some time for the answers of probes.
    pub(super) fn servers(&self) -> Grace {
        Grace::of(self.left().saturating_sub(LAST_ANSWERS))
    }

    /// The time of the last answers.
    pub(super) fn answers(&self) -> Duration {
        LAST_ANSWERS.min(self.left())
    }

    fn left(&self) -> Duration {
        self.timeout.saturating_sub(self.spent())
    }

    /// The first phase that asks begins it.
    fn spent(&self) -> Duration {
        self.begun.get_or_init(Instant::now).elapsed()
    }
}
