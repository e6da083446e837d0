//! Work queue of the controllers: tasks that are ready, and those that have a time.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::time::Duration;

use tokio::time::Instant;

use super::graph::Graph;
use crate::observation::Identity;

/// Delay after the first failure of a task; each further one doubles it.
const FIRST_DELAY: Duration = Duration::from_millis(5);
/// Failures after which a task waits for its time, even if everything is to be done at once.
const IMPATIENT_FAILURES: u32 = 8;
/// The longest delay after a failure.
const LONGEST_DELAY: Duration = Duration::from_secs(1000);

/// Something that a controller does.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Task {
    /// Deletes an object that has no owner left.
    Collect(Identity),
    /// Takes the references to an owner off its dependents.
    Orphan(Identity),
    /// Deletes the contents of a namespace, and then the namespace.
    Namespace(String),
    /// Deletes the objects of a definition, and then the definition.
    Definition(String),
    /// Deletes an event, if it is still at this version.
    Expire(Identity, u64),
}

/// How a task ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Done,
    /// Something is to be seen to again after this time, if nothing happens before.
    After(Duration),
    /// Tried again, later each time.
    Failed,
    /// Tried again when a definition changes: a kind that is not served.
    Unknown,
}

/// See the [module](self).
#[derive(Default)]
pub(super) struct Work {
    pub(super) graph: Graph,
    ready: VecDeque<Task>,
    queued: HashSet<Task>,
    timed: BTreeMap<(Instant, u64), Task>,
    times: HashMap<Task, (Instant, u64)>,
    /// Counts timers, so that none replaces another.
    timers: u64,
    failures: HashMap<Task, u32>,
    unknown: Vec<Task>,
}

impl Work {
    /// Adds a task, unless it is waiting already.
    pub(super) fn add(&mut self, task: Task) {
        if self.queued.insert(task.clone()) {
            self.ready.push_back(task);
        }
    }

    /// Adds a task for later, unless it has a sooner time.
    pub(super) fn add_at(&mut self, at: Instant, task: Task) {
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

    /// Tries again what a kind was missing for.
    pub(super) fn retry_unknown(&mut self) {
        for task in std::mem::take(&mut self.unknown) {
            self.add(task);
        }
    }

    /// The next task. It stays in front until it is [finished](Self::finish), so that a request
    /// that is given up in the middle leaves it to the next one.
    ///
    /// `pick` chooses among the tasks that are ready.
    pub(super) fn next(&mut self, now: Instant, pick: impl FnOnce(usize) -> usize) -> Option<Task> {
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

    pub(super) fn finish(&mut self, task: Task, outcome: Outcome, now: Instant) {
        if self.ready.front() != Some(&task) {
            // The server was restored meanwhile.
            return;
        }
        self.ready.pop_front();
        match outcome {
            Outcome::Failed => {
                let failures = self.failures.entry(task.clone()).or_default();
                let delay = FIRST_DELAY.saturating_mul(1 << (*failures).min(20));
                *failures += 1;
                self.add_at(now + delay.min(LONGEST_DELAY), task);
                return;
            }
            Outcome::After(delay) => self.add_at(now + delay, task.clone()),
            Outcome::Unknown => self.unknown.push(task.clone()),
            Outcome::Done => {}
        }
        self.failures.remove(&task);
    }

    /// Makes failed tasks ready before their time; true if there are some.
    pub(super) fn hurry(&mut self) -> bool {
        let failed = self.failures.iter();
        let failed = failed.filter(|(_, failures)| **failures < IMPATIENT_FAILURES);
        let failed: Vec<_> = failed.map(|(task, _)| task.clone()).collect();
        for task in &failed {
            if let Some(time) = self.times.remove(task) {
                self.timed.remove(&time);
            }
            self.add(task.clone());
        }
        !failed.is_empty()
    }

    /// The time of the next task; one that is ready is due at once.
    pub(super) fn next_time(&self) -> Option<Instant> {
        let timed = self.timed.first_key_value().map(|((at, _), _)| *at);
        match self.ready.is_empty() {
            true => timed,
            false => Some(Instant::now()),
        }
    }
}
