//! Controllers of a cluster that users of an API server rely on: garbage collection, deletion of
//! namespaces, names of definitions and cleanup of their objects, expiry of events.
//!
//! Definitions are established within the commit. The others have no task, as a server may outlive the runtime of a test. A commit leaves an
//! [`Observation`]; whoever uses the server next acts on those that are due: a request before and
//! after it is answered, a watch when it wakes up. Every write is a request of its own.

mod collector;
pub(crate) mod conditions;
pub(crate) mod definitions;
pub(crate) mod establishing;
mod expiry;
mod graph;
mod namespaces;
mod observation;
mod remaining;
mod requests;
mod work;

use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use self::observation::Observation;
use self::work::{Outcome, Task, Work};
use crate::server::Inner;
use crate::store::{Change, Resource};

/// See the [module](self).
pub(crate) struct Controllers {
    /// Whether those of kube-controller-manager run, beside those of kube-apiserver itself.
    has_manager: bool,
    /// What was committed since they ran, oldest first.
    inbox: Mutex<VecDeque<Observation>>,
    work: Mutex<Work>,
    /// Held by the one that works.
    turn: tokio::sync::Mutex<()>,
    /// When there is something to do.
    due: watch::Sender<Option<Instant>>,
}

impl Controllers {
    pub(crate) fn new(has_manager: bool) -> Self {
        Self {
            has_manager,
            inbox: Mutex::default(),
            work: Mutex::default(),
            turn: tokio::sync::Mutex::default(),
            due: watch::Sender::new(None),
        }
    }

    /// Notes a committed change. The store calls this in the order of versions.
    pub(crate) fn observe(&self, resource: &Resource, change: &Change) {
        let Some(observation) = Observation::of(resource, change) else {
            return;
        };
        let due = observation.due;
        let mut inbox = self.inbox.lock();
        inbox.push_back(observation);
        self.due.send_if_modified(|at| {
            let is_sooner = at.is_none_or(|at| due < at);
            if is_sooner {
                *at = Some(due);
            }
            is_sooner
        });
    }

    /// Completes when there is something to do.
    pub(crate) async fn due(&self) {
        let mut due = self.due.subscribe();
        loop {
            let at = *due.borrow_and_update();
            let changed = match at {
                None => due.changed().await,
                Some(at) => tokio::select! {
                    () = sleep_until(at) => return,
                    changed = due.changed() => changed,
                },
            };
            if changed.is_err() {
                return std::future::pending().await;
            }
        }
    }

    /// Does what is due.
    pub(crate) async fn run_due(&self, server: &Arc<Inner>) {
        let is_due = self.due.borrow().is_some_and(|at| at <= Instant::now());
        if is_due {
            self.run(server, false).await;
        }
    }

    /// Does what is due, or everything that is noted: without delays, and with some more tries of
    /// what fails. Events do not expire sooner by that.
    pub(crate) fn run<'a>(
        &'a self,
        server: &'a Arc<Inner>,
        is_everything: bool,
    ) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
        Box::pin(async move {
            let _turn = self.turn.lock().await;
            loop {
                self.take_in(server, is_everything);
                // The workers of real controllers run side by side: any order may come.
                let pick = |tasks| match server.lag.is_zero() {
                    true => 0,
                    false => server.seed.below(tasks),
                };
                if is_everything && !server.lag.is_zero() && server.seed.below(2) == 0 {
                    self.work.lock().hurry();
                }
                let task = self.work.lock().next(Instant::now(), pick);
                let Some(task) = task else {
                    if is_everything && self.work.lock().hurry() {
                        continue;
                    }
                    break;
                };
                let outcome = self.perform(server, &task).await;
                self.work.lock().finish(task, outcome, Instant::now());
            }
            self.announce();
        })
    }

    /// Turns what was committed into tasks.
    fn take_in(&self, server: &Arc<Inner>, is_everything: bool) {
        let now = Instant::now();
        loop {
            let seen = {
                let mut inbox = self.inbox.lock();
                match inbox.front() {
                    Some(seen) if is_everything || seen.due <= now => inbox.pop_front(),
                    _ => None,
                }
            };
            let Some(seen) = seen else {
                return;
            };
            let mut work = self.work.lock();
            expiry::observe(&mut work, &seen, now);
            definitions::observe(&mut work, server, &seen);
            if self.has_manager {
                collector::observe(&mut work, server, &seen);
                namespaces::observe(&mut work, server, &seen);
            }
        }
    }

    async fn perform(&self, server: &Arc<Inner>, task: &Task) -> Outcome {
        match task {
            Task::Collect(identity) => collector::collect(server, &self.work, identity).await,
            Task::Orphan(identity) => collector::orphan(server, &self.work, identity).await,
            Task::Namespace(name) => namespaces::sync(server, name).await,
            Task::Definition(name) => definitions::sync(server, name).await,
            Task::Expire(identity, version) => expiry::expire(server, identity, *version),
        }
    }

    fn announce(&self) {
        let inbox = self.inbox.lock();
        let noted = inbox.front().map(|seen| seen.due);
        let timed = self.work.lock().next_time();
        let next = noted.into_iter().chain(timed).min();
        self.due.send_if_modified(|at| {
            let is_new = *at != next;
            *at = next;
            is_new
        });
    }

    /// Forgets everything and looks at every object, as after a start.
    pub(crate) fn restart(&self, server: &Inner) {
        let objects = server.store.all();
        let mut inbox = self.inbox.lock();
        inbox.clear();
        *self.work.lock() = Work::default();
        let existing = objects
            .iter()
            .map(|(resource, key, stored)| Observation::of_existing(resource, key, stored));
        inbox.extend(existing);
        let due = inbox.front().map(|seen| seen.due);
        self.due.send_replace(due);
    }
}
