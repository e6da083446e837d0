//! [`RunningManager`]: a manager that runs in a task of its own.

use std::panic::resume_unwind;

use tokio::task::JoinHandle;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::run::Manager;
use crate::error::RunError;

/// A manager that runs in a task of its own, from [`Manager::start`]. Dropping it stops the
/// manager, without waiting for its end.
#[derive(Debug)]
#[must_use = "dropping it stops the manager"]
pub struct RunningManager {
    stop: DropGuard,
    run: JoinHandle<Result<(), RunError>>,
}

impl Manager {
    /// [Runs](Self::run) everything that was added, in a task of its own: for tests, and for
    /// programs that have more to do than to run a manager.
    ///
    /// What is read from the manager while it runs, such as its [`client`](Self::client) and its
    /// [`handle`](Self::handle), is taken from it before.
    ///
    /// ```no_run
    /// use std::sync::Arc;
    ///
    /// use genclient::kube::Client;
    /// use genclient_controller::{Action, Context, Controller, Manager, Reconciler, Result};
    /// use k8s_openapi::api::core::v1::ConfigMap;
    ///
    /// # struct Settings;
    /// # impl Reconciler for Settings {
    /// #     type Object = ConfigMap;
    /// #     async fn reconcile(&self, _: Arc<ConfigMap>, _: &Context) -> Result {
    /// #         Ok(Action::done())
    /// #     }
    /// # }
    /// # async fn test(client: Client) -> std::result::Result<(), Box<dyn std::error::Error>> {
    /// let mut manager = Manager::builder("settings").client(client).build().await?;
    /// manager.add(Controller::new(Settings))?;
    /// let running = manager.start();
    /// // The test.
    /// running.shutdown().await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Panics
    ///
    /// Outside of a Tokio runtime.
    pub fn start(self) -> RunningManager {
        let stop = CancellationToken::new();
        let run = tokio::spawn(self.run(stop.clone()));
        RunningManager {
            stop: stop.drop_guard(),
            run,
        }
    }
}

impl RunningManager {
    /// Stops the manager, and waits until everything has ended, as [`Manager::run`] does.
    ///
    /// # Errors
    ///
    /// See [`RunError`], also if the manager has failed before.
    ///
    /// # Cancel safety
    ///
    /// The manager ends even if the future is dropped.
    ///
    /// # Panics
    ///
    /// If the run has.
    pub async fn shutdown(self) -> Result<(), RunError> {
        drop(self.stop);
        ended(self.run).await
    }

    /// Waits until the manager ends by itself, which it does when something fails: a cache that
    /// does not sync, a right that is missing, a lease that is lost.
    ///
    /// # Errors
    ///
    /// See [`RunError`].
    ///
    /// # Cancel safety
    ///
    /// Dropping the future stops the manager.
    ///
    /// # Panics
    ///
    /// If the run has.
    pub async fn ended(self) -> Result<(), RunError> {
        let _stop = self.stop;
        ended(self.run).await
    }
}

/// The end of a run. One that was dropped with its runtime has nothing to report.
async fn ended(run: JoinHandle<Result<(), RunError>>) -> Result<(), RunError> {
    match run.await {
        Ok(ended) => ended,
        Err(error) if error.is_panic() => resume_unwind(error.into_panic()),
        Err(_) => Ok(()),
    }
}
