//! [`RunningManager`]: a manager in a spawned task.

use std::panic::resume_unwind;

use tokio::task::JoinHandle;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::run::Manager;
use crate::error::RunError;

/// A manager in a spawned task, from [`Manager::start`]. Dropping it stops the manager, without
/// waiting for its end.
#[derive(Debug)]
#[must_use = "dropping it stops the manager"]
pub struct RunningManager {
    stop: DropGuard,
    run: JoinHandle<Result<(), RunError>>,
}

impl Manager {
    /// [Runs](Self::run) everything that was added in a spawned task: for tests, and for programs
    /// that do more than run a manager.
    ///
    /// Get what you need of the running manager before, such as its [`client`](Self::client) and
    /// its [`handle`](Self::handle).
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
    /// If the run panicked.
    pub async fn shutdown(self) -> Result<(), RunError> {
        drop(self.stop);
        ended(self.run).await
    }

    /// Waits until the manager ends by itself because something fails: a cache does not sync, a
    /// permission is missing, the lease is lost.
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
    /// If the run panicked.
    pub async fn ended(self) -> Result<(), RunError> {
        let _stop = self.stop;
        ended(self.run).await
    }
}

/// Waits for the end of a run. A run that was dropped with its runtime has no error.
async fn ended(run: JoinHandle<Result<(), RunError>>) -> Result<(), RunError> {
    match run.await {
        Ok(ended) => ended,
        Err(error) if error.is_panic() => resume_unwind(error.into_panic()),
        Err(_) => Ok(()),
    }
}
