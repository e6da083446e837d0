//! [`ManagerBuilder`]: builder of a manager, with all its settings.

use std::fmt;
use std::net::SocketAddr;
#[cfg(feature = "flags")]
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use genclient::clock::{Clock, SystemClock};
use genclient::kube::{self, Config};
use genclient::leaderelection::LeaderElector;
use genclient::metrics::Provider;
use genclient::metrics::prometheus::Registry;
use genclient::record::EventBroadcaster;
use genclient::sharding::ShardBy;

use super::check::Checks;
use super::components::Components;
use super::connection::{ApiServer, Election};
use super::handle::ManagerHandle;
use super::run::Manager;
#[cfg(feature = "tls")]
use super::secure::SecureMetrics;
use super::serve::Servers;
use crate::cluster::{CacheSettings, Cluster, Namespaces};
use crate::error::SetupError;
#[cfg(feature = "flags")]
use crate::error::rule_of_flags;
use crate::setup::Setup;
use crate::sharding::{Counters, Sharding};

/// Builder of a [`Manager`].
///
/// ```no_run
/// use std::net::Ipv6Addr;
///
/// use genclient_controller::Manager;
///
/// # async fn example() -> Result<(), genclient_controller::SetupError> {
/// let manager = Manager::builder("guestbook")
///     .leader_election(true)
///     .health_probe_bind_address((Ipv6Addr::UNSPECIFIED, 8081).into())
///     .build()
///     .await?;
/// # Ok(())
/// # }
/// ```
#[must_use = "a builder does nothing until `build` is called"]
pub struct ManagerBuilder {
    name: String,
    api_server: ApiServer,
    election: Election,
    probes: Option<SocketAddr>,
    metrics: Option<SocketAddr>,
    #[cfg(feature = "tls")]
    secure_metrics: Option<SecureMetrics>,
    shutdown_timeout: Duration,
    workers: usize,
    namespaces: Namespaces,
    resync: Duration,
    sync_timeout: Duration,
    read_timeout: Duration,
    read_your_writes: bool,
    clock: Arc<dyn Clock>,
}

impl Manager {
    /// Returns a builder. `name` is the field manager of writes, the source of events, and by
    /// default the name of the lease.
    pub fn builder(name: impl Into<String>) -> ManagerBuilder {
        ManagerBuilder {
            name: name.into(),
            api_server: ApiServer::Inferred {
                master: None,
                kubeconfig: None,
            },
            election: Election::default(),
            probes: None,
            metrics: None,
            #[cfg(feature = "tls")]
            secure_metrics: None,
            shutdown_timeout: Duration::from_secs(30),
            workers: 1,
            namespaces: Namespaces::default(),
            resync: Duration::from_secs(10 * 3600),
            sync_timeout: Duration::from_secs(120),
            read_timeout: Duration::from_secs(5),
            read_your_writes: true,
            clock: Arc::new(SystemClock),
        }
    }
}

impl ManagerBuilder {
    /// Sets the connection settings of the API server. Default: the Pod's service account,
    /// `$KUBECONFIG` or `~/.kube/config`, as in [`from_flags`](genclient::config::from_flags).
    pub fn config(mut self, config: Config) -> Self {
        self.api_server = ApiServer::Config(Box::new(config));
        self
    }

    /// Sets an existing connection, for example in a test. Leader election uses it, too.
    pub fn client(mut self, client: kube::Client) -> Self {
        self.api_server = ApiServer::Client(client);
        self
    }

    /// Enables or disables leader election. If it is enabled, only one replica at a time runs the
    /// components, except servers and those that are added [on every
    /// replica](crate::Task::on_every_replica). Default: disabled.
    pub fn leader_election(mut self, is_enabled: bool) -> Self {
        self.election.is_enabled = is_enabled;
        self
    }

    /// Lets the replicas share the objects: each reconciles those whose namespace or name hashes
    /// into its ranges. Other components run on one replica, the leader. Default: no sharding.
    ///
    /// A replica caches its part of the objects that a controller reconciles or
    /// [owns](crate::Controller::owns), unless the watch is for objects
    /// [everywhere](crate::Watch::everywhere). An object is reconciled after these caches have it
    /// as the last replica has left it. Each replica caches all objects of other watches. Reads of
    /// objects that only other replicas cache fail with
    /// [`ReadError::OtherReplicas`](crate::ReadError::OtherReplicas).
    ///
    /// Controllers of requests that are not objects, which are those of
    /// [`Controller::for_requests`](crate::Controller::for_requests), run on the leader. Settings
    /// of leader election apply, and [`leader_election`](Self::leader_election) has no effect.
    ///
    /// If the leader loses its leadership, its run ends with an error, as with leader election. A
    /// reconcile of an object that moves to another replica may take as long as in a shutdown:
    /// [`graceful_shutdown_timeout`](Self::graceful_shutdown_timeout).
    ///
    /// The replicas need the verbs `list`, `watch`, `create`, `update` and `delete` on leases.
    /// See [`genclient::sharding`].
    pub fn shard_by(mut self, shard_by: ShardBy) -> Self {
        self.election.shard_by = Some(shard_by);
        self
    }

