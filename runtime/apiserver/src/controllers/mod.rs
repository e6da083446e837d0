//! Controllers that users of an API server rely on: garbage collection, deletion of namespaces,
//! cleanup of custom resources, and expiry of Events.
//!
//! The controllers have no background task. It would end with the Tokio runtime of a test, but a
//! server may outlive that runtime. A commit enqueues an
//! [`ControllerEvent`](crate::controller_queue::ControllerEvent). Later requests and watches run
//! the work that is due: a request does so before and after its handling, a watch while it waits
//! for events. Controllers write by requests to their own server, as in a cluster. Only expired
//! Events are deleted directly from the store, since etcd deletes them in a cluster.

mod collector;
mod definitions;
pub(crate) mod expiry;
mod graph;
mod namespaces;
pub(crate) mod requests;
mod work_queue;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::time::Instant;

use self::work_queue::{ControllerTask, TaskOutcome, WorkQueue};
use crate::state::ServerState;

/// Controllers of a server, with their work queue.
pub(crate) struct Controllers {
    /// Whether the controllers of kube-controller-manager run. Those of kube-apiserver always do.
    has_manager: bool,
    work: Mutex<WorkQueue>,
    /// Lock that a caller holds while it runs the controllers.
    is_running: tokio::sync::Mutex<()>,
}

impl Controllers {
    pub(crate) fn new(has_manager: bool) -> Self {
        Self {
            has_manager,
            work: Mutex::default(),
            is_running: tokio::sync::Mutex::default(),
        }
    }

    /// Runs due work. If another caller is already running work, returns at once without waiting:
    /// the current request may come from a webhook that the controllers are waiting for.
    pub(crate) async fn run_due(&self, server: &Arc<ServerState>) {
        if server.controller_queue.is_due()
            && let Ok(_guard) = self.is_running.try_lock()
        {
            self.run_due_work(server, false).await;
        }
    }

    /// Runs due work, after other callers have finished. With `is_everything`, all committed
    /// changes count as due, and failed tasks are retried several times without a backoff.
    /// Scheduled tasks, such as the expiry of an Event, still run at their time.
    ///
    /// An admission plug-in or a webhook must not call this function, since the controllers may be
    /// waiting for that plug-in or webhook.
    pub(crate) fn run<'a>(
        &'a self,
        server: &'a Arc<ServerState>,
        is_everything: bool,
    ) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
        Box::pin(async move {
            let _guard = self.is_running.lock().await;
            self.run_due_work(server, is_everything).await;
        })
    }

    /// Runs due work. The caller holds the lock `is_running`.
    fn run_due_work<'a>(
        &'a self,
        server: &'a Arc<ServerState>,
        is_everything: bool,
    ) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
        Box::pin(async move {
            loop {
                self.enqueue_due_tasks(server, is_everything);
                // In a cluster, several workers run tasks concurrently, so tasks end in any order.
                // Therefore, tasks run in random order here. If a test has set the server's lag to
                // zero, changes have no random delays, and tasks run in the order of the queue.
                let pick = |tasks| {
                    if server.lag.is_zero() {
                        0
                    } else {
                        server.seed.below(tasks)
                    }
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
                let outcome = self.run_task(server, &task).await;
                self.work.lock().finish(task, outcome, Instant::now());
            }
            server
                .controller_queue
                .set_next_time(self.work.lock().next_time());
        })
    }

    /// Turns the events that are due into tasks.
    fn enqueue_due_tasks(&self, server: &Arc<ServerState>, is_everything: bool) {
        let now = Instant::now();
        while let Some(event) = server.controller_queue.take(now, is_everything) {
            let mut work = self.work.lock();
            expiry::enqueue_tasks(&mut work, &event);
            definitions::enqueue_tasks(&mut work, server, &event);
            if self.has_manager {
                collector::enqueue_tasks(&mut work, server, &event);
                namespaces::enqueue_tasks(&mut work, server, &event);
            }
        }
    }

    async fn run_task(&self, server: &Arc<ServerState>, task: &ControllerTask) -> TaskOutcome {
        match task {
            ControllerTask::Collect(id) => collector::collect(server, &self.work, id).await,
            ControllerTask::Orphan(id) => collector::orphan(server, &self.work, id).await,
            ControllerTask::Namespace(name) => namespaces::sync_namespace(server, name).await,
            ControllerTask::Definition(name) => definitions::sync_definition(server, name).await,
            ControllerTask::Expire(id, version) => expiry::expire(server, id, *version),
        }
    }

    /// Drops all tasks, and observes every object as if it had just been created.
    pub(crate) fn restart(&self, server: &ServerState) {
        *self.work.lock() = WorkQueue::default();
        server.controller_queue.restart(&server.store.all_objects());
    }
}
