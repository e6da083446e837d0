//! [`Component`]: a part of a program that a manager runs.

use std::fmt;

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio_util::sync::CancellationToken;

use crate::cluster::CacheHandle;
use crate::error::SetupError;
use crate::failure::BoxError;
use crate::setup::Setup;

/// A part of a program that a [`Manager`](crate::Manager) runs: for example, a
/// [`Controller`](crate::Controller), a [`Task`], or a closure. The argument of the closure is the
/// token that stops it.
///
/// In logs and errors, a closure has the name of its Rust type, such as
/// `guestbook::add::{{closure}}`. If the name is taken, a number is appended. The name of a
/// [`Task`] is set by [`Task::new`].
///
/// ```
/// use genclient_controller::{Component, Manager, SetupError};
/// use tokio_util::sync::CancellationToken;
///
/// fn add(manager: &mut Manager) -> Result<(), SetupError> {
///     manager.add(async |stop: CancellationToken| {
///         stop.cancelled().await;
///         Ok(())
///     })?;
///     Ok(())
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "a manager cannot run `{Self}`",
    label = "neither a controller nor a closure",
    note = "add a `Controller`, a `Task`, or `async |stop: CancellationToken| {{ .. Ok(()) }}`"
)]
pub trait Component: Send + 'static {
    /// Declares what the component needs from the manager, and returns the task to run.
    ///
    /// # Errors
    ///
    /// See [`SetupError`].
    fn set_up(self, setup: &Setup) -> Result<Task, SetupError>;
}

/// A future that a manager runs, with its name, its start phase and the replicas that run it.
#[must_use = "a task does nothing until a component returns it"]
pub struct Task {
    pub(crate) name: String,
    /// Whether a number is appended if another component has the name.
    pub(crate) is_numbered: bool,
    pub(crate) phase: StartPhase,
    pub(crate) readyz: Option<Check>,
    /// Whether the task serves conversions. If a task does, readiness does not wait for the caches.
    /// The API server may need the conversions to list objects. It requests them through a Service,
    /// which forwards requests only to ready Pods.
    pub(crate) serves_conversions: bool,
    /// The caches that the task needs.
    pub(crate) caches: Vec<CacheHandle>,
    pub(crate) run: Box<dyn FnOnce(Run) -> BoxFuture<'static, Result<(), BoxError>> + Send>,
}

pub(crate) type Check = Box<dyn Fn() -> Result<(), BoxError> + Send + Sync>;

/// The phase of a run in which a task starts, and the replicas on which it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StartPhase {
    /// On every replica, before the caches sync.
    Server,
    /// On every replica, after the caches have synced.
    EveryReplica,
    /// On the leader, after it has acquired the lease. Without leader election, like
    /// `EveryReplica`.
    Leader,
}

/// Stop tokens of a running task.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Run {
    /// Cancelled when the task must begin nothing new, because the program stops, the component is
    /// removed, or the lease is lost.
    pub stop: CancellationToken,
    /// Cancelled when work that still runs has to end. If the lease is lost, this is together with
    /// `stop`, else after two thirds of the time for the shutdown: see
    /// [`graceful_shutdown_timeout`](crate::ManagerBuilder::graceful_shutdown_timeout). A task that
    /// still runs when the time is over is dropped: at once if another replica holds the lease.
    pub cancel: CancellationToken,
    /// Cancelled when the requests of reconciles that still run end. If the lease is lost, this is
    /// together with `stop`, else halfway from `cancel` to the drop of the task.
    pub(crate) end_requests: CancellationToken,
}

impl Task {
    /// Creates a task. With leader election, it runs only on the leader.
    pub fn new<F, W>(name: impl Into<String>, run: F) -> Self
    where
        F: FnOnce(Run) -> W + Send + 'static,
        W: Future<Output = Result<(), BoxError>> + Send + 'static,
    {
        Self {
            name: name.into(),
            is_numbered: false,
            phase: StartPhase::Leader,
            readyz: None,
            serves_conversions: false,
            caches: Vec::new(),
            run: Box::new(|it| run(it).boxed()),
        }
    }

    /// Runs the task on every replica, whether it leads or not.
    pub fn on_every_replica(mut self) -> Self {
        self.phase = StartPhase::EveryReplica;
        self
    }

    /// Runs the task on every replica, from before the caches sync until everything else has ended.
    /// Some caches may need such a task in order to sync, for example a conversion webhook.
    pub fn as_server(mut self) -> Self {
        self.phase = StartPhase::Server;
        self
    }

    /// Adds a readiness check, under the name of the task in `/readyz`. The check must not block.
    pub fn ready(
        mut self,
        check: impl Fn() -> Result<(), BoxError> + Send + Sync + 'static,
    ) -> Self {
        self.readyz = Some(Box::new(check));
        self
    }
}

impl Component for Task {
    fn set_up(self, _setup: &Setup) -> Result<Task, SetupError> {
        Ok(self)
    }
}

#[diagnostic::do_not_recommend]
impl<F, W> Component for F
where
    F: FnOnce(CancellationToken) -> W + Send + 'static,
    W: Future<Output = Result<(), BoxError>> + Send + 'static,
{
    fn set_up(self, _setup: &Setup) -> Result<Task, SetupError> {
        let name = std::any::type_name::<F>();
        Ok(Task {
            is_numbered: true,
            ..Task::new(name, |run: Run| self(run.stop))
        })
    }
}

impl fmt::Debug for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Task")
            .field("name", &self.name)
            .field("phase", &self.phase)
            .finish_non_exhaustive()
    }
}
