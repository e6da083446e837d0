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
use parking_lot::{Mutex, MutexGuard};
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
    waiting: HashMap<Q, Why>,
    /// Those whose last attempt failed.
    failed: HashMap<Q, Failed>,
}

/// Why a request waits.
#[derive(Default)]
struct Why {
    reasons: Vec<Reason>,
    /// Whether a watch has led to it, now or before it was tried again: then there are resyncs.
    has_resyncs: bool,
}

/// What is known of a request when its reconcile begins.
pub(crate) struct Begun {
    /// How often it has failed since it succeeded or was given up.
    pub(crate) failures: u32,
    pub(crate) reasons: Vec<Reason>,
    /// See [`Context::has_resyncs`](crate::Context).
    pub(crate) has_resyncs: bool,
}

/// A request whose last attempt failed.
enum Failed {
    /// It is tried again.
    Retried {
        /// How often it has failed.
        failures: u32,
        /// When it is tried again at the latest, as the limiter has it.
        planned: Option<Instant>,
    },
    /// It is tried again when something changes: a resync is no reason.
    ForGood,
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
                    waiting: HashMap::new(),
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
        let known = state.failed.get(&request);
        if reason == Reason::Resync && matches!(known, Some(Failed::ForGood)) {
            return;
        }
        let has_resyncs = reason.has_resyncs();
        state.note(&request, reason, has_resyncs);
        // Under the lock, so that the worker that gets it finds the reason.
        self.inner.queue.add_with_opts(opts, [request]);
    }

    /// Waits for a request; `None` once it was [closed](Self::close).
    pub(crate) async fn get(&self) -> Option<Item<Q>> {
        self.inner.queue.get().await
    }

    /// What is known of a request that is to be reconciled now.
    pub(crate) fn begin(&self, request: &Q) -> Begun {
        let mut state = self.inner.state.lock();
        let why = state.waiting.remove(request).unwrap_or_default();
        let failures = match state.failed.get(request) {
            Some(Failed::Retried { failures, .. }) => *failures,
            Some(Failed::ForGood) => {
                state.failed.remove(request);
                0
            }
            None => 0,
        };
        Begun {
            failures,
            reasons: why.reasons,
            has_resyncs: why.has_resyncs,
        }
    }

    /// A reconcile succeeded, after so many that failed.
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
            state.note(item, Reason::Requeue, has_resyncs);
            self.inner
                .queue
                .add_with_opts(opts(item, after), [(**item).clone()]);
        }
    }

    /// A reconcile failed, and is tried again when the limiter says so. Returns after how long. A
    /// failure that an event brought forward keeps the time that was planned, so that many events
    /// during an outage do not push it into the future.
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

    /// A reconcile failed, and is tried again after a time that is not the limiter's.
    pub(crate) fn failed_for(&self, item: &Item<Q>, has_resyncs: bool, delay: Duration) {
        let mut state = self.inner.state.lock();
        state.count_failure(item, None);
        self.retry(state, item, has_resyncs, delay);
    }

    /// A reconcile came too early, which is no failure, and is tried again after a time.
    pub(crate) fn retry_after(&self, item: &Item<Q>, has_resyncs: bool, delay: Duration) {
        self.retry(self.inner.state.lock(), item, has_resyncs, delay);
    }

    fn retry(
        &self,
        mut state: MutexGuard<'_, RequestsState<Q>>,
        item: &Item<Q>,
        has_resyncs: bool,
        delay: Duration,
    ) {
        state.note(item, Reason::Retry, has_resyncs);
        self.inner
            .queue
            .add_with_opts(opts(item, delay), [(**item).clone()]);
    }

    /// A reconcile failed, and is not tried again until something changes. That is remembered only
    /// where resyncs come, and until the next event, which always comes there.
    pub(crate) fn given_up(&self, item: &Item<Q>, has_resyncs: bool) {
        let mut state = self.inner.state.lock();
        state.forget(item);
        if has_resyncs && !state.waiting.contains_key(&**item) {
            state.failed.insert((**item).clone(), Failed::ForGood);
        }
    }

    /// Hands out what is ready, and takes nothing any more.
    pub(crate) fn close(&self) {
        self.inner.queue.shutdown();
    }
}

impl<Q: Clone + Eq + Hash> RequestsState<Q> {
    fn note(&mut self, request: &Q, reason: Reason, has_resyncs: bool) {
        let why = self.waiting.entry(request.clone()).or_default();
        why.has_resyncs |= has_resyncs;
        if !why.reasons.contains(&reason) {
            // Most have one.
            why.reasons.reserve_exact(1);
            why.reasons.push(reason);
        }
    }

    /// Counts a failure of a request that is tried again. A time that was planned and is still to
    /// come stays, unless there is another one.
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

    /// Forgets failures.
    fn forget(&mut self, request: &Q) {
        self.limiter.forget(request);
        // Mostly empty, so that nothing is hashed.
        if self.failed.contains_key(request) {
            self.failed.remove(request);
        }
    }
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

#[cfg(test)]
mod tests {
    use genclient::metrics::prometheus::Registry;

    use super::*;

    /// Only where resyncs come is it known which requests are not tried again.
    #[tokio::test]
    async fn requests_of_sources_leave_nothing_when_they_are_given_up() {
        let requests = Requests::new("tests", None, Arc::new(Registry::new()));
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
        // It is known as long as resyncs come, and a change ends that.
        requests.add_low(2, Reason::Resync);
        requests.add_for(2, Reason::Deleted("ConfigMap".into()), AddOpts::default());
        assert_eq!(given_up().await, (0, 0));
    }
}
