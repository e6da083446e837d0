//! [`Requests`]: the work queue of a controller.

use std::collections::HashMap;
use std::fmt;
use std::hash::Hash;
use std::sync::Arc;
use std::time::Duration;

use genclient::metrics::Provider;
use genclient::workqueue::{
    AddOpts, Item, ItemExponentialFailureRateLimiter, LOW_PRIORITY, PriorityQueue, RateLimiter,
};
use parking_lot::{Mutex, MutexGuard};
use tokio::time::Instant;

use crate::reconciler::Reason;

/// One of this many dequeued requests is the oldest in the queue, whatever its priority. This
/// limits how long a request with low priority waits.
const OLDEST_REQUEST_EVERY: u32 = 8;

/// The work queue of a controller, with the reasons and failures of each request. Clones share it.
pub struct Requests<Q> {
    inner: Arc<RequestsInner<Q>>,
    /// Whether this handle enqueues a request; `None` if it enqueues all.
    only: Option<Arc<Admits<Q>>>,
}

struct RequestsInner<Q> {
    queue: PriorityQueue<Q>,
    /// Whether a request is enqueued; `None` if all are.
    admits: Option<Admits<Q>>,
    state: Mutex<RequestsState<Q>>,
}

struct RequestsState<Q> {
    limiter: Box<dyn RateLimiter<Q>>,
    /// Reasons of each pending request.
    waiting: HashMap<Q, PendingReasons>,
    /// Requests whose last attempt failed.
    failed: HashMap<Q, Failed>,
    /// Pending requests whose last reconciles ended because of a stale cache, with their number.
    stale: HashMap<Q, u32>,
}

/// Function that tells whether a request is enqueued.
pub(crate) type Admits<Q> = Box<dyn Fn(&Q) -> bool + Send + Sync>;

/// Reasons of a pending request.
#[derive(Default)]
struct PendingReasons {
    reasons: Vec<Reason>,
    /// Whether a later resync enqueues the request again. It does if an event other than a
    /// deletion enqueued the request: the object of that event is in the cache. A retry or requeue
    /// keeps the value of the previous reconcile.
    has_resyncs: bool,
}

/// State of a request when its reconcile begins.
pub(crate) struct Begun {
    /// Number of failures since the request succeeded or was given up.
    pub(crate) failures: u32,
    /// Number of reconciles in a row that ended because of a stale cache.
    pub(crate) stale_reads: u32,
    pub(crate) reasons: Vec<Reason>,
    /// Whether a later resync enqueues the request again, as in [`PendingReasons`].
    pub(crate) has_resyncs: bool,
}

/// A request whose last attempt failed.
enum Failed {
    /// The request is retried.
    Retried {
        failures: u32,
        /// Time of the next retry by the rate limiter. An event may trigger an earlier attempt.
        planned: Option<Instant>,
    },
    /// The request is not retried. A change enqueues it again, but a resync does not.
    GivenUp,
}

