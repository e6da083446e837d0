//! Waiting until an informer has synced.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use super::error::SyncError;
use super::status::Status;
use crate::scheme::GroupVersionResource;

/// What is to be known about caches that have synced.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Synced {
    /// How many objects could not be read and are not in the cache, or are there as they were before: of every informer that
    /// skipped any. [`SharedInformer::skipped`](super::SharedInformer::skipped) names them.
    pub skipped: Vec<(GroupVersionResource, usize)>,
}

/// How long to wait, and for what.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patience {
    /// How long an answer that time rarely mends may persist.
    pub(super) grace: Duration,
    /// How long all of it may take.
    pub(super) timeout: Option<Duration>,
}

impl Synced {
    /// How many objects were skipped, of all kinds.
    #[must_use]
    pub fn skipped(&self) -> usize {
        self.skipped.iter().map(|(_, count)| count).sum()
    }
}

/// Waits until the cache has synced; returns how many objects were skipped.
pub(super) async fn wait(
    mut status: watch::Receiver<Status>,
    resource: &GroupVersionResource,
    patience: Patience,
) -> Result<usize, SyncError> {
    // Who waits in a loop lets other tasks run now and then.
    tokio::task::coop::consume_budget().await;
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
            changed = status.changed() => if changed.is_err() {
                return Err(SyncError::Stopped { resource: resource.clone() });
            },
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
