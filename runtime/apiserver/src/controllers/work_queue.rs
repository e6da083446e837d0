//! Work queue of the controllers, with ready, delayed and failed tasks.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::time::Duration;

use tokio::time::Instant;

use super::graph::OwnerGraph;
use crate::controller_queue::ObjectId;

/// Backoff after the first failure of a task. Each further failure doubles it, as in client-go's
/// `DefaultTypedControllerRateLimiter`.
const FIRST_DELAY: Duration = Duration::from_millis(5);
/// Number of failures after which [`WorkQueue::hurry`] no longer shortens the backoff of a task.
const HURRIED_FAILURES: u32 = 8;
const MAX_DELAY: Duration = Duration::from_secs(1000);

/// Task of a controller.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum ControllerTask {
    /// Examines an object: deletes it if no owner keeps it, or finishes its foreground deletion.
    Collect(ObjectId),
    /// Removes the references to an owner from its dependents, and then the owner's finalizer
    /// `orphan`.
    Orphan(ObjectId),
    /// Deletes the contents of a terminating namespace, and then the namespace.
    Namespace(String),
    /// Deletes the custom resources of a terminating definition, and then the definition.
    Definition(String),
    /// Deletes an Event, if its resource version is still the given one.
    Expire(ObjectId, u64),
}

/// Result of running a task, which decides whether the task runs again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TaskOutcome {
    Done,
    /// The task runs again after this time, although it has not failed.
    After(Duration),
    /// The task runs again after a backoff.
    Failed,
    /// The kind of an owner is not served. The task runs again when a CustomResourceDefinition
    /// changes.
    UnknownKind,
}

/// Work queue of the controllers, and the owner graph from which collector tasks follow.
#[derive(Default)]
pub(super) struct WorkQueue {
    pub(super) graph: OwnerGraph,
    ready: VecDeque<ControllerTask>,
    /// Tasks in `ready`, except the one that is running.
    queued: HashSet<ControllerTask>,
    /// Delayed tasks by their time, and their times by task.
    timed: BTreeMap<(Instant, u64), ControllerTask>,
    times: HashMap<ControllerTask, (Instant, u64)>,
    /// Number of delayed tasks so far, which makes the keys of `timed` unique.
    timers: u64,
    /// Number of failures since the last success.
    failures: HashMap<ControllerTask, u32>,
    /// Tasks that ended with [`TaskOutcome::UnknownKind`].
    unknown: Vec<ControllerTask>,
}

impl WorkQueue {
    /// Enqueues a task, unless the queue already contains it.
    pub(super) fn add(&mut self, task: ControllerTask) {
        if self.queued.insert(task.clone()) {
            self.ready.push_back(task);
        }
    }

    /// Schedules a task for a time. If the task is already scheduled, the earlier time counts.
    pub(super) fn add_at(&mut self, at: Instant, task: ControllerTask) {
        if let Some(known) = self.times.get(&task) {
            if known.0 <= at {
                return;
            }
            self.timed.remove(known);
        }
        self.timers += 1;
        let time = (at, self.timers);
        self.times.insert(task.clone(), time);
        self.timed.insert(time, task);
    }

    /// Enqueues the tasks that ended with [`TaskOutcome::UnknownKind`].
    pub(super) fn retry_unknown(&mut self) {
        for task in std::mem::take(&mut self.unknown) {
            self.add(task);
        }
    }

    /// Returns the next task, which stays at the front of the queue until [`finish`](Self::finish)
    /// is called. Until then, the same task can be enqueued once more. A request or watch that runs
    /// the task may be dropped before the task ends. A later call then returns the task again.
    ///
    /// `pick` gets the number of ready tasks and returns the index of one.
    pub(super) fn next(
        &mut self,
        now: Instant,
        pick: impl FnOnce(usize) -> usize,
    ) -> Option<ControllerTask> {
        while let Some(entry) = self.timed.first_entry()
            && entry.key().0 <= now
        {
            let task = entry.remove();
            self.times.remove(&task);
            self.add(task);
        }
        if self.ready.len() > 1 {
            let picked = pick(self.ready.len());
            self.ready.swap(0, picked);
        }
        let task = self.ready.front()?.clone();
        self.queued.remove(&task);
        Some(task)
    }

    pub(super) fn finish(&mut self, task: ControllerTask, outcome: TaskOutcome, now: Instant) {
        if self.ready.front() != Some(&task) {
            // The queue was cleared in the meantime, because a snapshot was restored.
            return;
        }
        self.ready.pop_front();
        match outcome {
            TaskOutcome::Failed => {
                let failures = self.failures.entry(task.clone()).or_default();
                let delay = FIRST_DELAY.saturating_mul(1 << (*failures).min(20));
                *failures += 1;
                self.add_at(now + delay.min(MAX_DELAY), task);
                return;
            }
            TaskOutcome::After(delay) => self.add_at(now + delay, task.clone()),
            TaskOutcome::UnknownKind => self.unknown.push(task.clone()),
            TaskOutcome::Done => {}
        }
        self.failures.remove(&task);
    }

    /// Makes failed tasks ready at once, except those that have failed [`HURRIED_FAILURES`] times
    /// or more. Returns whether it made any task ready.
    pub(super) fn hurry(&mut self) -> bool {
        let failed: Vec<_> = self
            .failures
            .iter()
            .filter(|(_, failures)| **failures < HURRIED_FAILURES)
            .map(|(task, _)| task.clone())
            .collect();
        for task in &failed {
            if let Some(time) = self.times.remove(task) {
                self.timed.remove(&time);
            }
            self.add(task.clone());
        }
        !failed.is_empty()
    }

    /// Returns the time at which the next task is due. If a task is ready, this is now.
    pub(super) fn next_time(&self) -> Option<Instant> {
        let timed = self.timed.first_key_value().map(|((at, _), _)| *at);
        if self.ready.is_empty() {
            timed
        } else {
            Some(Instant::now())
        }
    }
}
