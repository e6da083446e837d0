//! [`Status`]: lifecycle and failures of an informer. Callers wait on it until the informer has
//! synced.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use super::error::{StopCause, SyncError};
use super::hint::hint;
use crate::reflector::ListWatchError;
use crate::scheme::GroupVersionResource;

#[derive(Clone, Debug)]
pub(super) struct Status {
    stage: Lifecycle,
    is_synced: bool,
    scopes: Vec<ScopeStatus>,
}

#[derive(Clone, Debug)]
enum Lifecycle {
    New,
    Started,
    Stopped(StopCause),
}

#[derive(Clone, Debug)]
struct ScopeStatus {
    namespace: Option<String>,
    failure: Option<ScopeFailure>,
}

#[derive(Clone, Debug)]
struct ScopeFailure {
    cause: Arc<ListWatchError>,
    /// Start of the permanent failure, or `None` if `cause` is not permanent.
    permanent_since: Option<Instant>,
}

/// Result of a successful sync.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Synced {
    /// Number of undecodable objects at the end of the wait, for each informer that has any. The
    /// cache lacks these objects, or has an older state of them.
    /// [`SharedInformer::skipped`](super::SharedInformer::skipped) returns their names.
    pub skipped: Vec<(GroupVersionResource, usize)>,
}

/// Time limits of a wait for the sync.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patience {
    /// How long a permanent failure must last to be returned as [`SyncError::Refused`].
    pub(super) grace: Duration,
    /// Timeout of the whole wait; `None` waits forever.
    pub(super) timeout: Option<Duration>,
}

// === impl Status ===

impl Status {
    pub(super) fn new(namespaces: Vec<Option<String>>) -> Self {
        let scopes = namespaces.into_iter().map(|namespace| ScopeStatus {
            namespace,
            failure: None,
        });
        Self {
            stage: Lifecycle::New,
            is_synced: false,
            scopes: scopes.collect(),
        }
    }

    /// Whether the cache has synced and the informer has not stopped.
    pub(super) fn is_synced(&self) -> bool {
        self.is_synced && self.stop_cause().is_none()
    }

    /// Returns the cause of the stop, or `None` until the informer stops.
    pub(super) fn stop_cause(&self) -> Option<&StopCause> {
        match &self.stage {
            Lifecycle::Stopped(cause) => Some(cause),
            Lifecycle::New | Lifecycle::Started => None,
        }
    }

    /// Marks the informer as started, unless it has stopped. Returns whether the status has
    /// changed.
    pub(super) fn start(&mut self) -> bool {
        let is_new = matches!(self.stage, Lifecycle::New);
        if is_new {
            self.stage = Lifecycle::Started;
        }
        is_new
    }

    /// Marks the informer as stopped. Calls after the first do nothing. Returns whether the status
    /// has changed.
    pub(super) fn stop(&mut self, cause: &StopCause) -> bool {
        let is_new = self.stop_cause().is_none();
        if is_new {
            self.stage = Lifecycle::Stopped(cause.clone());
        }
        is_new
    }

    /// Marks the informer as synced. Returns whether the status has changed.
    pub(super) fn synced(&mut self) -> bool {
        !std::mem::replace(&mut self.is_synced, true)
    }

    /// Records a failure. If it starts a permanent failure, returns a hint on how to fix it, to be
    /// logged.
    pub(super) fn failed(
        &mut self,
        scope: usize,
        error: ListWatchError,
        resource: &GroupVersionResource,
    ) -> Option<String> {
        let ScopeStatus { namespace, failure } = &mut self.scopes[scope];
        let since = failure.as_ref().and_then(|failure| failure.permanent_since);
        let permanent_since = error
            .is_permanent_failure()
            .then(|| since.unwrap_or_else(Instant::now));
        let is_news = since.is_none() && permanent_since.is_some();
        let hint = is_news.then(|| hint(&error, resource, namespace.as_deref()));
        *failure = Some(ScopeFailure {
            cause: Arc::new(error),
            permanent_since,
        });
        hint
    }

