//! Lifecycle and failures of an informer, and the wait until it has synced.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use crate::reflector::ListWatchError;
use crate::scheme::GroupVersionResource;

/// Built-in groups of Kubernetes whose names contain a dot, like groups of
/// CustomResourceDefinitions.
const BUILT_IN: [&str; 18] = [
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "apiregistration.k8s.io",
    "authentication.k8s.io",
    "authorization.k8s.io",
    "certificates.k8s.io",
    "coordination.k8s.io",
    "discovery.k8s.io",
    "events.k8s.io",
    "flowcontrol.apiserver.k8s.io",
    "internal.apiserver.k8s.io",
    "networking.k8s.io",
    "node.k8s.io",
    "rbac.authorization.k8s.io",
    "resource.k8s.io",
    "scheduling.k8s.io",
    "storage.k8s.io",
    "storagemigration.k8s.io",
];

#[derive(Clone, Debug)]
pub(super) struct Status {
    lifecycle: Lifecycle,
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
pub(super) struct SyncTimeouts {
    /// How long a permanent failure must last to be returned as [`SyncError::Refused`].
    pub(super) grace: Duration,
    /// Timeout of the whole wait; `None` waits forever.
    pub(super) timeout: Option<Duration>,
}

/// Reason why an informer stopped, returned by
/// [`SharedInformer::stopped`](super::SharedInformer::stopped).
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StopCause {
    /// The informer or its factory was shut down, or the last handle of the informer was dropped.
    #[error("it was shut down")]
    Shutdown,
    /// A list or a watch panicked with this message, for example in a layer of the client.
    #[error("a list or watch panicked: {0}")]
    Panicked(String),
    /// The client can send no more requests: one of its layers panicked or failed for good.
    #[error("the client is closed")]
    ClientClosed(#[source] Arc<ListWatchError>),
    /// The Tokio runtime that the informer was started in is shutting down.
    #[error("the Tokio runtime was shut down")]
    RuntimeShutdown,
}

/// Reason why a cache did not sync.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SyncError {
    /// Permanent failure. The API server answers with 400, 401, 403, 404 or 405, or with something
    /// that is not a list or watch. Or the request cannot be built, or TLS fails.
    #[error("{resource}{} cannot be cached: {hint}", within(.namespace.as_deref()))]
    Refused {
        /// The resource of the informer.
        resource: GroupVersionResource,
        /// The namespace, if the informer is limited to namespaces.
        namespace: Option<String>,
        /// How to fix the failure.
        hint: String,
        /// The failure of the list or watch.
        #[source]
        cause: Arc<ListWatchError>,
    },
    /// The sync took longer than the factory's `sync_timeout`.
    #[error("the cache of {resource}{} did not sync within {} s", within(.namespace.as_deref()), timeout.as_secs_f64())]
    Timeout {
        /// The resource of the informer.
        resource: GroupVersionResource,
        /// The failing namespace, if the informer is limited to namespaces and one of them fails.
        namespace: Option<String>,
        /// The `sync_timeout`.
        timeout: Duration,
        /// The current failure of lists or watches, if any.
        #[source]
        cause: Option<Arc<ListWatchError>>,
    },
    /// The informer was not started, for example because it was requested after the factory's
    /// `start`.
    #[error(
        "the informer of {resource} has not been started: call `start` after creating all informers"
    )]
    NotStarted {
        /// The resource of the informer.
        resource: GroupVersionResource,
    },
    /// The informer has stopped.
    #[error("the informer of {resource} has stopped")]
    Stopped {
        /// The resource of the informer.
        resource: GroupVersionResource,
        /// Why it stopped.
        #[source]
        cause: StopCause,
    },
}

// === impl Status ===

