//! [`Component`]: whatever runs under a manager.

use std::fmt;

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio_util::sync::CancellationToken;

use crate::error::SetupError;
use crate::failure::BoxError;
use crate::setup::Setup;

/// Whatever runs under a [`Manager`](crate::Manager): a [`Controller`](crate::Controller), or a
/// closure that is given the token that ends it.
///
/// ```
/// use genclient_controller::{Component, Manager, SetupError};
/// use tokio_util::sync::CancellationToken;
///
/// fn add(manager: &mut Manager) -> Result<(), SetupError> {
///     manager.add(async |stop: CancellationToken| {
///         stop.cancelled().await;
///         Ok(())
///     })
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

/// What a manager runs.
#[must_use = "a task runs when a component returns it"]
pub struct Task {
    pub(crate) name: String,
    pub(crate) needs_leader: bool,
    pub(crate) run: Box<dyn FnOnce(Run) -> BoxFuture<'static, Result<(), BoxError>> + Send>,
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
            needs_leader: true,
            run: Box::new(|it| run(it).boxed()),
        }
    }

    /// The task runs on every replica, whoever leads.
    pub fn on_every_replica(mut self) -> Self {
        self.needs_leader = false;
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
        Ok(Task::new(name, |run: Run| self(run.stop)))
    }
}

impl fmt::Debug for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Task")
            .field("name", &self.name)
            .field("needs_leader", &self.needs_leader)
            .finish_non_exhaustive()
    }
}
