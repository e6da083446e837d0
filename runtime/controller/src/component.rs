//! [`Component`]: a part of a program that a manager runs.

use std::fmt;

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio_util::sync::CancellationToken;

use crate::cluster::Lease;
use crate::error::SetupError;
use crate::failure::BoxError;
use crate::setup::Setup;

/// A part of a program that a [`Manager`](crate::Manager) runs: a
/// [`Controller`](crate::Controller), a [`Task`], or a closure that is given the token that ends it.
///
/// A closure has the name of its function in logs and errors, and a number if there are several. A
/// [`Task`] has a name of its own.
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
    /// Declares what it needs of the manager, and says what there is to run.
    ///
    /// # Errors
    ///
    /// See [`SetupError`].
    fn set_up(self, setup: &Setup) -> Result<Task, SetupError>;
}

/// A future that a manager runs, with its name and its place in the order of a run.
#[must_use = "a task runs when a component returns it"]
pub struct Task {
    pub(crate) name: String,
    /// Whether the name gets a number if another component has it.
    pub(crate) is_numbered: bool,
    pub(crate) place: Place,
    pub(crate) readyz: Option<Check>,
    /// Whether the caches may need it, which are no part of the readiness then.
    pub(crate) serves_caches: bool,
    /// The caches that it needs.
    pub(crate) leases: Vec<Lease>,
    pub(crate) run: Box<dyn FnOnce(Run) -> BoxFuture<'static, Result<(), BoxError>> + Send>,
}

/// A check of one thing.
pub(crate) type Check = Box<dyn Fn() -> Result<(), BoxError> + Send + Sync>;

/// Where and when a task runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// On every replica, before the caches.
    Server,
    /// On every replica, after the caches.
    EveryReplica,
    /// On the leader.
    Leader,
}

/// How long a task runs.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Run {
    /// Cancelled when nothing new is to be begun: the program stops, or the lease is lost.
    pub stop: CancellationToken,
    /// Cancelled when what has begun has to end, too. Soon after, the task is dropped.
    pub cancel: CancellationToken,
}

impl Task {
    /// A task that runs on the leader, if there is an election.
    pub fn new<F, W>(name: impl Into<String>, run: F) -> Self
    where
        F: FnOnce(Run) -> W + Send + 'static,
        W: Future<Output = Result<(), BoxError>> + Send + 'static,
    {
        Self {
            name: name.into(),
            is_numbered: false,
            place: Place::Leader,
            readyz: None,
            serves_caches: false,
            leases: Vec::new(),
            run: Box::new(|it| run(it).boxed()),
        }
    }

    /// The task runs on every replica, whoever leads.
    pub fn on_every_replica(mut self) -> Self {
        self.place = Place::EveryReplica;
        self
    }

    /// The task runs on every replica, from before the caches are filled until after everything
    /// else has ended: a server that the caches may need.
    pub fn as_server(mut self) -> Self {
        self.place = Place::Server;
        self
    }

    /// A check of whether the task is ready, under its name in `/readyz`. It must not block.
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
            .field("place", &self.place)
            .finish_non_exhaustive()
    }
}
