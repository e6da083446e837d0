//! [`Manager`]: startup, run and shutdown of controllers, caches and servers; and
//! [`RunningManager`], a manager in a spawned task.

use std::fmt;
use std::net::SocketAddr;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::time::Duration;

use genclient::kube;
use genclient::leaderelection::LeaderElector;
use genclient::metrics::Provider;
use genclient::metrics::prometheus::Registry;
use genclient::record::{EventBroadcaster, EventRecorder};
use genclient::sharding::ShardMember;
use tokio::task::JoinHandle;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::check::Checks;
use super::components::ComponentHandle;
use super::handle::ManagerHandle;
use super::phases::{Ending, Phases};
use super::serve::Servers;
use super::shutdown::{ShutdownDeadline, ShutdownTimeouts};
use crate::client::Client;
use crate::cluster::Cluster;
use crate::component::Component;
use crate::controller::metrics::controllers_without_success;
use crate::error::{RunError, SetupError};
use crate::failure::BoxError;

/// Runs controllers with caches, leader election, probes, metrics and events.
///
/// # Order
///
/// A run first starts the servers: probes, metrics, webhooks. The other components start after the
/// caches have synced. With leader election, those that do not run on every replica start later,
/// once this replica holds the lease.
///
/// At shutdown, controllers start no new reconciles, and running ones have [a
/// timeout](crate::ManagerBuilder::graceful_shutdown_timeout) to end. Then the lease is released,
/// and the caches stop. The servers stop last.
pub struct Manager {
    pub(super) name: String,
    pub(super) handle: ManagerHandle,
    pub(super) events: EventBroadcaster,
    pub(super) elector: Option<LeaderElector>,
    /// This replica in the group that shares the objects, with sharding.
    pub(super) member: Option<ShardMember>,
    pub(super) registry: Registry,
    pub(super) checks: Checks,
    pub(super) servers: Servers,
    pub(super) shutdown_timeout: Duration,
}

impl Manager {
    /// Adds a [`Component`], such as a [`Controller`](crate::Controller). The returned handle can
    /// remove it.
    ///
    /// # Errors
    ///
    /// See [`SetupError`].
    pub fn add(&mut self, component: impl Component) -> Result<ComponentHandle, SetupError> {
        let ManagerHandle {
            setup, components, ..
        } = &self.handle;
        components.start(components.register(component.set_up(setup)?)?)
    }

    /// Returns a handle that adds components while the manager runs.
    #[must_use]
    pub fn handle(&self) -> ManagerHandle {
        self.handle.clone()
    }

    /// Adds another cluster, for [`Watch::in_cluster`](crate::Watch::in_cluster). Requests for its
    /// objects have `name` as [`Request::cluster`](crate::Request::cluster).
    ///
    /// # Errors
    ///
    /// If a cluster of that name exists. The manager's own cluster has the empty name.
    pub fn cluster(
        &mut self,
        name: impl Into<String>,
        client: kube::Client,
    ) -> Result<Cluster, SetupError> {
        self.handle.cluster(name, client)
    }

    /// Returns the cluster that the manager was built for.
    #[must_use]
    pub fn own_cluster(&self) -> &Cluster {
        self.handle.setup.own_cluster()
    }

    /// Returns the client, which reads from the caches and writes to the API server.
    #[must_use]
    pub fn client(&self) -> Client {
        self.handle.setup.client()
    }

    /// Returns the recorder of events, which has the manager's name as source.
    #[must_use]
    pub fn recorder(&self) -> &EventRecorder {
        self.handle.setup.recorder()
    }

    /// Returns the provider for the program's own metrics. `/metrics` serves them beside those of
    /// the manager.
    #[must_use]
    pub fn metrics(&self) -> &Arc<dyn Provider> {
        self.handle.setup.metrics()
    }

    /// Adds a liveness check, which `/healthz` and `/healthz/<name>` run. It must not block. When
    /// it fails, the kubelet restarts the container.
    ///
    /// # Errors
    ///
    /// If a check of that name exists. The manager's own check has the name `leader-election`.
    pub fn healthz_check(
        &mut self,
        name: impl Into<String>,
        check: impl Fn() -> Result<(), BoxError> + Send + Sync + 'static,
    ) -> Result<(), SetupError> {
        self.checks.healthz.add(name.into(), Box::new(check))
    }