impl Status {
    pub(super) fn new(namespaces: Vec<Option<String>>) -> Self {
        let scopes = namespaces.into_iter().map(|namespace| ScopeStatus {
            namespace,
            failure: None,
        });
        Self {
            lifecycle: Lifecycle::New,
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
        match &self.lifecycle {
            Lifecycle::Stopped(cause) => Some(cause),
            Lifecycle::New | Lifecycle::Started => None,
        }
    }

    /// Marks the informer as started, unless it has stopped. Returns whether the status has
    /// changed.
    pub(super) fn start(&mut self) -> bool {
        let is_new = matches!(self.lifecycle, Lifecycle::New);
        if is_new {
            self.lifecycle = Lifecycle::Started;
        }
        is_new
    }

    /// Marks the informer as stopped. Calls after the first do nothing. Returns whether the status
    /// has changed.
    pub(super) fn stop(&mut self, cause: &StopCause) -> bool {
        let is_new = self.stop_cause().is_none();
        if is_new {
            self.lifecycle = Lifecycle::Stopped(cause.clone());
        }
        is_new
    }

    /// Marks the informer as synced. Returns whether the status has changed.
    pub(super) fn mark_synced(&mut self) -> bool {
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
        let hint = is_news.then(|| hint_for(&error, resource, namespace.as_deref()));
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
        if is_already_permanent {
            return None;
        }
        self.failed(scope, error, resource)
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
        match &self.lifecycle {
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
            hint: hint_for(&failure.cause, &resource, scope.namespace.as_deref()),
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
    pub(super) fn from_skipped(
        skipped: impl IntoIterator<Item = (GroupVersionResource, usize)>,
    ) -> Self {
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

// === impl SyncError ===

impl SyncError {
    /// Returns the resource of the informer.
    #[must_use]
    pub fn resource(&self) -> &GroupVersionResource {
        match self {
            Self::Refused { resource, .. }
            | Self::Timeout { resource, .. }
            | Self::NotStarted { resource }
            | Self::Stopped { resource, .. } => resource,
        }
    }

    /// Returns the failure of a list or watch that caused this error, if any.
    #[must_use]
    pub fn cause(&self) -> Option<&ListWatchError> {
        match self {
            Self::Refused { cause, .. } => Some(cause),
            Self::Timeout { cause, .. } => cause.as_deref(),
            Self::Stopped { cause, .. } => match cause {
                StopCause::ClientClosed(cause) => Some(cause),
                _ => None,
            },
            Self::NotStarted { .. } => None,
        }
    }

    /// Returns the HTTP status code of the API server, such as 403, if it answered with an error.
    #[must_use]
    pub fn code(&self) -> Option<u16> {
        self.cause()?.code()
    }
}

fn within(namespace: Option<&str>) -> impl fmt::Display {
    namespace.map_or_else(String::new, |namespace| {
        format!(" in namespace `{namespace}`")
    })
}

/// Waits until the cache has synced.
pub(super) async fn wait(
    status: &watch::Sender<Status>,
    resource: &GroupVersionResource,
    timeouts: SyncTimeouts,
) -> Result<(), SyncError> {
    // If the result is already known, nothing below yields. Without this line, a caller that waits
    // again and again in a loop would then block its thread.
    tokio::task::coop::consume_budget().await;
    let mut status = status.subscribe();
    let begun = Instant::now();
    let timeout = timeouts.timeout.map(|timeout| (timeout, begun + timeout));
    loop {
        let known = status.borrow_and_update().clone();
        if let Some(result) = known.sync_result(resource, timeouts.grace, begun) {
            return result;
        }
        if let Some((timeout, deadline)) = timeout
            && Instant::now() >= deadline
        {
            return Err(known.timed_out(resource, timeout));
        }
        let refusal_deadline = known.refusal_deadline(timeouts.grace, begun);
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

/// Whether the group is built in. Every group without a dot is built in, since the group of a
/// CustomResourceDefinition must contain a dot.
fn is_built_in(group: &str) -> bool {
    !group.contains('.') || BUILT_IN.contains(&group)
}

/// Returns how to fix a permanent failure of a list or watch.
fn hint_for(
    cause: &ListWatchError,
    resource: &GroupVersionResource,
    namespace: Option<&str>,
) -> String {
    let GroupVersionResource {
        group,
        version,
        resource: plural,
    } = resource;
    match cause.code().unwrap_or_default() {
        _ if cause.is_unsent() => "the request is invalid; check the namespace".into(),
        _ if cause.is_tls_failure() => {
            "TLS failed; check the certificate authority and the address of the API server".into()
        }
        400 if cause.is_plain_http() => {
            "the API server expects HTTPS; its address has to begin with `https://`".into()
        }
        400 => "the API server rejected the request as invalid; check the selectors".into(),
        401 => "the API server rejected the credentials; they may be invalid or expired".into(),
        403 if cause.is_anonymous() => {
            "the request had no credentials; does the context of the kubeconfig name a user that \
             the kubeconfig has?"
                .into()
        }
        403 => {
            let role = namespace.map_or_else(
                || "a ClusterRole".to_owned(),
                |namespace| format!("a Role in namespace `{namespace}`"),
            );
            format!(
                "a permission is missing; grant it through {role} with the rule \
                 {{apiGroups: [\"{group}\"], resources: [\"{plural}\"], verbs: [\"list\", \"watch\"]}}"
            )
        }
        404 if is_built_in(group) => {
            format!("the API server does not serve it; is version `{version}` of its API enabled?")
        }
        404 => format!(
            "the API server does not serve it; is the CustomResourceDefinition `{plural}.{group}` \
             installed (`genclient install` in its project), and does it serve version `{version}`?"
        ),
        405 => "the API server does not allow list and watch".into(),
        _ => "the response is not from a Kubernetes API server; check the address".into(),
    }
}

#[cfg(test)]
mod tests {
    use kube::core::Status;

    use super::*;

    #[test]
    fn refusals_without_credentials_or_tls_are_recognized() {
        for (code, message, expected) in [
            (
                403,
                "configmaps is forbidden: User \"system:anonymous\" cannot list resource \"configmaps\"",
                "the request had no credentials",
            ),
            (
                403,
                "configmaps is forbidden: User \"u\" cannot list resource \"configmaps\"",
                "a permission is missing",
            ),
            (
                400,
                "Client sent an HTTP request to an HTTPS server.\n",
                "the API server expects HTTPS",
            ),
            (
                400,
                "unable to parse requirement",
                "the API server rejected the request",
            ),
        ] {
            let mut status = Status::failure(message, "");
            status.code = code;
            let found = hint_for(
                &ListWatchError::Status(Box::new(status)),
                &GroupVersionResource::new("", "v1", "configmaps"),
                None,
            );
            assert!(found.starts_with(expected), "{message}: {found}");
        }
    }

    #[test]
    fn built_in_groups_are_recognized() {
        for (group, built_in) in [
            ("", true),
            ("apps", true),
            ("coordination.k8s.io", true),
            ("resource.k8s.io", true),
            ("falldio.com", false),
            ("gateway.networking.k8s.io", false),
            ("snapshot.storage.k8s.io", false),
        ] {
            assert_eq!(is_built_in(group), built_in, "{group}");
        }
    }
}
