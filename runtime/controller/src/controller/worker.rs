//! Run of a controller. [`Work`] registers the handlers and runs the workers. [`Worker`] reconciles
//! requests, requeues them if the result requires it, and counts and logs the results.

use std::fmt;
use std::hash::{BuildHasher, Hash, RandomState};
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use futures::stream::FuturesUnordered;
use futures::{FutureExt, StreamExt};
use genclient::cache::ObjectName;
use genclient::informer::HandlerRegistration;
use genclient::panics::panic_message;
use genclient::sharding::Gains;
use genclient::workqueue::Item;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;
use tracing::field::Empty;
use tracing::{Instrument, Span};

use super::event_handler::{AddHandler, ReconciledKind};
use super::metrics::{ControllerMetrics, ReconcileResult};
use crate::api_errors::{describe_error, is_conflict, is_stale};
use crate::client::Client;
use crate::cluster::OwnCaches;
use crate::component::Run;
use crate::failure::{Action, BoxError, Failure, Result, Retry};
use crate::reconciler::{AnyReconciler, Context};
use crate::request_cancellation;
use crate::requests::Requests;
use crate::setup::Setup;
use crate::sharding::{CountedNames, Sharding};

/// Retry delay after a stale cache: short, because the read has waited already.
const STALE_RETRY_DELAY: Duration = Duration::from_millis(100);

pub(super) type StartSource<Q> =
    Box<dyn FnOnce(Requests<Q>) -> BoxFuture<'static, Result<(), BoxError>> + Send>;

/// A controller that is set up and can run.
pub(super) struct Work<Q> {
    pub(super) handlers: Vec<AddHandler<Q>>,
    /// The names of the objects that the manager counts while the controller runs.
    pub(super) counted: Option<Arc<CountedNames>>,
    pub(super) sources: Vec<StartSource<Q>>,
    pub(super) requests: Requests<Q>,
    pub(super) worker: Arc<Worker<Q>>,
    pub(super) workers: usize,
}

impl<Q: Clone + Eq + Hash + fmt::Debug + Send + Sync + 'static> Work<Q> {
    /// Runs the controller until the run stops, or a source or a worker fails. Returns once every
    /// reconcile has ended.
    pub(super) async fn run(self, run: Run) -> Result<(), BoxError> {
        let gains = self.worker.sharding.as_ref().map(|it| it.shards.gains());
        let handlers = Handlers {
            add: &self.handlers,
            requests: &self.requests,
            name_of: self.worker.name_of,
            run: &run,
        };
        let added = handlers.add(&self.requests).await?;
        let mut following = Box::pin(handlers.follow(gains));
        let mut sources: FuturesUnordered<_> = self
            .sources
            .into_iter()
            .map(|source| source(self.requests.clone()))
            .collect();
        let working = Run {
            stop: run.stop.child_token(),
            cancel: run.cancel.clone(),
            end_requests: run.end_requests.clone(),
        };
        let mut workers = JoinSet::new();
        for _ in 0..self.workers {
            workers.spawn(Arc::clone(&self.worker).run(working.clone()));
        }
        let (controller, count) = (&*self.worker.controller, self.workers);
        tracing::info!(controller, workers = count, "controller started");
        let ended = tokio::select! {
            biased;
            () = working.stop.cancelled() => Ok(()),
            // Before the stop, a worker ends only by a panic outside of the reconciler.
            failure = failed_worker(&mut workers) => failure,
            failure = failed_source(&mut sources) => failure,
            failure = &mut following => failure,
        };
        drop((added, following, sources, self.counted));
        working.stop.cancel();
        self.requests.close();
        tokio::select! {
            biased;
            () = all_ended(&mut workers) => return ended,
            () = run.cancel.cancelled() => {
                tracing::info!(controller, "canceling reconciles that are still running");
            }
        }
        all_ended(&mut workers).await;
        ended
    }
}

/// The handlers of a controller.
struct Handlers<'a, Q> {
    add: &'a [AddHandler<Q>],
    requests: &'a Requests<Q>,
    name_of: fn(&Q) -> Option<&ObjectName>,
    run: &'a Run,
}

impl<Q: Clone + Eq + Hash + Send + 'static> Handlers<'_, Q> {
    /// Adds the handlers, and waits until they were called for every existing object, or the run
    /// stops. The workers start after the first time: by then, the queue has merged equal requests
    /// and ordered all requests by priority.
    async fn add(&self, requests: &Requests<Q>) -> Result<Vec<HandlerRegistration>, BoxError> {
        let mut registrations = Vec::new();
        for add_handler in self.add {
            registrations.push(add_handler(requests.clone())?);
        }
        for registration in &registrations {
            let synced = self.run.stop.run_until_cancelled(registration.synced());
            if let Some(synced) = synced.await {
                synced?;
            }
        }
        Ok(registrations)
    }

