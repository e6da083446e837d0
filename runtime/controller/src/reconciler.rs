//! Reconcilers: [`Reconciler`] of objects, [`RequestReconciler`] of requests of any type, and the
//! [`Context`] of one reconcile.

use std::fmt;
use std::hash::Hash;
use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use genclient::cache::ObjectName;
use genclient::clock::{Clock, Timestamp};
use genclient::kube::Resource;
use genclient::record::{EventRecorder, EventType};
use genclient::scheme::Object;
use tokio_util::sync::CancellationToken;

use crate::client::Client;
use crate::failure::{Action, BoxError, Failure, Result};

/// Reconciler of one kind: brings the cluster to the state that an object describes.
///
/// It is called with an object when a watch or source of the controller enqueues the object. It is
/// called again after the delay of an [`Action::after`](crate::Action::after), and after a failure
/// that is not terminal. Two calls for one object never overlap. A call has to act on the current
/// state, not on an event, because the state may have changed since the event.
///
/// ```
/// use std::sync::Arc;
///
/// use genclient::cache::ObjectName;
/// use genclient_controller::{Action, Context, Reconciler, Result};
/// use k8s_openapi::api::core::v1::ConfigMap;
///
/// struct Settings;
///
/// impl Reconciler for Settings {
///     type Object = ConfigMap;
///
///     async fn reconcile(&self, settings: Arc<ConfigMap>, cx: &Context) -> Result {
///         if cx.attempt() > 1 {
///             println!("{:?} once more", settings.metadata.name);
///         }
///         Ok(Action::done())
///     }
///
///     async fn absent(&self, name: &ObjectName, _cx: &Context) -> Result {
///         println!("{name} is gone");
///         Ok(Action::done())
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a reconciler",
    label = "not a `Reconciler`",
    note = "write `impl Reconciler for {Self} {{ type Object = ..; async fn reconcile(&self, object: Arc<..>, cx: &Context) -> Result {{ .. }} }}`"
)]
pub trait Reconciler: Send + Sync + 'static {
    /// The kind of the objects.
    type Object: Object;

    /// Brings the cluster to the state that the object describes. An object that is being deleted
    /// has a `deletionTimestamp`.
    ///
    /// # Errors
    ///
    /// See [`Failure`](crate::Failure).
    ///
    /// # Cancel safety
    ///
    /// The future is dropped after the controller's timeout, at the end of the shutdown timeout,
    /// or when a lease that could not be renewed expires.
    fn reconcile(
        &self,
        object: Arc<Self::Object>,
        cx: &Context,
    ) -> impl Future<Output = Result> + Send;

    /// Cleans up after an object that is gone, or that the selectors of the controller's watches
    /// exclude. Called for every request whose object is not found, for example after its deletion.
    ///
    /// # Errors
    ///
    /// See [`Failure`](crate::Failure).
    ///
    /// # Cancel safety
    ///
    /// The future is dropped like that of [`reconcile`](Self::reconcile).
    fn absent(&self, _name: &ObjectName, _cx: &Context) -> impl Future<Output = Result> + Send {
        async { Ok(Action::done()) }
    }
}

/// Reconciler of requests of any type, for
/// [`Controller::for_requests`](crate::Controller::for_requests).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a reconciler of requests",
    label = "not a `RequestReconciler`",
    note = "write `impl RequestReconciler for {Self} {{ type Request = ..; async fn reconcile(&self, request: &.., cx: &Context) -> Result {{ .. }} }}`"
)]
pub trait RequestReconciler: Send + Sync + 'static {
    /// The type of requests. Equal pending requests are merged.
    type Request: Clone + Eq + Hash + fmt::Debug + Send + Sync + 'static;

    /// Handles a request.
    ///
    /// # Errors
    ///
    /// See [`Failure`](crate::Failure).
    ///
    /// # Cancel safety
    ///
    /// The future is dropped like that of [`Reconciler::reconcile`].
    fn reconcile(
        &self,
        request: &Self::Request,
        cx: &Context,
    ) -> impl Future<Output = Result> + Send;
}

/// Request to reconcile an object: its name, and its cluster.
#[derive(Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Request {
    /// The name of the cluster; empty for the manager's own cluster.
    pub cluster: Arc<str>,
    /// Namespace and name.
    pub name: ObjectName,
}

/// Conversion into a request of a controller. It is implemented for the controller's type of
/// requests, and for every type that converts into it, such as [`ObjectName`].
#[diagnostic::on_unimplemented(
    message = "expected requests of type `{Q}`, found `{Self}`",
    label = "maps to `{Self}`",
    note = "return `ObjectName::namespaced(namespace, name)`, or an `Option` or a list of them"
)]
pub trait IntoRequest<Q> {
    /// Converts the value into a request.
    fn into_request(self) -> Q;
}

#[diagnostic::do_not_recommend]
impl<Q, T: Into<Q>> IntoRequest<Q> for T {
    fn into_request(self) -> Q {
        self.into()
    }
}

