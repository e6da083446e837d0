//! [`Context`]: client, event recorder, attempt and reasons of one reconcile.

use std::fmt;
use std::sync::Arc;

use genclient::kube::Resource;
use genclient::record::{EventRecorder, EventType};
use tokio_util::sync::CancellationToken;

use crate::client::Client;
use crate::failure::{BoxError, Failure};

/// Context of one reconcile: client, event recorder, attempt, reasons and stop token.
#[derive(Clone, Debug)]
pub struct Context {
    pub(crate) client: Client,
    pub(crate) recorder: EventRecorder,
    pub(crate) attempt: u32,
    pub(crate) reasons: Vec<Reason>,
    /// Whether a watch enqueued the request. If so, resyncs enqueue it, too.
    pub(crate) has_resyncs: bool,
    pub(crate) stop: Arc<CancellationToken>,
}

/// An event that triggered a reconcile.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// An object of this kind existed when the controller started.
    Listed(Arc<str>),
    /// An object of this kind was created, or began to match the selectors of its watch.
    Added(Arc<str>),
    /// An object of this kind was changed.
    Updated(Arc<str>),
    /// An object of this kind was deleted, or no longer matches the selectors of its watch.
    Deleted(Arc<str>),
    /// A resync of the cache, without a change.
    Resync,
    /// A reconcile failed and is retried.
    Retry,
    /// A reconcile requested another one: [`Action::after`](crate::Action::after).
    Requeue,
    /// A [`Source`](crate::Source) enqueued the request.
    Source,
}

impl Context {
    /// Returns the client of the request's cluster, which reads from the caches and writes to the
    /// API server.
    #[must_use]
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Returns the recorder of events about objects.
    #[must_use]
    pub fn recorder(&self) -> &EventRecorder {
        &self.recorder
    }

    /// Returns the number of this attempt: 1, and one more for each failure since the last success
    /// or [terminal](Failure::terminal) failure. A [stale](crate::ReadError::Stale) cache does not
    /// count.
    #[must_use]
    pub fn attempt(&self) -> u32 {
        self.attempt
    }

    /// Returns the events that led to this reconcile, each once, as far as they were known when it
    /// began. They are for logs, and for finding out why something runs so often. Do not base
    /// decisions on them: events may have been missed.
    #[must_use]
    pub fn reasons(&self) -> &[Reason] {
        &self.reasons
    }

    /// Returns the token that is cancelled when the reconcile has to end: the program stops and the
    /// grace period is over, or the lease is lost. The reconcile is dropped soon after.
    #[must_use]
    pub fn stop(&self) -> &CancellationToken {
        &self.stop
    }

    /// Records a warning about an object that cannot be reconciled until it changes. Returns a
    /// [terminal](Failure::terminal) failure with the same error.
    ///
    /// ```
    /// use genclient_controller::{Action, Context, Result};
    /// use k8s_openapi::api::core::v1::ConfigMap;
    ///
    /// fn limit(map: &ConfigMap, cx: &Context) -> Result<u32> {
    ///     let limit = map.data.iter().flatten().find(|(key, _)| *key == "limit");
    ///     let limit = limit.map_or("1", |(_, limit)| limit);
    ///     limit.parse().map_err(|error| cx.refuse(map, "InvalidLimit", error))
    /// }
    /// ```
    pub fn refuse<K>(&self, object: &K, reason: &str, error: impl Into<BoxError>) -> Failure
    where
        K: Resource<DynamicType = ()>,
    {
        let error = error.into();
        self.recorder
            .event(object, EventType::Warning, reason, error.to_string());
        Failure::terminal(error)
    }
}

impl Reason {
    /// Whether the event is about an existing object, for which resyncs follow.
    pub(crate) fn has_resyncs(&self) -> bool {
        matches!(
            self,
            Self::Listed(_) | Self::Added(_) | Self::Updated(_) | Self::Resync
        )
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Listed(kind) => write!(f, "{kind} listed"),
            Self::Added(kind) => write!(f, "{kind} added"),
            Self::Updated(kind) => write!(f, "{kind} updated"),
            Self::Deleted(kind) => write!(f, "{kind} deleted"),
            Self::Resync => f.write_str("resync"),
            Self::Retry => f.write_str("retry"),
            Self::Requeue => f.write_str("requeue"),
            Self::Source => f.write_str("source"),
        }
    }
}
