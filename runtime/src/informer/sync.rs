//! Whether an informer has synced, and if not, why.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use super::status::Status;
use crate::reflector::Error;
use crate::scheme::GroupVersionResource;

/// Why caches did not sync.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SyncError {
    /// The API server keeps giving an answer that time rarely mends.
    #[error("{resource}{} cannot be cached: {hint}", within(.namespace.as_deref()))]
    Refused {
        /// What was to be cached.
        resource: GroupVersionResource,
        /// The namespace, if the informer is limited to some.
        namespace: Option<String>,
        /// What to do about it.
        hint: String,
        /// What the API server answered.
        #[source]
        cause: Arc<Error>,
    },
    /// It took longer than `sync_timeout`.
    #[error("{resource}{} was not cached within {} s", within(.namespace.as_deref()), timeout.as_secs_f64())]
    Timeout {
        /// What was to be cached.
        resource: GroupVersionResource,
        /// The namespace that is missing, if the informer is limited to some.
        namespace: Option<String>,
        /// What was allowed.
        timeout: Duration,
        /// The last failure, if there was one.
        #[source]
        cause: Option<Arc<Error>>,
    },
    /// The informer was asked for after the factory was started, and never started itself.
    #[error(
        "the informer of {resource} has not been started: call `start` after the last informer was asked for"
    )]
    NotStarted {
        /// What was to be cached.
        resource: GroupVersionResource,
    },
    /// The informer stopped.
    #[error("the informer of {resource} has stopped")]
    Stopped {
        /// What was to be cached.
        resource: GroupVersionResource,
    },
}

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

// === impl SyncError ===

impl SyncError {
    /// What was to be cached.
    #[must_use]
    pub fn resource(&self) -> &GroupVersionResource {
        match self {
            Self::Refused { resource, .. }
            | Self::Timeout { resource, .. }
            | Self::NotStarted { resource }
            | Self::Stopped { resource } => resource,
        }
    }

    /// What the last list or watch failed with, if one did.
    #[must_use]
    pub fn cause(&self) -> Option<&Error> {
        match self {
            Self::Refused { cause, .. } => Some(cause),
            Self::Timeout { cause, .. } => cause.as_deref(),
            Self::NotStarted { .. } | Self::Stopped { .. } => None,
        }
    }

    /// The HTTP status that the API server answered with, such as 403, if that is what failed.
    #[must_use]
    pub fn code(&self) -> Option<u16> {
        let code = self.cause()?.code();
        (code != 0).then_some(code)
    }
}

// === impl Synced ===

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

fn within(namespace: Option<&str>) -> impl fmt::Display {
    namespace.map_or_else(String::new, |namespace| {
        format!(" in namespace `{namespace}`")
    })
}