    /// Enqueues the requests of objects that this replica has got, by other handlers, which are
    /// called for every existing object. Runs until one of them fails.
    async fn follow(&self, gains: Option<Gains>) -> Result<(), BoxError> {
        let Some(mut gains) = gains else {
            return std::future::pending().await;
        };
        loop {
            let gained = gains.next().await;
            let name_of = self.name_of;
            let requests = self.requests.only(move |request| {
                name_of(request).is_some_and(|name| {
                    gained.contains(name.namespace().unwrap_or_default(), name.name())
                })
            });
            drop(self.add(&requests).await?);
        }
    }
}

/// Waits until a source fails.
async fn failed_source(
    sources: &mut FuturesUnordered<BoxFuture<'static, Result<(), BoxError>>>,
) -> Result<(), BoxError> {
    while let Some(ended) = sources.next().await {
        ended?;
    }
    std::future::pending().await
}

/// Waits until a worker panics.
async fn failed_worker(workers: &mut JoinSet<()>) -> Result<(), BoxError> {
    while let Some(ended) = workers.join_next().await {
        ended?;
    }
    std::future::pending().await
}

async fn all_ended(workers: &mut JoinSet<()>) {
    while workers.join_next().await.is_some() {}
}

/// State that the workers of a controller share.
pub(super) struct Worker<Q> {
    pub(super) controller: String,
    pub(super) reconciled: Option<ReconciledKind>,
    pub(super) reconciler: Arc<dyn AnyReconciler<Q>>,
    pub(super) requests: Requests<Q>,
    pub(super) setup: Setup,
    pub(super) own: OwnCaches,
    pub(super) timeout: Option<Duration>,
    pub(super) field_manager: Option<Arc<str>>,
    pub(super) metrics: ControllerMetrics,
    pub(super) cluster_of: fn(&Q) -> &str,
    pub(super) name_of: fn(&Q) -> Option<&ObjectName>,
    /// `None` if this controller does not share its objects with other replicas.
    pub(super) sharding: Option<Sharding>,
}

/// Reason why a reconcile has no result.
enum Cut {
    Panicked(String),
    TimedOut(Duration),
}

/// Guard that counts an active worker, and logs a warning if it is dropped during a reconcile.
struct Active<'a> {
    metrics: &'a ControllerMetrics,
    has_ended: bool,
}

