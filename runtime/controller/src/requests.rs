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
    known: HashMap<Q, Known>,
}

/// What is known of a request that waits, or that has failed.
#[derive(Default)]
struct Known {
    reasons: Vec<Reason>,
    /// When the next attempt is planned, after a failure.
    retry_at: Option<Instant>,
    /// Whether the last attempt failed for good: a resync is no reason to try again.
    is_given_up: bool,
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
                    known: HashMap::new(),
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
        if reason == Reason::Resync && state.is_given_up(&request) {
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
        let failures = state.limiter.num_requeues(request);
        let Some(known) = state.known.get_mut(request) else {
            return (count(failures), Vec::new());
        };
        let reasons = std::mem::take(&mut known.reasons);
        known.is_given_up = false;
        if known.retry_at.is_none() {
            state.known.remove(request);
        }
        (count(failures), reasons)
    }

    /// A reconcile succeeded.
    pub(crate) fn succeeded(&self, item: &Item<Q>, again: Option<Duration>) {
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
        let planned = state.known.get(&**item).and_then(|known| known.retry_at);
        let delay = match planned.filter(|at| *at > now) {
            Some(at) => at - now,
            None => state.limiter.when(item),
        };
        state.note(item, Reason::Retry);
        if let Some(known) = state.known.get_mut(&**item) {
            known.retry_at = now.checked_add(delay);
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
        let known = state.known.entry((**item).clone()).or_default();
        known.is_given_up = known.reasons.is_empty();
    }

    /// Hands out what is ready, and takes nothing any more.
    pub(crate) fn close(&self) {
        self.inner.queue.shutdown();
    }
}

impl<Q: Clone + Eq + Hash> RequestsState<Q> {
    fn note(&mut self, request: &Q, reason: Reason) {
        let reasons = match self.known.get_mut(request) {
            Some(known) => &mut known.reasons,
            None => &mut self.known.entry(request.clone()).or_default().reasons,
        };
        if !reasons.contains(&reason) {
            reasons.push(reason);
        }
    }

    fn is_given_up(&self, request: &Q) -> bool {
        self.known
            .get(request)
            .is_some_and(|known| known.is_given_up)
    }

    /// Forgets failures.
    fn forget(&mut self, request: &Q) {
        self.limiter.forget(request);
        if let Some(known) = self.known.get_mut(request) {
            known.retry_at = None;
            if known.reasons.is_empty() {
                self.known.remove(request);
            }
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
