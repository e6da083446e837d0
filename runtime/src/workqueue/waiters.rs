//! The workers that wait in `get`, and which of them are woken.

use std::collections::VecDeque;
use std::task::Waker;
use std::{iter, mem};

use slab::Slab;
use tokio::time::Instant;

/// The workers that wait. They are here and not in a `tokio::sync::Notify`, so that one lock is enough, and so that it is
/// known how many are on their way.
#[derive(Default)]
pub(super) struct Waiters {
    waiting: Slab<Waiting>,
    /// Those who have not been woken, longest waiting first.
    line: VecDeque<usize>,
    /// Who has a timer for the first delayed key, and when it fires.
    timer: Option<(usize, Instant)>,
    /// Those who wait for the end of the queue, and not for a key.
    draining: Vec<Waker>,
}

struct Waiting {
    waker: Waker,
    woken: bool,
}

impl Waiters {
    /// Lets a worker wait. It keeps the place that it has.
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

    /// Lets a worker go that has got a key, or that does not want one any more.
    pub(super) fn leave(&mut self, place: usize) {
        let left = self.waiting.remove(place);
        if !left.woken {
            // Only a few workers ever wait.
            self.line.retain(|&other| other != place);
        }
        self.timer.take_if(|(holder, _)| *holder == place);
    }

    /// Gives a worker the timer for the first delayed key, unless another one fires as early. Returns when its own fires.
    pub(super) fn time(&mut self, place: usize, next_due: Option<Instant>) -> Option<Instant> {
        self.timer.take_if(|(holder, _)| *holder == place);
        if self.needs_timer(next_due) {
            self.timer = next_due.map(|due| (place, due));
        }
        self.timer
            .and_then(|(holder, due)| (holder == place).then_some(due))
    }

    /// Chooses a worker to be woken for `ready` keys, or to take over the timer.
    ///
    /// One worker in motion wakes the next when it takes a key and leaves another, which costs less than if who adds keys
    /// had to wake one for each. But a worker that was woken may be slow to come, so more are woken the more keys pile
    /// up: two for two keys, three for four, four for eight.
    pub(super) fn wake(&mut self, ready: usize, next_due: Option<Instant>) -> Option<Waker> {
        let woken = self.waiting.len() - self.line.len();
        let wanted = (ready.checked_ilog2().map_or(0, |log| log as usize + 1))
            .max(usize::from(self.needs_timer(next_due)));
        if woken >= wanted {
            return None;
        }
        self.wake_first()
    }

    /// Chooses anyone who has not been woken.
    fn wake_first(&mut self) -> Option<Waker> {
        let place = self.line.pop_front()?;
        let waiting = &mut self.waiting[place];
        waiting.woken = true;
        Some(waiting.waker.clone())
    }

    /// Lets somebody wait for the end of the queue.
    pub(super) fn wait_for_drain(&mut self, waker: &Waker) {
        if !self.draining.iter().any(|other| other.will_wake(waker)) {
            self.draining.push(waker.clone());
        }
    }

    /// Chooses everybody who waits for the end, to look again.
    pub(super) fn wake_draining(&mut self) -> Vec<Waker> {
        mem::take(&mut self.draining)
    }

    /// Chooses everybody.
    pub(super) fn wake_all(&mut self) -> Vec<Waker> {
        let mut wakers = self.wake_draining();
        wakers.extend(iter::from_fn(|| self.wake_first()));
        wakers
    }

    /// Whether a delayed key is due before anyone would look.
    fn needs_timer(&self, next_due: Option<Instant>) -> bool {
        match (next_due, self.timer) {
            (Some(due), Some((_, timer))) => due < timer,
            (Some(_), None) => true,
            (None, _) => false,
        }
    }
}