    /// Sets the namespace of the lease. Default: the namespace of the Pod or of the kubeconfig's
    /// context.
    pub fn leader_election_namespace(mut self, namespace: impl Into<String>) -> Self {
        self.election.namespace = Some(namespace.into());
        self
    }

    /// Sets the name of the lease: controller-runtime's `LeaderElectionID`. Default: the name of
    /// the manager.
    pub fn leader_election_id(mut self, name: impl Into<String>) -> Self {
        self.election.name = Some(name.into());
        self
    }

    /// Sets how long other replicas wait for a leader that does not renew its lease. Default: 15 s.
    pub fn lease_duration(mut self, duration: Duration) -> Self {
        self.election.lease_duration = duration;
        self
    }

    /// Sets how long a leader tries to renew its lease before it stops. Default: 10 s.
    pub fn renew_deadline(mut self, deadline: Duration) -> Self {
        self.election.renew_deadline = deadline;
        self
    }

    /// Sets the time between two attempts to acquire or to renew the lease. Default: 2 s.
    pub fn retry_period(mut self, period: Duration) -> Self {
        self.election.retry_period = period;
        self
    }

    /// Sets where the connection settings are looked for when the manager is built.
    #[cfg(feature = "flags")]
    pub(crate) fn found_by(mut self, master: Option<String>, kubeconfig: Option<PathBuf>) -> Self {
        self.api_server = ApiServer::Inferred { master, kubeconfig };
        self
    }

    /// Selects the wording of errors about leader election. They then mention flags, such as
    /// `--leader-elect-renew-deadline`, instead of methods, such as `renew_deadline`.
    #[cfg(feature = "flags")]
    pub(crate) fn timing_is_of_flags(mut self) -> Self {
        self.election.rule = rule_of_flags;
        self
    }

    /// Sets the address of `/healthz` and `/readyz`. `[::]` is every IPv6 and IPv4 address of the
    /// host, or every IPv4 address on a host without IPv6. Default: not served.
    pub fn health_probe_bind_address(mut self, address: SocketAddr) -> Self {
        self.probes = Some(address);
        self
    }

    /// Sets the address of `/metrics`, which is served to everybody who can reach it. `[::]` has
    /// the same meaning as for [probes](Self::health_probe_bind_address). Default: not served.
    pub fn metrics_bind_address(mut self, address: SocketAddr) -> Self {
        self.metrics = Some(address);
        self
    }

    /// Serves `/metrics` over TLS, to authorized clients. Default: plain HTTP, to everybody. No
    /// effect if `/metrics` is not served.
    #[cfg(feature = "tls")]
    pub fn secure_metrics(mut self, security: SecureMetrics) -> Self {
        self.secure_metrics = Some(security);
        self
    }

    /// Sets how long a shutdown may take in all. Default: 30 s, like a Pod's
    /// `terminationGracePeriodSeconds`. After two thirds of this time,
    /// [`Context::stop`](crate::Context::stop) is cancelled. The last 5 s, or the last sixth of the
    /// time if that is shorter, are reserved. When they begin, work that still runs is dropped.
    /// Halfway between, requests of reconciles through a client of the manager fail, so that a
    /// reconcile that waits for a response ends in time. (In controller-runtime, they fail at
    /// once.) Then the lease is released, events are written, and the servers stop.
    /// [`Duration::MAX`] means no limit.
    ///
    /// A component that is [removed](crate::ComponentHandle::shutdown) from a running manager has
    /// the whole time, with nothing reserved.
    pub fn graceful_shutdown_timeout(mut self, timeout: Duration) -> Self {
        self.shutdown_timeout = timeout;
        self
    }

    /// Sets how many reconciles of one controller run at a time, unless the controller sets its own
    /// number. Default: 1.
    pub fn workers(mut self, workers: usize) -> Self {
        self.workers = workers;
        self
    }

    /// Caches only objects in these namespaces, and all cluster-scoped objects. A watch may select
    /// [other namespaces](crate::Watch::namespaces). Default: all namespaces.
    pub fn namespaces<N: Into<String>>(mut self, namespaces: impl IntoIterator<Item = N>) -> Self {
        self.namespaces.only = Some(namespaces.into_iter().map(Into::into).collect());
        self
    }

