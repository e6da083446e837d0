//! The lock around the state, and how workers wait and are woken.

use std::mem;
use std::pin::{Pin, pin};
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use hashbrown::DefaultHashBuilder;
use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::sync::futures::Notified;
use tokio::time::{Instant, MissedTickBehavior, interval_at, timeout_at};
use tokio_util::task::AbortOnDropHandle;

use super::RateLimiter;
use super::metrics::Meter;
use super::state::{Phase, State, Taken};

/// What the handles of a queue share.
pub(super) struct Shared<T> {
    /// A blocking lock, held for a few operations on maps and never across an `.await`.
    state: Mutex<State<T>>,
    /// A lock of its own: limiters are asked outside of the other one.
    pub(super) limiter: Mutex<Box<dyn RateLimiter<T>>>,
    pub(super) hasher: DefaultHashBuilder,
    /// Wakes workers; they register under the lock of `state`, so a change that sees one idle also finds it here.
    wake: Notify,
    /// Tells those who drain the queue to look again.
    drained: Notify,
    updates: Option<Updates>,
}

/// Reports the metrics that grow while nothing happens; runs from the first `get` until shutdown.
struct Updates {
    period: Duration,
    /// Owned here, so that the task ends with the queue; it holds only a weak handle itself.
    task: OnceLock<AbortOnDropHandle<()>>,
}

impl<T> Shared<T> {
    pub(super) fn new(
        limiter: Box<dyn RateLimiter<T>>,
        meter: Option<Meter>,
        update_period: Duration,
    ) -> Self {
        let updates = meter.is_some().then(|| Updates {
            period: update_period,
            task: OnceLock::new(),
        });
        Self {
            state: Mutex::new(State::new(meter)),
            limiter: Mutex::new(limiter),
            hasher: DefaultHashBuilder::default(),
            wake: Notify::new(),
            drained: Notify::new(),
            updates,
        }
    }

    /// Changes the state, then wakes as many workers as there is new work for, and one more if a timer has to be set.
    pub(super) fn change<R>(&self, operation: impl FnOnce(&mut State<T>) -> R) -> R {
        let mut state = self.state.lock();
        let result = operation(&mut state);
        let wanted = mem::take(&mut state.waiters.wanted) + usize::from(needs_timer(&state));
        let wakes = wanted.min(state.waiters.idle);
        let drained = state.phase == Phase::Draining && state.is_drained();
        drop(state);
        for _ in 0..wakes {
            self.wake.notify_one();
        }
        if drained {
            self.drained.notify_waiters();
        }
        result
    }

    /// Takes a key from its worker.
    pub(super) fn done(&self, slot: usize) {
        drop(self.change(|state| state.done(slot)));
    }

    /// Refuses keys, and lets workers and those who drain know. Returns how often the queue was closed for good.
    pub(super) fn close(&self, phase: Phase) -> usize {
        let (freed, shut_downs) = self.change(|state| (state.close(phase), state.shut_downs));
        drop(freed);
        if let Some(task) = self.updates.as_ref().and_then(|updates| updates.task.get()) {
            task.abort();
        }
        self.wake.notify_waiters();
        self.drained.notify_waiters();
        shut_downs
    }

    /// Waits until every key is done, or until the queue is closed for good after it was `shut_downs` times: also if somebody
    /// drains it again since.
    pub(super) async fn drained(&self, shut_downs: usize) {
        loop {
            let mut notified = pin!(self.drained.notified());
            notified.as_mut().enable();
            if self.change(|state| state.is_drained() || state.shut_downs != shut_downs) {
                return;
            }
            notified.await;
        }
    }
}

impl<T: Clone> Shared<T> {
    /// Waits for a key; `None` if the queue is closed and empty.
    pub(super) async fn take(&self) -> Option<(usize, T)> {
        let mut waiter = Waiter {
            shared: self,
            waiting: false,
            notified: false,
            timer: None,
        };
        loop {
            let mut notified = pin!(self.wake.notified());
            match self.change(|state| waiter.take(state, notified.as_mut())) {
                Taken::Item { slot, key } => return Some((slot, key)),
                Taken::Closed => return None,
                Taken::Empty => {}
            }
            waiter.notified = match waiter.timer {
                Some(due) => timeout_at(due, notified).await.is_ok(),
                None => {
                    notified.await;
                    true
                }
            };
        }
    }
}

impl<T: Send + 'static> Shared<T> {
    /// Starts the reports of unfinished work, if somebody wants them and they have not started.
    pub(super) fn start_updates(self: &Arc<Self>) {
        if let Some(updates) = &self.updates {
            updates.task.get_or_init(|| {
                AbortOnDropHandle::new(tokio::spawn(report_unfinished_work(
                    Arc::downgrade(self),
                    updates.period,
                )))
            });
        }
    }
}

async fn report_unfinished_work<T>(queue: Weak<Shared<T>>, period: Duration) {
    let mut ticks = interval_at(Instant::now() + period, period);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let Some(queue) = queue.upgrade() else { return };
        let open = queue.change(|state| {
            state.promote();
            let open = state.phase == Phase::Open;
            if let (true, Some(meter)) = (open, state.meter()) {
                meter.report_unfinished_work();
            }
            open
        });
        if !open {
            return;
        }
    }
}

/// Whether a delayed key is due before any idle worker would look.
fn needs_timer<T>(state: &State<T>) -> bool {
    match (state.next_due(), state.waiters.timer) {
        (Some(due), Some(timer)) => due < timer,
        (Some(_), None) => true,
        (None, _) => false,
    }
}

/// A worker inside of `get`. One of those that wait has the timer for the next delayed key; when it leaves, with a key or
/// because its future was dropped, [`Shared::change`] wakes another to take the timer over.
struct Waiter<'a, T> {
    shared: &'a Shared<T>,
    waiting: bool,
    /// Whether it was woken by another worker or by who added a key, and not by its timer.
    notified: bool,
    timer: Option<Instant>,
}

impl<T> Waiter<'_, T> {
    fn wait(&mut self, state: &mut State<T>) {
        self.waiting = true;
        state.waiters.idle += 1;
        if needs_timer(state) {
            self.timer = state.next_due();
            state.waiters.timer = self.timer;
        }
    }

    fn leave(&mut self, state: &mut State<T>) {
        if !mem::take(&mut self.waiting) {
            return;
        }
        state.waiters.idle -= 1;
        if let Some(timer) = self.timer.take()
            && state.waiters.timer == Some(timer)
        {
            state.waiters.timer = None;
        }
    }
}

impl<T: Clone> Waiter<'_, T> {
    fn take(&mut self, state: &mut State<T>, notified: Pin<&mut Notified<'_>>) -> Taken<T> {
        self.leave(state);
        let taken = state.take();
        match taken {
            // Who came without being woken takes a key off the hands of those who would be.
            Taken::Item { .. } if !self.notified => {
                state.waiters.wanted = state.waiters.wanted.saturating_sub(1);
            }
            Taken::Empty => {
                notified.enable();
                self.wait(state);
            }
            _ => {}
        }
        taken
    }
}

impl<T> Drop for Waiter<'_, T> {
    fn drop(&mut self) {
        if self.waiting {
            self.shared.change(|state| self.leave(state));
        }
    }
}