impl<Q: Clone + Eq + Hash + Send + 'static> Requests<Q> {
    pub(crate) fn new(
        controller: &str,
        limiter: Option<Box<dyn RateLimiter<Q>>>,
        admits: Option<Admits<Q>>,
        metrics: Arc<dyn Provider>,
    ) -> Self {
        let queue = PriorityQueue::builder()
            .oldest_every(OLDEST_REQUEST_EVERY)
            .metrics(controller, metrics);
        let limiter = limiter.unwrap_or_else(|| {
            let (first, longest) = (Duration::from_millis(5), Duration::from_secs(1000));
            Box::new(ItemExponentialFailureRateLimiter::new(first, longest))
        });
        Self {
            inner: Arc::new(RequestsInner {
                queue: queue.build_priority_queue(),
                admits,
                state: Mutex::new(RequestsState {
                    limiter,
                    waiting: HashMap::new(),
                    failed: HashMap::new(),
                    stale: HashMap::new(),
                }),
            }),
            only: None,
        }
    }

    /// Returns a handle that enqueues only the requests for which `is_selected` is true.
    pub(crate) fn only(&self, is_selected: impl Fn(&Q) -> bool + Send + Sync + 'static) -> Self {
        Self {
            inner: Arc::clone(&self.inner),
            only: Some(Arc::new(Box::new(is_selected))),
        }
    }

    /// Enqueues a request. A request that is pending already is not added again. If the replicas
    /// [share the objects](crate::ManagerBuilder::shard_by), a request for an object of another
    /// replica is dropped.
    pub fn add(&self, request: Q) {
        self.add_for(request, Reason::Source, AddOpts::default());
    }

    /// Enqueues a request after a delay. If the request is delayed already, the earlier time
    /// counts.
    pub fn add_after(&self, request: Q, delay: Duration) {
        let opts = AddOpts {
            after: delay,
            ..AddOpts::default()
        };
        self.add_for(request, Reason::Source, opts);
    }

    /// Enqueues a request with low priority.
    pub(crate) fn add_low(&self, request: Q, reason: Reason) {
        let opts = AddOpts {
            priority: LOW_PRIORITY,
            ..AddOpts::default()
        };
        self.add_for(request, reason, opts);
    }

    pub(crate) fn add_for(&self, request: Q, reason: Reason, opts: AddOpts) {
        if { self.only.iter() }.any(|is_selected| !is_selected(&request)) {
            return;
        }
        if !self.admits(&request) {
            return self.discard(&request);
        }
        let mut state = self.inner.state.lock();
        let known = state.failed.get(&request);
        if reason == Reason::Resync && matches!(known, Some(Failed::GivenUp)) {
            return;
        }
        let has_resyncs = reason.has_resyncs();
        state.add_reason(&request, reason, has_resyncs);
        // Enqueues under the lock, so that the worker that dequeues the request finds the reason.
        self.inner.queue.add_with_opts(opts, [request]);
    }

    /// Waits for a request. Returns `None` once the queue is [closed](Self::close) and empty.
    pub(crate) async fn get(&self) -> Option<Item<Q>> {
        self.inner.queue.get().await
    }

    /// Returns the state of a request at the start of its reconcile.
    pub(crate) fn begin(&self, request: &Q) -> Begun {
        let mut state = self.inner.state.lock();
        let pending = state.waiting.remove(request).unwrap_or_default();
        let failures = match state.failed.get(request) {
            Some(Failed::Retried { failures, .. }) => *failures,
            Some(Failed::GivenUp) => {
                state.failed.remove(request);
                0
            }
            None => 0,
        };
        let stale_reads = if state.stale.is_empty() {
            0
        } else {
            state.stale.remove(request).unwrap_or_default()
        };
        Begun {
            failures,
            stale_reads,
            reasons: pending.reasons,
            has_resyncs: pending.has_resyncs,
        }
    }

    /// Records that a reconcile succeeded after `failures` failed attempts. Requeues the request
    /// after the delay `again`, if it is given.
    pub(crate) fn succeeded(
        &self,
        item: &Item<Q>,
        has_resyncs: bool,
        failures: u32,
        again: Option<Duration>,
    ) {
        if failures == 0 && again.is_none() {
            return;
        }
        let mut state = self.inner.state.lock();
        state.forget(item);
        if let Some(after) = again {
            state.add_reason(item, Reason::Requeue, has_resyncs);
            self.inner
                .queue
                .add_with_opts(add_opts(item, after), [(**item).clone()]);
        }
    }

    /// Records that a reconcile failed, and requeues the request after the delay of the rate
    /// limiter. Returns the delay. If an event triggered this attempt before a planned retry, the
    /// planned time is kept, so that events during an outage do not postpone the retry.
    pub(crate) fn failed(&self, item: &Item<Q>, has_resyncs: bool) -> Duration {
        let mut state = self.inner.state.lock();
        let now = Instant::now();
        let delay = match state.failed.get(&**item) {
            Some(Failed::Retried {
                planned: Some(planned),
                ..
            }) if *planned > now => *planned - now,
            _ => state.limiter.when(item),
        };
        state.count_failure(item, now.checked_add(delay));
        self.retry(state, item, has_resyncs, delay);
        delay
    }

    /// Records that a reconcile failed, and requeues the request after `delay`, without the rate
    /// limiter.
    pub(crate) fn failed_for(&self, item: &Item<Q>, has_resyncs: bool, delay: Duration) {
        let mut state = self.inner.state.lock();
        state.count_failure(item, None);
        self.retry(state, item, has_resyncs, delay);
    }

    /// Requeues a request after a delay, because a stale cache ended its reconcile. This is not a
    /// failure.
    ///
    /// `stale_reads` counts the reconciles in a row that ended so.
    pub(crate) fn retry_stale(
        &self,
        item: &Item<Q>,
        has_resyncs: bool,
        delay: Duration,
        stale_reads: u32,
    ) {
        let mut state = self.inner.state.lock();
        state.stale.insert((**item).clone(), stale_reads);
        self.retry(state, item, has_resyncs, delay);
    }

    fn retry(
        &self,
        mut state: MutexGuard<'_, RequestsState<Q>>,
        item: &Item<Q>,
        has_resyncs: bool,
        delay: Duration,
    ) {
        state.add_reason(item, Reason::Retry, has_resyncs);
        self.inner
            .queue
            .add_with_opts(add_opts(item, delay), [(**item).clone()]);
    }

    /// Records that a reconcile failed, and is not retried until something changes. If
    /// `has_resyncs` is true, the request is remembered until a change or a source enqueues it, so
    /// that resyncs do not enqueue it. Other requests, such as those for deleted objects, are not
    /// remembered: perhaps nothing enqueues them again, and they would stay in memory forever.
    pub(crate) fn given_up(&self, item: &Item<Q>, has_resyncs: bool) {
        let mut state = self.inner.state.lock();
        state.forget(item);
        if has_resyncs && !state.waiting.contains_key(&**item) {
            state.failed.insert((**item).clone(), Failed::GivenUp);
        }
    }

    fn admits(&self, request: &Q) -> bool {
        let admits = self.inner.admits.as_ref();
        admits.is_none_or(|admits| admits(request))
    }

    /// Forgets everything about a request that is another replica's. If this replica gets it again,
    /// its retries start over.
    pub(crate) fn discard(&self, request: &Q) {
        let mut state = self.inner.state.lock();
        state.forget(request);
        state.waiting.remove(request);
        state.stale.remove(request);
    }

    /// Closes the queue: ready requests can still be dequeued, new ones are refused.
    pub(crate) fn close(&self) {
        self.inner.queue.shutdown();
    }
}