    /// Like [`failed`](Self::failed), but does nothing during a permanent failure. For example, if
    /// a list got a 403 and a stream then gets no response, the 403 may still be the reason why the
    /// cache does not sync.
    pub(super) fn streaming_failed(
        &mut self,
        scope: usize,
        error: ListWatchError,
        resource: &GroupVersionResource,
    ) -> Option<String> {
        let failure = self.scopes[scope].failure.as_ref();
        let is_already_permanent = failure.is_some_and(|failure| failure.permanent_since.is_some());
        (!is_already_permanent).then(|| self.failed(scope, error, resource))?
    }

    /// Records a response, which ends a failure. Returns whether the status has changed.
    pub(super) fn answered(&mut self, scope: usize) -> bool {
        self.scopes[scope].failure.take().is_some()
    }

    /// Returns the deadline of a wait that began at `begun`: if the permanent failure lasts until
    /// then, the wait fails. Returns `None` without a permanent failure.
    pub(super) fn refusal_deadline(&self, grace: Duration, begun: Instant) -> Option<Instant> {
        let longest_permanent_failure = self.longest_permanent_failure();
        longest_permanent_failure.map(|(.., since)| since.max(begun) + grace)
    }

    /// Returns the scope with the permanent failure that started first.
    fn longest_permanent_failure(&self) -> Option<(&ScopeStatus, &ScopeFailure, Instant)> {
        let failing = self.scopes.iter().filter_map(|scope| {
            let failure = scope.failure.as_ref()?;
            Some((scope, failure, failure.permanent_since?))
        });
        failing.min_by_key(|(.., since)| *since)
    }

    /// Returns the result of a wait that began at `begun`, or `None` if the wait has to continue.
    /// The wait fails once a permanent failure has lasted for `grace`.
    pub(super) fn sync_result(
        &self,
        resource: &GroupVersionResource,
        grace: Duration,
        begun: Instant,
    ) -> Option<Result<(), SyncError>> {
        let resource = resource.clone();
        match &self.stage {
            Lifecycle::New => return Some(Err(SyncError::NotStarted { resource })),
            Lifecycle::Stopped(cause) => {
                let cause = cause.clone();
                return Some(Err(SyncError::Stopped { resource, cause }));
            }
            Lifecycle::Started if self.is_synced => return Some(Ok(())),
            Lifecycle::Started => {}
        }
        let (scope, failure, since) = self.longest_permanent_failure()?;
        if since.max(begun).elapsed() < grace {
            return None;
        }
        Some(Err(SyncError::Refused {
            hint: hint(&failure.cause, &resource, scope.namespace.as_deref()),
            resource,
            namespace: scope.namespace.clone(),
            cause: Arc::clone(&failure.cause),
        }))
    }

    pub(super) fn timed_out(
        &self,
        resource: &GroupVersionResource,
        timeout: Duration,
    ) -> SyncError {
        let failing = self.scopes.iter().find(|scope| scope.failure.is_some());
        SyncError::Timeout {
            resource: resource.clone(),
            namespace: failing.and_then(|scope| scope.namespace.clone()),
            timeout,
            cause: failing
                .and_then(|scope| scope.failure.as_ref())
                .map(|failure| Arc::clone(&failure.cause)),
        }
    }
}

// === impl Synced ===

impl Synced {
    /// Returns the result for informers with these numbers of undecodable objects.
    pub(super) fn of(skipped: impl IntoIterator<Item = (GroupVersionResource, usize)>) -> Self {
        let skipped = skipped.into_iter();
        Self {
            skipped: skipped.filter(|(_, count)| *count > 0).collect(),
        }
    }

    /// Returns the number of undecodable objects of all informers.
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
    // If the result is already known, nothing below yields. Without this line, a caller that waits
    // again and again in a loop would then block its thread.
    tokio::task::coop::consume_budget().await;
    let mut status = status.subscribe();
    let begun = Instant::now();
    let timeout = patience.timeout.map(|timeout| (timeout, begun + timeout));
    loop {
        let known = status.borrow_and_update().clone();
        if let Some(result) = known.sync_result(resource, patience.grace, begun) {
            return result;
        }
        if let Some((timeout, deadline)) = timeout
            && Instant::now() >= deadline
        {
            return Err(known.timed_out(resource, timeout));
        }
        let refusal_deadline = known.refusal_deadline(patience.grace, begun);
        let deadlines = refusal_deadline
            .into_iter()
            .chain(timeout.map(|(_, at)| at));
        tokio::select! {
            // `changed` cannot fail, since the sender is borrowed here.
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
