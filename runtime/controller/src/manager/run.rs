//! [`Manager`]: startup, run and shutdown of controllers, caches and servers.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use futures::future;
use genclient::kube;
use genclient::leaderelection::LeaderElector;
use genclient::metrics::Provider;
use genclient::metrics::prometheus::Registry;
use genclient::record::{EventBroadcaster, EventRecorder};
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use super::check::Checks;
use super::components::{ComponentHandle, Components};
use super::grace::{Deadline, Grace};
use super::group::Group;
use super::handle::ManagerHandle;
use super::serve::Servers;
use crate::client::Client;
use crate::cluster::Cluster;
use crate::component::{Component, Place};
use crate::error::{RunError, SetupError};
use crate::failure::BoxError;
use crate::setup::Setup;

/// Runs controllers with caches, leader election, probes, metrics and events.
///
/// # Order
///
/// A run starts the servers first: probes, metrics, webhooks. Then the caches sync, the components
/// of every replica start, and the rest starts once this replica holds the lease. Shutdown goes the
/// other way round. Controllers get no new requests, and running reconciles have [a
/// timeout](crate::ManagerBuilder::graceful_shutdown_timeout) to end. The lease is released, then
/// caches and servers stop.
pub struct Manager {
    pub(super) name: String,
    pub(super) handle: ManagerHandle,
    pub(super) events: EventBroadcaster,
    pub(super) elector: Option<LeaderElector>,
    pub(super) registry: Registry,
    pub(super) checks: Checks,
    pub(super) servers: Servers,
    pub(super) shutdown_timeout: Duration,
}

impl Manager {
    /// Adds a component: a [`Controller`](crate::Controller), or a closure that takes the token
    /// that stops it. The returned handle removes the component.
    ///
    /// # Errors
    ///
    /// See [`SetupError`].
    pub fn add(&mut self, component: impl Component) -> Result<ComponentHandle, SetupError> {
        let ManagerHandle {
            setup, components, ..
        } = &self.handle;
        components.start(components.enter(component.set_up(setup)?)?)
    }

    /// Returns a handle that adds components while the manager runs.
    #[must_use]
    pub fn handle(&self) -> ManagerHandle {
        self.handle.clone()
    }

    /// Adds another cluster, for [`Watch::in_cluster`](crate::Watch::in_cluster). Requests refer to
    /// it by `name`.
    ///
    /// # Errors
    ///
    /// If a cluster of that name exists; the manager's own has the empty name.
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

    /// Returns the recorder of events in the name of the manager.
    #[must_use]
    pub fn recorder(&self) -> &EventRecorder {
        self.handle.setup.recorder()
    }

    /// Returns the provider of metrics that are served with those of the manager.
    #[must_use]
    pub fn metrics(&self) -> &Arc<dyn Provider> {
        self.handle.setup.metrics()
    }

    /// Adds a liveness check; when it fails, the Pod is restarted. `/healthz` and `/healthz/<name>`
    /// run it, and it must not block.
    ///
    /// # Errors
    ///
    /// If a check of that name exists; `leader-election` is the manager's own.
    pub fn healthz_check(
        &mut self,
        name: impl Into<String>,
        check: impl Fn() -> Result<(), BoxError> + Send + Sync + 'static,
    ) -> Result<(), SetupError> {
        self.checks.healthz.add(name.into(), Box::new(check))
    }

    /// Adds a readiness check; while it fails, the Pod gets no requests. `/readyz` and
    /// `/readyz/<name>` run it, and it must not block.
    ///
    /// # Errors
    ///
    /// If a check of that name exists; `caches` is the manager's own, and `webhooks` that of
    /// webhook servers.
    pub fn readyz_check(
        &mut self,
        name: impl Into<String>,
        check: impl Fn() -> Result<(), BoxError> + Send + Sync + 'static,
    ) -> Result<(), SetupError> {
        self.checks.readyz.add(name.into(), Box::new(check))
    }

    /// Returns the address of `/healthz` and `/readyz`, with the actual port if 0 was requested.
    #[must_use]
    pub fn health_probe_address(&self) -> Option<SocketAddr> {
        self.servers.probes_address()
    }

    /// Returns the address of `/metrics`.
    #[must_use]
    pub fn metrics_address(&self) -> Option<SocketAddr> {
        self.servers.metrics_address()
    }

    /// Runs all components until `stop` is cancelled or something fails. Returns when everything
    /// has ended.
    ///
    /// # Errors
    ///
    /// See [`RunError`]. The program should end then.
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
        let elector = self.elector.take();
        let synced = CancellationToken::new();
        let serves_caches = self.handle.components.serve_caches();
        self.checks
            .watch(setup, &synced, elector.as_ref(), serves_caches);
        let servers = self.servers.start(self.checks, self.registry);
        let phases = Phases {
            setup,
            components: &self.handle.components,
            ending: Ending::of(&stop),
            deadline: Deadline::new(self.shutdown_timeout),
            alone: Grace::of(self.shutdown_timeout),
        };
        // Servers stop last: other components may need them until they end.
        let last = CancellationToken::new();
        let work = async {
            phases.work(elector, &synced).await;
            phases.end_caches().await;
            phases.end_events(self.events).await;
            last.cancel();
        };
        tokio::join!(phases.serve(&last), work);
        servers.stop(phases.deadline.answers()).await;
        phases.ending.result()?;
        tracing::info!(manager = self.name, "stopped");
        Ok(())
    }
}