impl<Q: Clone + Eq + Hash + fmt::Debug + Send + Sync + 'static> Worker<Q> {
    /// Reconciles requests until the run stops. A running reconcile is completed, unless its object
    /// moves to another replica and it does not end in time.
    pub(super) async fn run(self: Arc<Self>, run: Run) {
        // Reconciles share the token by an `Arc`, because a clone of the token takes a lock.
        let cancel = Arc::new(run.cancel);
        let end_requests = Arc::new(run.end_requests);
        let mut stopped = pin!(run.stop.cancelled());
        loop {
            let item = tokio::select! {
                biased;
                () = &mut stopped => return,
                item = self.requests.get() => item,
            };
            let Some(item) = item else { return };
            let span = self.span(&item);
            let reconciled = self.reconcile_own(item, &cancel).instrument(span);
            request_cancellation::run_until_cancelled(Arc::clone(&end_requests), reconciled).await;
        }
    }

    /// Reconciles a request, unless it is another replica's.
    async fn reconcile_own(&self, item: Item<Q>, cancel: &Arc<CancellationToken>) {
        let (Some(sharding), Some(name)) = (&self.sharding, (self.name_of)(&item)) else {
            return self.reconcile(&item, cancel).await;
        };
        let Some(permit) = sharding.enter(name) else {
            return self.requests.discard(&item);
        };
        let reconcile = async |stop| self.reconcile(&item, &Arc::new(stop)).await;
        if permit.run(cancel, reconcile).await.is_err() {
            self.requests.discard(&item);
        }
    }

    async fn reconcile(&self, item: &Item<Q>, cancel: &Arc<CancellationToken>) {
        let begun = self.requests.begin(item);
        let Some((client, recorder)) = self.setup.client_and_recorder((self.cluster_of)(item))
        else {
            tracing::error!("unknown cluster");
            return self.requests.given_up(item, begun.has_resyncs);
        };
        let cx = Context {
            client: self.client_of_controller(client),
            recorder,
            attempt: begun.failures.saturating_add(1),
            stale_reads: begun.stale_reads,
            reasons: begun.reasons,
            has_resyncs: begun.has_resyncs,
            stop: Arc::clone(cancel),
            clock: Arc::clone(self.setup.clock()),
        };
        self.metrics.begins();
        let mut active = Active {
            metrics: &self.metrics,
            has_ended: false,
        };
        let started = Instant::now();
        let result = self.attempt(item, &cx).await;
        active.has_ended = true;
        drop(active);
        let outcome = self.settle(item, result, &cx);
        self.metrics
            .record(outcome, started.elapsed().as_secs_f64());
    }

    /// Returns a client with the caches and the field manager of this controller.
    fn client_of_controller(&self, client: Client) -> Client {
        let client = client.with_own(self.own.clone());
        match &self.field_manager {
            Some(name) => client.with_field_manager(Arc::clone(name)),
            None => client,
        }
    }

    async fn attempt(&self, request: &Q, cx: &Context) -> std::result::Result<Result, Cut> {
        let reconcile = async { self.reconciler.reconcile(request, cx).await };
        let reconcile = AssertUnwindSafe(reconcile).catch_unwind();
        let ended = match self.timeout {
            Some(limit) => timeout(limit, reconcile)
                .await
                .map_err(|_| Cut::TimedOut(limit))?,
            None => reconcile.await,
        };
        ended.map_err(|panic| Cut::Panicked(panic_message(&*panic)))
    }

    /// Requeues or forgets a request, as the result of its reconcile requires, and logs failures.
    fn settle(
        &self,
        item: &Item<Q>,
        result: std::result::Result<Result, Cut>,
        cx: &Context,
    ) -> ReconcileResult {
        match result {
            Ok(Ok(action)) => self.settle_success(item, action, cx),
            Ok(Err(failure)) => self.settle_failure(item, &failure, cx),
            Err(cut) => self.settle_cut(item, cut, cx),
        }
    }

    fn settle_success(&self, item: &Item<Q>, action: Action, cx: &Context) -> ReconcileResult {
        tracing::debug!("reconciled");
        let again = action.delay();
        let failures = cx.attempt - 1;
        self.requests
            .succeeded(item, cx.has_resyncs, failures, again);
        match again {
            Some(_) => ReconcileResult::RequeueAfter,
            None => ReconcileResult::Success,
        }
    }

    fn settle_failure(&self, item: &Item<Q>, failure: &Failure, cx: &Context) -> ReconcileResult {
        let (attempt, has_resyncs) = (cx.attempt, cx.has_resyncs);
        let error = describe_error(failure.error());
        match failure.retry() {
            Retry::Never => {
                self.requests.given_up(item, has_resyncs);
                tracing::error!(%error, attempt, "reconcile failed; not retrying");
                ReconcileResult::TerminalError
            }
            Retry::Backoff if is_stale(failure.error()) => {
                let times = cx.stale_reads.saturating_add(1);
                self.requests
                    .retry_stale(item, has_resyncs, STALE_RETRY_DELAY, times);
                // One stale read is normal, and each takes the read timeout. If they repeat, the
                // cache may never show the write.
                if times > 1 && times.is_power_of_two() {
                    tracing::warn!(error, times, "stale cache again; requeueing");
                } else {
                    tracing::debug!(error, times, "stale cache; requeueing");
                }
                ReconcileResult::Requeue
            }
            Retry::Backoff if is_conflict(failure.error()) => {
                let retry_in = self.requests.failed(item, has_resyncs);
                tracing::debug!(%error, attempt, ?retry_in, "conflict; requeueing");
                ReconcileResult::Requeue
            }
            Retry::Backoff => {
                let retry_in = self.requests.failed(item, has_resyncs);
                tracing::error!(%error, attempt, ?retry_in, "reconcile failed");
                ReconcileResult::Error
            }
            Retry::After(retry_in) => {
                self.requests.failed_for(item, has_resyncs, retry_in);
                tracing::error!(%error, attempt, ?retry_in, "reconcile failed");
                ReconcileResult::Error
            }
        }
    }

    fn settle_cut(&self, item: &Item<Q>, cut: Cut, cx: &Context) -> ReconcileResult {
        let attempt = cx.attempt;
        let retry_in = self.requests.failed(item, cx.has_resyncs);
        match cut {
            Cut::Panicked(message) => {
                tracing::error!(panic = message, attempt, ?retry_in, "reconcile panicked");
                ReconcileResult::Panic
            }
            Cut::TimedOut(limit) => {
                tracing::error!(timeout = ?limit, attempt, ?retry_in, "reconcile timed out");
                ReconcileResult::Timeout
            }
        }
    }

    /// Returns the span of one reconcile, with controller-runtime's fields.
    fn span(&self, request: &Q) -> Span {
        let (controller, reconciled) = (&*self.controller, self.reconciled.as_ref());
        let cluster = Some((self.cluster_of)(request)).filter(|name| !name.is_empty());
        let span = match (self.name_of)(request) {
            Some(name) => tracing::info_span!(
                "reconcile",
                controller,
                cluster,
                controllerGroup = reconciled.map(|kind| &*kind.group),
                controllerKind = reconciled.map(|kind| &*kind.kind),
                namespace = name.namespace(),
                name = name.name(),
                reconcileID = Empty,
            ),
            None => tracing::info_span!("reconcile", controller, ?request, reconcileID = Empty),
        };
        if !span.is_disabled() {
            let id = RandomState::new().hash_one(());
            span.record("reconcileID", format_args!("{id:016x}").to_string());
        }
        span
    }
}

impl Drop for Active<'_> {
    fn drop(&mut self) {
        self.metrics.ends();
        if !self.has_ended {
            tracing::warn!("reconcile was dropped before it ended");
        }
    }
}