impl<Q: Clone + Eq + Hash> RequestsState<Q> {
    fn add_reason(&mut self, request: &Q, reason: Reason, has_resyncs: bool) {
        let pending = self.waiting.entry(request.clone()).or_default();
        pending.has_resyncs |= has_resyncs;
        if !pending.reasons.contains(&reason) {
            // Most requests have one reason.
            pending.reasons.reserve_exact(1);
            pending.reasons.push(reason);
        }
    }

    /// Counts a failure of a request that is retried. If `plan` is `None`, the planned time is
    /// kept.
    fn count_failure(&mut self, request: &Q, plan: Option<Instant>) {
        let known = self.failed.get(request);
        let (failures, planned) = match known {
            Some(Failed::Retried { failures, planned }) => (*failures, *planned),
            _ => (0, None),
        };
        let failed = Failed::Retried {
            failures: failures.saturating_add(1),
            planned: plan.or(planned),
        };
        self.failed.insert(request.clone(), failed);
    }

    /// Forgets the failures of a request.
    fn forget(&mut self, request: &Q) {
        self.limiter.forget(request);
        // The map is mostly empty. `contains_key` then does not hash the request; `remove` does.
        if self.failed.contains_key(request) {
            self.failed.remove(request);
        }
    }
}

fn add_opts<Q>(item: &Item<Q>, after: Duration) -> AddOpts {
    AddOpts {
        after,
        priority: item.priority(),
        ..AddOpts::default()
    }
}

impl<Q> Clone for Requests<Q> {
    fn clone(&self) -> Self {
        Self {
            inner: Arc::clone(&self.inner),
            only: self.only.clone(),
        }
    }
}

impl<Q> fmt::Debug for Requests<Q> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Requests").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use genclient::metrics::prometheus::Registry;

    use super::*;

    /// Requests that were given up are remembered only if an event other than a deletion enqueued
    /// them.
    #[tokio::test]
    async fn given_up_source_requests_leave_no_state() {
        let requests = Requests::new("tests", None, None, Arc::new(Registry::new()));
        let given_up = async || {
            let item = requests.get().await.expect("a request was added");
            let begun = requests.begin(&item);
            requests.given_up(&item, begun.has_resyncs);
            drop(item);
            let state = requests.inner.state.lock();
            (state.failed.len(), state.waiting.len())
        };
        requests.add(1);
        assert_eq!(given_up().await, (0, 0));
        requests.add_low(2, Reason::Listed("ConfigMap".into()));
        assert_eq!(given_up().await, (1, 0));
        // A resync does not enqueue the request, but a change does.
        requests.add_low(2, Reason::Resync);
        requests.add_for(2, Reason::Deleted("ConfigMap".into()), AddOpts::default());
        assert_eq!(given_up().await, (0, 0));
    }

    /// A failure with its own delay keeps the planned time of the rate limiter. A later failure of
    /// the rate limiter replaces it.
    #[tokio::test(start_paused = true)]
    async fn planned_retry_survives_failures_with_a_delay() {
        let (first, longest) = (Duration::from_secs(10), Duration::from_secs(1000));
        let limiter = Box::new(ItemExponentialFailureRateLimiter::new(first, longest));
        let requests = Requests::new("tests", Some(limiter), None, Arc::new(Registry::new()));
        let begun = Instant::now();
        requests.add(1);
        // When the attempt begins, its own delay, and when the next retry is planned, in seconds.
        for (begins, delay, planned) in [
            (0, None, Some(10)),
            (1, Some(1), None),
            (2, None, Some(10)),
            (10, None, Some(30)),
            (11, None, Some(30)),
        ] {
            tokio::time::sleep_until(begun + Duration::from_secs(begins)).await;
            // An event triggers the attempt, if no retry is due.
            requests.add(1);
            let item = requests.get().await.expect("a request was added");
            requests.begin(&item);
            let retry = match delay {
                Some(delay) => {
                    requests.failed_for(&item, false, Duration::from_secs(delay));
                    None
                }
                None => Some(requests.failed(&item, false)),
            };
            let retry = retry.map(|retry| (begun.elapsed() + retry).as_secs());
            assert_eq!(retry, planned, "{begins}");
        }
    }
}