/// Creates a request for the manager's own cluster. If a watch of another cluster enqueues the
/// request, the controller sets that cluster.
impl From<ObjectName> for Request {
    fn from(name: ObjectName) -> Self {
        let cluster = Arc::default();
        Self { cluster, name }
    }
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.cluster.is_empty() {
            write!(f, "{}:", self.cluster)?;
        }
        fmt::Display::fmt(&self.name, f)
    }
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Context of one reconcile: client, event recorder, attempt, reasons, stop token and clock.
#[derive(Clone, Debug)]
pub struct Context {
    pub(crate) client: Client,
    pub(crate) recorder: EventRecorder,
    pub(crate) attempt: u32,
    /// Number of reconciles in a row that ended because of a stale cache.
    pub(crate) stale_reads: u32,
    pub(crate) reasons: Vec<Reason>,
    /// Whether a later resync enqueues the request again. It does if an event other than a
    /// deletion enqueued the request: the object of that event is in the cache. A retry or requeue
    /// keeps the value of the previous reconcile. If such a request is given up, `Requests`
    /// remembers that, so that resyncs do not enqueue it.
    pub(crate) has_resyncs: bool,
    /// In an `Arc`, since a clone of the token itself takes its lock.
    pub(crate) stop: Arc<CancellationToken>,
    pub(crate) clock: Arc<dyn Clock>,
}

/// An event that triggered a reconcile.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// An object of this kind existed when the controller started, or when this replica got objects
    /// of another one.
    Listed(Arc<str>),
    /// An object of this kind was created, or began to match the selectors of its watch.
    Added(Arc<str>),
    /// An object of this kind was changed.
    Updated(Arc<str>),
    /// An object of this kind was deleted, or no longer matches the selectors of its watch.
    Deleted(Arc<str>),
    /// A resync of the cache, without a change.
    Resync,
    /// A reconcile is retried, because it failed or met a [stale](crate::ReadError::Stale) cache.
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

    /// Returns the number of this attempt: 1 plus the number of failures since the last success or
    /// [terminal](Failure::terminal) failure. A [stale](crate::ReadError::Stale) cache does not
    /// count as a failure.
    #[must_use]
    pub fn attempt(&self) -> u32 {
        self.attempt
    }

    /// Returns the reasons for this reconcile that were known when it began, each once. Use them
    /// for logs, and to find out why reconciles are so frequent. Do not base decisions on them:
    /// events may have been missed.
    #[must_use]
    pub fn reasons(&self) -> &[Reason] {
        &self.reasons
    }

    /// Returns the token that is cancelled when the reconcile has to end. In a shutdown, or if the
    /// controller is removed from the manager, it is cancelled after two thirds of the
    /// [shutdown timeout](crate::ManagerBuilder::graceful_shutdown_timeout). Soon after, requests
    /// through a client of the manager fail, and reads from a cache that would wait. Then the
    /// reconcile is dropped.
    ///
    /// If the lease is lost, the token is cancelled and requests fail at once. The reconcile is
    /// dropped when the lease expires, or without delay if another replica holds it.
    ///
    /// If the replicas [share the objects](crate::ManagerBuilder::shard_by), and the object moves
    /// to another replica, the times are those of a shutdown. If the Lease of this replica cannot
    /// be renewed, the token is cancelled at once.
    #[must_use]
    pub fn stop(&self) -> &CancellationToken {
        &self.stop
    }

    /// Returns the current time, for comparisons with times of objects and for
    /// [conditions](genclient::conditions::new). A test sets it by
    /// [`ManagerBuilder::clock`](crate::ManagerBuilder::clock).
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use genclient_controller::{Action, Context};
    /// use k8s_openapi::api::core::v1::ConfigMap;
    ///
    /// /// Returns how long the object still has to live, or `None` if its day is over.
    /// fn time_left(map: &ConfigMap, cx: &Context) -> Option<Duration> {
    ///     let created = map.metadata.creation_timestamp.as_ref()?.0;
    ///     let end = created.checked_add(Duration::from_secs(24 * 3600)).ok()?;
    ///     // Fails for a negative duration.
    ///     Duration::try_from(cx.now().duration_until(end)).ok()
    /// }
    /// ```
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Records a warning event about an object that cannot be reconciled until it changes. Returns
    /// a [terminal](Failure::terminal) failure with the same error.
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
    /// Whether the reason is an event other than a deletion, so that the next resync of the object
    /// enqueues the request again.
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

/// Adapter of a [`Reconciler`] to requests: looks up the object of a request in the cache.
pub(crate) struct ByObject<R: Reconciler> {
    pub(crate) reconciler: R,
    pub(crate) types: <R::Object as Resource>::DynamicType,
}

impl<R: Reconciler> RequestReconciler for ByObject<R> {
    type Request = Request;

    async fn reconcile(&self, request: &Request, cx: &Context) -> Result {
        let objects = cx.client().reconciled::<R::Object>(self.types.clone());
        match objects.get(&request.name).await? {
            Some(object) => self.reconciler.reconcile(object, cx).await,
            None => self.reconciler.absent(&request.name, cx).await,
        }
    }
}

/// Type-erased [`RequestReconciler`].
pub(crate) trait AnyReconciler<Q>: Send + Sync {
    fn reconcile<'a>(&'a self, request: &'a Q, cx: &'a Context) -> BoxFuture<'a, Result>;
}

impl<R: RequestReconciler> AnyReconciler<R::Request> for R {
    fn reconcile<'a>(&'a self, request: &'a R::Request, cx: &'a Context) -> BoxFuture<'a, Result> {
        RequestReconciler::reconcile(self, request, cx).boxed()
    }
}
