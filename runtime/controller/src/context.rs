//! [`Context`]: the surroundings of one reconcile.

use std::fmt;
use std::sync::Arc;

use genclient::kube::Resource;
use genclient::record::{EventRecorder, EventType};
use tokio_util::sync::CancellationToken;

use crate::client::Client;
use crate::failure::{BoxError, Failure};

/// The surroundings of one reconcile: client, recorder of events, attempt, reasons and stop token.
#[derive(Clone, Debug)]
pub struct Context {
    pub(crate) client: Client,
    pub(crate) recorder: EventRecorder,
    pub(crate) attempt: u32,
    pub(crate) reasons: Vec<Reason>,
    /// Whether a watch has led to the request, so that resyncs do, too.
    pub(crate) has_resyncs: bool,
    pub(crate) stop: Arc<CancellationToken>,
}

/// An event that led to a reconcile.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// An object of this kind was there when the controller began.
    Listed(Arc<str>),
    /// An object of this kind was created, or began to match the selectors of its watch.
    Added(Arc<str>),
    /// An object of this kind has changed.
    Updated(Arc<str>),
    /// An object of this kind is gone, or does not match the selectors of its watch any more.
    Deleted(Arc<str>),
    /// Time has passed: a resync of the cache.
    Resync,
    /// A reconcile failed, and is tried again.
    Retry,
    /// A reconcile asked for another one: [`Action::after`](crate::Action::after).
    Requeue,
    /// A [`Source`](crate::Source) asked for it.
    Source,
}

impl Context {
    /// Reads from the caches, writes to the API server: those of the request's cluster.
    #[must_use]
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Records events about objects.
    #[must_use]
    pub fn recorder(&self) -> &EventRecorder {
        &self.recorder
    }

    /// 1 for the first attempt, and one more for each that has failed since one succeeded or failed
    /// [for good](Failure::terminal). A [stale](crate::ReadError::Stale) cache is no failure.
    #[must_use]
    pub fn attempt(&self) -> u32 {
        self.attempt
    }

    /// What led to this reconcile, as far as it was known when it began; each once. For logs and
    /// for finding out why something runs so often, not for deciding what to do: events may have
    /// been missed.
    #[must_use]
    pub fn reasons(&self) -> &[Reason] {
        &self.reasons
    }

    /// Cancelled when the reconcile has to end: the program stops and its grace is over, or the
    /// lease is lost. It is dropped soon after.
    #[must_use]
    pub fn stop(&self) -> &CancellationToken {
        &self.stop
    }

    /// Records a warning about an object that cannot be reconciled until it changes, and returns
    /// the failure that says so: a [terminal](Failure::terminal) one.
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
    /// Whether it is an event of an object that is there, which is resynced from then on.
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