/// The phases of a run.
struct Phases<'a> {
    setup: &'a Setup,
    components: &'a Components,
    ending: Ending,
    deadline: Deadline,
    /// The grace of a component that is removed alone.
    alone: Grace,
}

impl Phases<'_> {
    fn group(&self, place: Place) -> Group {
        Group::new(self.components.clone(), place, self.alone)
    }

    /// Runs the servers until all other components have ended.
    async fn serve(&self, last: &CancellationToken) {
        let servers = self.group(Place::Server);
        let served = servers.run(last.clone(), || self.deadline.servers(), || false);
        self.ending.on_failure(served).await;
    }

    /// Syncs the caches, and runs everything but the servers to its end.
    async fn work(&self, elector: Option<LeaderElector>, synced: &CancellationToken) {
        self.setup.clusters().iter().for_each(Cluster::start);
        let end = &self.ending.token;
        match end.run_until_cancelled(self.components.synced()).await {
            Some(Ok(())) => synced.cancel(),
            Some(Err(failures)) => return self.ending.fail(RunError::Sync(failures)),
            None => return,
        }
        let everywhere = self.group(Place::EveryReplica);
        let everywhere = everywhere.run(end.clone(), || self.deadline.work(), || false);
        tokio::join!(
            self.ending.on_failure(self.informer_failure()),
            self.ending.on_failure(everywhere),
            self.ending.on_failure(self.lead(elector)),
        );
    }

    /// Runs the components of the leader.
    async fn lead(&self, elector: Option<LeaderElector>) -> Result<(), RunError> {
        let (group, end) = (self.group(Place::Leader), &self.ending.token);
        let grace = || self.deadline.work();
        let Some(mut elector) = elector else {
            return group.run(end.clone(), grace, || false).await;
        };
        // The token of the work is cancelled by the end of the run, and by the loss of the lease.
        let is_lost = || !end.is_cancelled();
        let leadership = elector.leadership();
        let led = elector.run(end.clone(), |leading| group.run(leading, grace, is_lost));
        let lost = |error| RunError::LeadershipLost {
            error,
            cause: leadership.loss().unwrap_or_default(),
        };
        led.await.map_err(lost)?.unwrap_or(Ok(()))
    }

    /// Waits until an informer fails, or the run ends.
    async fn informer_failure(&self) -> Result<(), RunError> {
        loop {
            let added = self.components.added();
            let clusters = self.setup.clusters();
            let failures = clusters.iter().map(|cluster| Box::pin(cluster.failed()));
            tokio::select! {
                () = self.ending.token.cancelled() => return Ok(()),
                () = added => {}
                ((resource, cause), at, _) = future::select_all(failures) => {
                    let cluster = clusters.get(at).map_or("", Cluster::name).to_owned();
                    return Err(RunError::Informer { cluster, resource, cause });
                }
            }
        }
    }

    async fn end_caches(&self) {
        self.components.close();
        let clusters = self.setup.clusters();
        future::join_all(clusters.iter().map(Cluster::shutdown)).await;
    }

    /// Writes the remaining events.
    async fn end_events(&self, own: EventBroadcaster) {
        let time = self.deadline.events();
        let (own, ()) = tokio::join!(own.shutdown(time), self.setup.shutdown_events(time));
        if let Err(error) = own {
            let error: &dyn std::error::Error = &error;
            tracing::warn!(error, "some events were not written");
        }
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

/// Stop token of a run, and its first failure.
struct Ending {
    token: CancellationToken,
    failure: Mutex<Option<RunError>>,
}

impl Ending {
    fn of(stop: &CancellationToken) -> Self {
        Self {
            token: stop.child_token(),
            failure: Mutex::default(),
        }
    }

    /// Waits for a part of the run. A failure stops the other parts.
    async fn on_failure(&self, part: impl Future<Output = Result<(), RunError>>) {
        if let Err(failure) = part.await {
            self.fail(failure);
        }
    }

    fn fail(&self, failure: RunError) {
        let mut first = self.failure.lock();
        if first.is_some() {
            let error: &dyn std::error::Error = &failure;
            tracing::error!(error, "failed while stopping");
            return;
        }
        *first = Some(failure);
        self.token.cancel();
    }

    fn result(self) -> Result<(), RunError> {
        self.failure.into_inner().map_or(Ok(()), Err)
    }
}