    /// Caches no objects in these namespaces, even if they are in [`namespaces`](Self::namespaces).
    /// Default: none.
    pub fn except_namespaces<N: Into<String>>(
        mut self,
        namespaces: impl IntoIterator<Item = N>,
    ) -> Self {
        self.namespaces.except = namespaces.into_iter().map(Into::into).collect();
        self
    }

    /// Sets how often every object is reconciled without a change. Default: 10 hours. Zero disables
    /// resyncs.
    pub fn resync(mut self, period: Duration) -> Self {
        self.resync = period;
        self
    }

    /// Sets how long the initial sync of caches may take. Default: 2 minutes.
    pub fn cache_sync_timeout(mut self, timeout: Duration) -> Self {
        self.sync_timeout = timeout;
        self
    }

    /// Sets how long a read waits for the cache to show a write, before the read fails as
    /// [stale](crate::ReadError::Stale). Default: 5 s.
    pub fn read_timeout(mut self, timeout: Duration) -> Self {
        self.read_timeout = timeout;
        self
    }

    /// Sets whether cached reads wait for the program's own writes. Default: `true`. If `false`, a
    /// read may return an object as it was before a write, as in controller-runtime.
    pub fn read_your_writes(mut self, are_read: bool) -> Self {
        self.read_your_writes = are_read;
        self
    }

    /// Sets the clock that [`Context::now`](crate::Context::now) reads. Default: the clock of the
    /// system.
    ///
    /// Leader election, caches, events and certificates do not use it. Timers, such as that of
    /// [`Action::after`](crate::Action::after), are tokio's: in a test with paused time, set a
    /// clock that moves with it, such as that of an `ApiServer` in the process.
    pub fn clock(mut self, clock: impl Clock + 'static) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    /// Builds the manager, and binds the addresses of its servers. Sends no requests yet.
    ///
    /// # Errors
    ///
    /// See [`SetupError`].
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the addresses are released.
    ///
    /// # Panics
    ///
    /// Outside of a Tokio runtime, which the connection needs.
    pub async fn build(self) -> Result<Manager, SetupError> {
        let registry = Registry::new();
        let metrics: Arc<dyn Provider> = Arc::new(registry.clone());
        let caches = self.cache_settings(&metrics);
        let connection = self.api_server.connect(&self.name, &metrics).await?;
        #[cfg_attr(
            not(feature = "tls"),
            expect(unused_mut, reason = "TLS protects metrics")
        )]
        let mut servers = Servers::bind(self.probes, self.metrics)?;
        #[cfg(feature = "tls")]
        if let Some(security) = self.secure_metrics {
            let protection = security.set_up(&connection.client, &*metrics).await;
            servers.protection = Some(protection.map_err(SetupError::Certificate)?);
        }
        let own = Cluster::new(String::new(), connection.client.clone(), caches.clone());
        let events = EventBroadcaster::builder(own.client().clone())
            .metrics(&*self.name, Arc::clone(&metrics))
            .build();
        let recorder = events.recorder(&self.name);
        let election = self.election;
        let counters = Arc::<Counters>::default();
        let timeout = self.shutdown_timeout;
        let member =
            election.build_member(&self.name, &connection, timeout, &counters, &metrics)?;
        let checks = Checks::new();
        let elector = election.build_elector(&self.name, connection, &recorder, &metrics)?;
        Ok(Manager {
            handle: ManagerHandle {
                setup: Setup {
                    own,
                    others: Arc::default(),
                    field_manager: self.name.as_str().into(),
                    recorder,
                    metrics,
                    workers: self.workers,
                    leadership: elector.as_ref().map(LeaderElector::leadership),
                    clock: self.clock,
                    sharding: member
                        .as_ref()
                        .map(|member| Sharding::new(member.shards(), counters)),
                },
                caches,
                components: Components::new(checks.readyz.clone()),
            },
            name: self.name,
            events,
            elector,
            member,
            registry,
            checks,
            servers,
            shutdown_timeout: self.shutdown_timeout,
        })
    }
}

impl ManagerBuilder {
    fn cache_settings(&self, metrics: &Arc<dyn Provider>) -> CacheSettings {
        CacheSettings {
            manager: self.name.as_str().into(),
            namespaces: self.namespaces.clone(),
            resync: self.resync,
            sync_timeout: self.sync_timeout,
            read_timeout: self.read_timeout,
            metrics: Arc::clone(metrics),
            read_your_writes: self.read_your_writes,
        }
    }
}

impl fmt::Debug for ManagerBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ManagerBuilder")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}
