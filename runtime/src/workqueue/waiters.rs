//! [`Waiters`]: the workers that wait in `get`, and the choice of the next worker to wake.

use std::collections::VecDeque;
use std::task::Waker;
use std::{iter, mem};

use slab::Slab;
use tokio::time::Instant;

#[derive(Default)]
pub(super) struct Waiters {
    waiting: Slab<Waiting>,
    /// Workers that have not been woken. The one that has waited longest is first.
    line: VecDeque<usize>,
    /// The worker that has the timer for the first delayed key, and the time of the timer.
    timer: Option<(usize, Instant)>,
    /// Wakers of callers that wait for a drain, not for a key.
    draining: Vec<Waker>,
}

struct Waiting {
    waker: Waker,
    woken: bool,
}

impl Waiters {
    /// Registers a waiting worker. A worker that has already waited and was not woken keeps its
    /// place.
    pub(super) fn wait(&mut self, place: Option<usize>, waker: &Waker) -> usize {
        if let Some(place) = place
            && !self.waiting[place].woken
        {
            self.waiting[place].waker.clone_from(waker);
            return place;
        }
        if let Some(woken) = place {
            self.leave(woken);
        }
        let place = self.waiting.insert(Waiting {
            waker: waker.clone(),
            woken: false,
        });
        self.line.push_back(place);
        place
    }

    /// Removes a worker that got a key or was dropped.
    pub(super) fn leave(&mut self, place: usize) {
        let left = self.waiting.remove(place);
        if !left.woken {
            // Only a few workers wait, so a linear search suffices.
            self.line.retain(|&other| other != place);
        }
        self.timer.take_if(|(holder, _)| *holder == place);
    }

    /// Gives this worker the timer for the first delayed key, unless the timer of another worker
    /// fires early enough. Returns the time of this worker's timer, or `None` if it has none.
    pub(super) fn time(&mut self, place: usize, next_due: Option<Instant>) -> Option<Instant> {
        self.timer.take_if(|(holder, _)| *holder == place);
        if self.needs_timer(next_due) {
            self.timer = next_due.map(|due| (place, due));
        }
        self.timer
            .and_then(|(holder, due)| (holder == place).then_some(due))
    }

    /// Returns the waker of a worker that is needed for `ready` keys or to take over the timer.
    ///
    /// A wake for every added key would be expensive. So a worker that takes a key wakes the next
    /// worker if keys are left. But a woken worker may be slow to take a key. If keys accumulate,
    /// more workers are therefore woken at the same time: two for two keys, three for four, four
    /// for eight. Returns `None` if so many workers are woken already.
    pub(super) fn wake(&mut self, ready: usize, next_due: Option<Instant>) -> Option<Waker> {
        let woken = self.waiting.len() - self.line.len();
        let wanted = (ready.checked_ilog2().map_or(0, |log| log as usize + 1))
            .max(usize::from(self.needs_timer(next_due)));
        if woken >= wanted {
            return None;
        }
        self.wake_first()
    }

    /// Returns the waker of the worker that has waited longest and marks it as woken.
    fn wake_first(&mut self) -> Option<Waker> {
        let place = self.line.pop_front()?;
        let waiting = &mut self.waiting[place];
        waiting.woken = true;
        Some(waiting.waker.clone())
    }

    pub(super) fn wait_for_drain(&mut self, waker: &Waker) {
        if !self.draining.iter().any(|other| other.will_wake(waker)) {
            self.draining.push(waker.clone());
        }
    }

    /// Returns the wakers of all callers that wait for a drain.
    pub(super) fn wake_draining(&mut self) -> Vec<Waker> {
        mem::take(&mut self.draining)
    }

    pub(super) fn wake_all(&mut self) -> Vec<Waker> {
        let mut wakers = self.wake_draining();
        wakers.extend(iter::from_fn(|| self.wake_first()));
        wakers
    }

    /// Whether the first delayed key is due before the current timer fires.
    fn needs_timer(&self, next_due: Option<Instant>) -> bool {
        match (next_due, self.timer) {
            (Some(due), Some((_, timer))) => due < timer,
            (Some(_), None) => true,
            (None, _) => false,
        }
    }
}
