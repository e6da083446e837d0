//! Shared state of a queue behind its lock, and the waiting and waking of workers.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, OnceLock, Weak};
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;

use hashbrown::DefaultHashBuilder;
use tokio::time::{Instant, Sleep, sleep_until};
use tokio_util::task::AbortOnDropHandle;

use super::RateLimiter;
use super::metrics::QueueMetrics;
use super::order::Discipline;
use super::state::{Handed, Phase, QueueState, Taken};
use crate::sync::Mutex;
use crate::time::every;

/// Interval at which metrics of unfinished work are updated.
const UPDATE_PERIOD: Duration = Duration::from_millis(500);

pub(super) struct SharedQueue<T> {
    /// Locked for a few map operations, and never across an await.
    state: Mutex<QueueState<T>>,
    /// Never locked at the same time as the state.
    pub(super) limiter: Mutex<Box<dyn RateLimiter<T>>>,
    pub(super) hasher: DefaultHashBuilder,
    /// Task that updates the metrics that change while the queue is idle: unfinished work, and the
    /// depth when a delayed key becomes due. The task runs from the first `get` until shutdown or
    /// until the queue is dropped. Its handle of the queue is weak. `None` without metrics.
    updates: Option<OnceLock<AbortOnDropHandle<()>>>,
}

impl<T> SharedQueue<T> {
    pub(super) fn new(
        discipline: Discipline,
        oldest_every: Option<u32>,
        limiter: Box<dyn RateLimiter<T>>,
        metrics: Option<QueueMetrics>,
    ) -> Self {
        Self {
            updates: metrics.is_some().then(OnceLock::new),
            state: Mutex::new(QueueState::new(discipline, oldest_every, metrics)),
            limiter: Mutex::new(limiter),
            hasher: DefaultHashBuilder::default(),
        }
    }

    /// Promotes the delayed keys that are due, and then applies `operation` to the state. So due
    /// keys precede the keys that `operation` adds, as with client-go's `waitingLoop`. Afterwards,
    /// wakes a worker if one is needed to take a key or to wait for the timer. If the queue is
    /// drained, also wakes the callers of [`drained`](Self::drained).
    ///
    /// If `operation` releases slots, it must return their keys. The caller drops these keys
    /// without the lock.
    pub(super) fn change<R>(&self, operation: impl FnOnce(&mut QueueState<T>) -> R) -> R {
        let mut state = self.state.lock();
        state.promote();
        let result = operation(&mut state);
        let (ready, next_due) = (state.ready(), state.next_due());
        let woken = state.waiters.wake(ready, next_due);
        let drained = state.phase == Phase::Draining && state.is_drained();
        let draining = drained.then(|| state.waiters.wake_draining());
        // Wakes without the lock, since the code of a waker may use the queue.
        drop(state);
        if let Some(waker) = woken {
            waker.wake();
        }
        if let Some(wakers) = draining {
            wakers.into_iter().for_each(Waker::wake);
        }
        result
    }

    /// Creates the gauge of a priority before keys get this priority.
    pub(super) fn measure_priority(&self, priority: i32) {
        let missing = || self.state.lock().metrics.as_ref()?.missing(priority);
        // `insert` drops this gauge if other threads have meanwhile reached the limit of gauges.
        // Then the next iteration creates the gauge that all further priorities share.
        while let Some(missing) = missing() {
            let gauge = missing.make();
            if let Some(metrics) = &mut self.state.lock().metrics {
                metrics.insert(&missing, gauge);
            }
        }
    }

    /// Waits until every key is done or `shutdown` is called. `shut_downs` is the number of calls
    /// of `shutdown` before the wait. The number shows a new call even if a later
    /// `shutdown_with_drain` has set the phase back to `Draining`.
    pub(super) async fn drained(&self, shut_downs: usize) {
        let poll = |context: &mut Context<'_>| {
            self.change(|state| {
                if state.is_drained() || state.shut_downs != shut_downs {
                    return Poll::Ready(());
                }
                state.waiters.wait_for_drain(context.waker());
                Poll::Pending
            })
        };
        poll_fn(poll).await;
    }

    pub(super) fn done(&self, slot: usize) {
        self.change(|state| state.done(slot));
    }

    /// Rejects new keys and drops delayed ones. Wakes all waiting workers, and all callers that
    /// wait for a drain. Returns how often `shutdown` was called so far.
    pub(super) fn close(&self, phase: Phase) -> usize {
        let (_freed, wakers, shut_downs) = self.change(|state| {
            let freed = state.close(phase);
            (freed, state.waiters.wake_all(), state.shut_downs)
        });
        if let Some(task) = self.updates.as_ref().and_then(OnceLock::get) {
            task.abort();
        }
        wakers.into_iter().for_each(Waker::wake);
        shut_downs
    }
}