    /// Adds a readiness check, which `/readyz` and `/readyz/<name>` run. It must not block. While
    /// it fails, Services send no requests to the Pod.
    ///
    /// # Errors
    ///
    /// If a check of that name exists. The manager's own check has the name `caches`. The check of
    /// a webhook server has the name `webhooks`.
    pub fn readyz_check(
        &mut self,
        name: impl Into<String>,
        check: impl Fn() -> Result<(), BoxError> + Send + Sync + 'static,
    ) -> Result<(), SetupError> {
        self.checks.readyz.add(name.into(), Box::new(check))
    }

    /// Returns the address of `/healthz` and `/readyz`, with the actual port if 0 was requested, or
    /// `None` if they are not served.
    #[must_use]
    pub fn health_probe_address(&self) -> Option<SocketAddr> {
        self.servers.probes_address()
    }

    /// Returns the address of `/metrics`, or `None` if it is not served.
    #[must_use]
    pub fn metrics_address(&self) -> Option<SocketAddr> {
        self.servers.metrics_address()
    }

    /// Runs all components until `stop` is cancelled or one part fails. Returns when everything has
    /// ended.
    ///
    /// # Errors
    ///
    /// See [`RunError`]. The program should exit after an error.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, everything is dropped at once, and the lease is not released.
    ///
    /// # Panics
    ///
    /// Outside of a Tokio runtime.
    pub async fn run(mut self, stop: CancellationToken) -> Result<(), RunError> {
        let setup = &self.handle.setup;
        let (elector, member) = (self.elector.take(), self.member.take());
        let synced = CancellationToken::new();
        let serves_conversions = self.handle.components.serves_conversions();
        self.checks
            .add_builtin_checks(setup, &synced, elector.as_ref(), serves_conversions);
        let probes_and_metrics = self.servers.start(self.checks, self.registry);
        let phases = Phases {
            setup,
            components: &self.handle.components,
            ending: Ending::new(&stop),
            deadline: ShutdownDeadline::new(self.shutdown_timeout),
            removal_timeouts: ShutdownTimeouts::new(self.shutdown_timeout),
        };
        // Webhook servers stop after caches and events, because these may need them until the end.
        // Probes and metrics are served even longer.
        let stop_webhook_servers = CancellationToken::new();
        let work = async {
            phases.work(elector, member, &synced).await;
            phases.end_caches().await;
            phases.end_events(self.events).await;
            stop_webhook_servers.cancel();
        };
        tokio::join!(phases.serve(&stop_webhook_servers), work);
        probes_and_metrics
            .stop(phases.deadline.answers_timeout())
            .await;
        phases.ending.result()?;
        tracing::info!(manager = self.name, "stopped");
        Ok(())
    }
}

impl fmt::Debug for Manager {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Manager")
            .field("name", &self.name)
            .field("handle", &self.handle)
            .finish_non_exhaustive()
    }
}

/// A manager in a spawned task, from [`Manager::start`]. Dropping it stops the manager, without
/// waiting for its end.
#[derive(Debug)]
#[must_use = "dropping it stops the manager"]
pub struct RunningManager {
    stop: DropGuard,
    run: JoinHandle<Result<(), RunError>>,
    registry: Registry,
}

impl Manager {
    /// [Runs](Self::run) the manager in a spawned task: for tests, and for programs that do more
    /// than run a manager.
    ///
    /// Before this call, get the [`client`](Self::client) and the [`handle`](Self::handle) if you
    /// need them.
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
        let registry = self.registry.clone();
        let run = tokio::spawn(self.run(stop.clone()));
        RunningManager {
            stop: stop.drop_guard(),
            run,
            registry,
        }
    }
}

impl RunningManager {
    /// Returns the names of the controllers that have not completed a reconcile without an error,
    /// sorted. Conflicts and stale caches count as errors here.
    ///
    /// A test that creates an object for every controller can wait until there are none. A
    /// controller that lacks a permission, for example, stays in the list. The log has the reason.
    #[must_use]
    pub fn controllers_without_success(&self) -> Vec<String> {
        controllers_without_success(&self.registry)
    }

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
        join_run(self.run).await
    }

    /// Waits until the manager fails, for example because a cache does not sync, a permission is
    /// missing, or the lease is lost.
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
        join_run(self.run).await
    }
}

/// Waits for the end of a run. If the runtime shuts down and drops the run, this is not an error.
async fn join_run(run: JoinHandle<Result<(), RunError>>) -> Result<(), RunError> {
    match run.await {
        Ok(ended) => ended,
        Err(error) if error.is_panic() => resume_unwind(error.into_panic()),
        Err(_) => Ok(()),
    }
}
