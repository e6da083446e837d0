//! Waiting until an informer has synced.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use super::error::SyncError;
use super::status::Status;
use crate::scheme::GroupVersionResource;

/// Result of a sync that succeeded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Synced {
    /// The number of undecodable objects of each informer that has any, when the wait ended. They
    /// are missing in the cache, or are there in an older state;
    /// [`SharedInformer::skipped`](super::SharedInformer::skipped) names them.
    pub skipped: Vec<(GroupVersionResource, usize)>,
}

/// Limits of waiting for a sync.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patience {
    /// How long a refusal may persist: see [`SyncError::Refused`].
    pub(super) grace: Duration,
    /// Limit of the whole sync; `None` waits forever.
    pub(super) timeout: Option<Duration>,
}

impl Synced {
    /// Returns the result for informers with these numbers of skipped objects.
    pub(super) fn of(skipped: impl IntoIterator<Item = (GroupVersionResource, usize)>) -> Self {
        let skipped = skipped.into_iter();
        Self {
            skipped: skipped.filter(|(_, count)| *count > 0).collect(),
        }
    }

    /// Returns the number of skipped objects of all informers.
    #[must_use]
    pub fn skipped(&self) -> usize {
        self.skipped.iter().map(|(_, count)| count).sum()
    }
}

/// Waits until the cache has synced.
pub(super) async fn wait(
    status: &watch::Sender<Status>,
    resource: &GroupVersionResource,
    patience: Patience,
) -> Result<(), SyncError> {
    // Consumes budget, so that a caller that waits in a loop lets other tasks run.
    tokio::task::coop::consume_budget().await;
    let mut status = status.subscribe();
    let begun = Instant::now();
    let timeout = patience.timeout.map(|timeout| (timeout, begun + timeout));
    loop {
        let known = status.borrow_and_update().clone();
        if let Some(verdict) = known.verdict(resource, patience.grace, begun) {
            return verdict;
        }
        if let Some((timeout, deadline)) = timeout
            && Instant::now() >= deadline
        {
            return Err(known.timed_out(resource, timeout));
        }
        let hopeless_at = known.hopeless_at(patience.grace, begun);
        let deadlines = hopeless_at.into_iter().chain(timeout.map(|(_, at)| at));
        tokio::select! {
            // Cannot fail: the sender is borrowed.
            _ = status.changed() => {}
            () = at(deadlines.min()) => {}
        }
    }
}

async fn at(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}