impl<T: Clone> SharedQueue<T> {
    /// Waits for a key. Returns `None` if the queue is shut down and empty.
    pub(super) async fn take(&self) -> Option<Handed<T>> {
        let mut waiter = Waiter {
            shared: self,
            place: None,
            timer: None,
        };
        poll_fn(|context| waiter.poll(context)).await
    }
}

impl<T: Send + 'static> SharedQueue<T> {
    /// Starts the task that updates the metrics, unless it has started or there are no metrics.
    pub(super) fn start_updates(self: &Arc<Self>) {
        if let Some(updates) = &self.updates {
            updates.get_or_init(|| {
                let reports = report_unfinished_work(Arc::downgrade(self));
                AbortOnDropHandle::new(tokio::spawn(reports))
            });
        }
    }
}

async fn report_unfinished_work<T>(queue: Weak<SharedQueue<T>>) {
    let mut ticks = every(UPDATE_PERIOD);
    loop {
        ticks.tick().await;
        let Some(queue) = queue.upgrade() else { return };
        let open = queue.change(|state| {
            let open = state.phase == Phase::Open;
            if let (true, Some(metrics)) = (open, &state.metrics) {
                metrics.report_unfinished_work();
            }
            open
        });
        if !open {
            return;
        }
    }
}

/// A worker in `get`. One of the waiting workers has the timer for the next delayed key. When that
/// worker gets a key or its future is dropped, [`SharedQueue::change`] wakes another one, which
/// takes over the timer.
struct Waiter<'a, T> {
    shared: &'a SharedQueue<T>,
    /// Index of this worker in [`Waiters`](super::state::Waiters).
    place: Option<usize>,
    timer: Option<Pin<Box<Sleep>>>,
}

impl<T: Clone> Waiter<'_, T> {
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<Handed<T>>> {
        loop {
            match self.take(context) {
                Ok(handed) => return Poll::Ready(handed),
                Err(due) => self.set_timer(due),
            }
            let Some(timer) = &mut self.timer else {
                return Poll::Pending;
            };
            ready!(timer.as_mut().poll(context));
            self.timer = None;
        }
    }

    /// Takes a key. Returns `Ok(None)` if the queue is closed and empty. If an open queue is empty,
    /// joins the waiting workers and returns the time of this worker's timer as the error. The time
    /// is `None` if no key is delayed or another worker has the timer.
    fn take(&mut self, context: &Context<'_>) -> Result<Option<Handed<T>>, Option<Instant>> {
        let place = &mut self.place;
        self.shared.change(|state| {
            let taken = state.take();
            if let Taken::Empty = taken {
                let waiting = state.waiters.wait(*place, context.waker());
                *place = Some(waiting);
                let next_due = state.next_due();
                return Err(state.waiters.time(waiting, next_due));
            }
            if let Some(place) = place.take() {
                state.waiters.leave(place);
            }
            match taken {
                Taken::Item(handed) => Ok(Some(handed)),
                Taken::Empty | Taken::Closed => Ok(None),
            }
        })
    }

    fn set_timer(&mut self, due: Option<Instant>) {
        match (due, &mut self.timer) {
            (Some(due), Some(timer)) if timer.deadline() == due => {}
            (Some(due), Some(timer)) => timer.as_mut().reset(due),
            (Some(due), None) => self.timer = Some(Box::pin(sleep_until(due))),
            (None, _) => self.timer = None,
        }
    }
}

impl<T> Drop for Waiter<'_, T> {
    fn drop(&mut self) {
        if let Some(place) = self.place.take() {
            self.shared.change(|state| state.waiters.leave(place));
        }
    }
}
