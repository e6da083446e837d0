//! [`Requests`]: where watches and sources put what there is to do.

use std::collections::HashMap;
use std::fmt;
use std::hash::Hash;
use std::sync::Arc;
use std::time::Duration;

use genclient::metrics::Provider;
use genclient::workqueue::{
    AddOpts, Item, ItemExponentialFailureRateLimiter, LOW_PRIORITY, PriorityQueue, RateLimiter,
};
use parking_lot::Mutex;
use tokio::time::Instant;

use crate::context::Reason;

/// Of so many requests that are handed out, one is the one that has waited longest.
const OLDEST_EVERY: u32 = 8;

/// The requests of a controller, and what is known of each. A handle: clones are the same.
pub struct Requests<Q> {
    inner: Arc<RequestsInner<Q>>,
}

struct RequestsInner<Q> {
    queue: PriorityQueue<Q>,
    state: Mutex<RequestsState<Q>>,
}

struct RequestsState<Q> {
    limiter: Box<dyn RateLimiter<Q>>,
    /// Why each of those waits that wait.
    reasons: HashMap<Q, Vec<Reason>>,
    /// Those whose last attempt failed.
    failed: HashMap<Q, Retried>,
}

/// When a request that has failed is tried again.
#[derive(Clone, Copy, PartialEq)]
enum Retried {
    /// At the latest.
    At(Instant),
    /// When something changes: a resync is no reason.
    Never,
}

impl<Q: Clone + Eq + Hash + Send + 'static> Requests<Q> {
    pub(crate) fn new(
        controller: &str,
        limiter: Option<Box<dyn RateLimiter<Q>>>,
        metrics: Arc<dyn Provider>,
    ) -> Self {
        let queue = PriorityQueue::builder()
            .oldest_every(OLDEST_EVERY)
            .metrics(controller, metrics);
        let limiter = limiter.unwrap_or_else(|| {
            let (first, longest) = (Duration::from_millis(5), Duration::from_secs(1000));
            Box::new(ItemExponentialFailureRateLimiter::new(first, longest))
        });
        Self {
            inner: Arc::new(RequestsInner {
                queue: queue.build_priority_queue(),
                state: Mutex::new(RequestsState {
                    limiter,
                    reasons: HashMap::new(),
                    failed: HashMap::new(),
                }),
            }),
        }
    }

    /// Asks for a reconcile. A request that waits already is there once.
    pub fn add(&self, request: Q) {
        self.add_for(request, Reason::Source, AddOpts::default());
    }

    /// Asks for a reconcile after a time; of two times for one request, the earlier one counts.
    pub fn add_after(&self, request: Q, delay: Duration) {
        let opts = AddOpts {
            after: delay,
            ..AddOpts::default()
        };
        self.add_for(request, Reason::Source, opts);
    }

    /// Asks for a reconcile that all others come before.
    pub(crate) fn add_low(&self, request: Q, reason: Reason) {
        let opts = AddOpts {
            priority: LOW_PRIORITY,
            ..AddOpts::default()
        };
        self.add_for(request, reason, opts);
    }

    pub(crate) fn add_for(&self, request: Q, reason: Reason, opts: AddOpts) {
        let mut state = self.inner.state.lock();
        if reason == Reason::Resync && state.failed.get(&request) == Some(&Retried::Never) {
            return;
        }
        state.note(&request, reason);
        // Under the lock, so that the worker that gets it finds the reason.
        self.inner.queue.add_with_opts(opts, [request]);
    }

    /// Waits for a request; `None` once it was [closed](Self::close).
    pub(crate) async fn get(&self) -> Option<Item<Q>> {
        self.inner.queue.get().await
    }

    /// How often a request has failed since it succeeded, and why it is here.
    pub(crate) fn begin(&self, request: &Q) -> (u32, Vec<Reason>) {
        let mut state = self.inner.state.lock();
        let reasons = state.reasons.remove(request).unwrap_or_default();
        let counted = state.limiter.num_requeues(request);
        // A limiter need not count.
        let failures = match state.failed.get(request) {
            Some(Retried::At(_)) => counted.max(1),
            Some(Retried::Never) => {
                state.failed.remove(request);
                counted
            }
            None => counted,
        };
        (count(failures), reasons)
    }

    /// A reconcile succeeded, after so many that failed.
    pub(crate) fn succeeded(&self, item: &Item<Q>, failures: u32, again: Option<Duration>) {
        if failures == 0 && again.is_none() {
            return;
        }
        let mut state = self.inner.state.lock();
        state.forget(item);
        if let Some(after) = again {
            state.note(item, Reason::Requeue);
            self.inner
                .queue
                .add_with_opts(opts(item, after), [(**item).clone()]);
        }
    }

    /// A reconcile failed, and is tried again when the limiter says so. Returns after how long. A
    /// failure that an event brought forward keeps the time that was planned, so that many events
    /// during an outage do not push it into the future.
    pub(crate) fn failed(&self, item: &Item<Q>) -> Duration {
        let mut state = self.inner.state.lock();
        let now = Instant::now();
        let delay = match state.failed.get(&**item) {
            Some(Retried::At(planned)) if *planned > now => *planned - now,
            _ => state.limiter.when(item),
        };
        state.note(item, Reason::Retry);
        if let Some(at) = now.checked_add(delay) {
            state.failed.insert((**item).clone(), Retried::At(at));
        }
        self.inner
            .queue
            .add_with_opts(opts(item, delay), [(**item).clone()]);
        delay
    }

    /// A reconcile is tried again after a time that is not the limiter's.
    pub(crate) fn retry_after(&self, item: &Item<Q>, delay: Duration) {
        let mut state = self.inner.state.lock();
        state.note(item, Reason::Retry);
        self.inner
            .queue
            .add_with_opts(opts(item, delay), [(**item).clone()]);
    }

    /// A reconcile failed, and is not tried again until something changes.
    pub(crate) fn given_up(&self, item: &Item<Q>) {
        let mut state = self.inner.state.lock();
        state.forget(item);
        if !state.reasons.contains_key(&**item) {
            state.failed.insert((**item).clone(), Retried::Never);
        }
    }

    /// Hands out what is ready, and takes nothing any more.
    pub(crate) fn close(&self) {
        self.inner.queue.shutdown();
    }
}

impl<Q: Clone + Eq + Hash> RequestsState<Q> {
    fn note(&mut self, request: &Q, reason: Reason) {
        let reasons = self.reasons.entry(request.clone()).or_default();
        if !reasons.contains(&reason) {
            // Most have one.
            reasons.reserve_exact(1);
            reasons.push(reason);
        }
    }

    /// Forgets failures.
    fn forget(&mut self, request: &Q) {
        self.limiter.forget(request);
        // Mostly empty, so that nothing is hashed.
        if self.failed.contains_key(request) {
            self.failed.remove(request);
        }
    }
}

fn count(failures: usize) -> u32 {
    u32::try_from(failures).unwrap_or(u32::MAX)
}

fn opts<Q>(item: &Item<Q>, after: Duration) -> AddOpts {
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
        }
    }
}

impl<Q> fmt::Debug for Requests<Q> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Requests").finish_non_exhaustive()
    }
}
