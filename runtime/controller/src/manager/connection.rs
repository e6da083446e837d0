//! Connections of a manager: one for its clients, and one for leader election.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use genclient::kube::{self, Config};
use genclient::leaderelection::{
    LeaderElectionConfigError, LeaderElector, LeaseLock, unique_identity,
};
use genclient::metrics::Provider;
use genclient::record::EventRecorder;
use genclient::sharding::{ShardBy, ShardMember};
use genclient::{client, config};

use crate::error::SetupError;
use crate::sharding::Counters;

/// Connection settings of the API server.
pub(super) enum ApiServer {
    /// From an address and a kubeconfig, or else from the environment: the Pod's service account,
    /// `$KUBECONFIG` or `~/.kube/config`.
    Inferred {
        master: Option<String>,
        kubeconfig: Option<PathBuf>,
    },
    Config(Box<Config>),
    Client(kube::Client),
}

pub(super) struct Connection {
    pub(super) client: kube::Client,
    /// Settings for the connection of leader election. It is a separate one, so that its requests
    /// do not wait for others. `None`: leader election uses `client`, which the program provides.
    config: Option<Box<Config>>,
}

impl ApiServer {
    pub(super) async fn connect(
        self,
        manager: &str,
        metrics: &Arc<dyn Provider>,
    ) -> Result<Connection, SetupError> {
        let config = match self {
            Self::Client(client) => {
                return Ok(Connection {
                    client: client::with_response_timeout(client),
                    config: None,
                });
            }
            Self::Config(config) => config,
            Self::Inferred { master, kubeconfig } => {
                let found = config::from_flags(master.as_deref(), kubeconfig.as_deref()).await;
                Box::new(found.map_err(|error| SetupError::Config(error.into()))?)
            }
        };
        let builder = client::builder((*config).clone())
            .field_manager(manager)
            .metrics(Arc::clone(metrics));
        Ok(Connection {
            client: builder.connect().map_err(SetupError::Connect)?,
            config: Some(config),
        })
    }
}

/// Settings of leader election.
pub(super) struct Election {
    pub(super) is_enabled: bool,
    /// The shard key, if the replicas share the objects.
    pub(super) shard_by: Option<ShardBy>,
    pub(super) namespace: Option<String>,
    pub(super) name: Option<String>,
    pub(super) lease_duration: Duration,
    pub(super) renew_deadline: Duration,
    pub(super) retry_period: Duration,
    /// Returns the message of an error. It names settings as methods of the builder or as flags,
    /// whichever the program used.
    pub(super) rule: fn(&LeaderElectionConfigError) -> String,
}

impl Election {
    pub(super) fn build_elector(
        self,
        manager: &str,
        connection: Connection,
        recorder: &EventRecorder,
        metrics: &Arc<dyn Provider>,
    ) -> Result<Option<LeaderElector>, SetupError> {
        if !self.is_enabled || self.shard_by.is_some() {
            return Ok(None);
        }
        let name = self.name.as_deref().unwrap_or(manager);
        let default_namespace = connection.client.default_namespace();
        let namespace = self.namespace.as_deref().unwrap_or(default_namespace);
        let identity = unique_identity();
        let lock = match connection.config {
            Some(config) => LeaseLock::connect(*config, namespace, name, &identity)
                .map_err(SetupError::Connect)?,
            None => LeaseLock::new(connection.client.clone(), namespace, name, &identity),
        };
        let elector = LeaderElector::builder(lock.recorder(recorder.clone()))
            .lease_duration(self.lease_duration)
            .renew_deadline(self.renew_deadline)
            .retry_period(self.retry_period)
            .metrics(Arc::clone(metrics))
            .on_new_leader(|leader| match leader {
                Some(leader) => tracing::info!(leader, "new leader elected"),
                None => tracing::info!("leader released its lease"),
            })
            .build()
            .map_err(|error| SetupError::Election {
                rule: (self.rule)(&error),
                error,
            })?;
        Ok(Some(elector))
    }
}

impl Election {
    /// Returns this replica as a member of the group that shares the objects, if sharding is
    /// enabled. `counters` count the objects.
    pub(super) fn build_member(
        &self,
        manager: &str,
        connection: &Connection,
        drain_timeout: Duration,
        counters: &Arc<Counters>,
        metrics: &Arc<dyn Provider>,
    ) -> Result<Option<ShardMember>, SetupError> {
        let Some(shard_by) = self.shard_by else {
            return Ok(None);
        };
        let name = self.name.as_deref().unwrap_or(manager);
        let default_namespace = connection.client.default_namespace();
        let namespace = self.namespace.as_deref().unwrap_or(default_namespace);
        let builder = match &connection.config {
            Some(config) => ShardMember::connect((**config).clone(), namespace, name)
                .map_err(SetupError::Connect)?,
            None => ShardMember::builder(connection.client.clone(), namespace, name),
        };
        let counted = Arc::clone(counters);
        let member = builder
            .shard_by(shard_by)
            .lease_duration(self.lease_duration)
            .renew_deadline(self.renew_deadline)
            .retry_period(self.retry_period)
            .drain_timeout(drain_timeout)
            .counts(move |shards| counted.count(shards))
            .metrics(Arc::clone(metrics))
            .build()
            .map_err(|error| SetupError::Election {
                rule: (self.rule)(&error),
                error,
            })?;
        Ok(Some(member))
    }
}

impl Default for Election {
    fn default() -> Self {
        Self {
            is_enabled: false,
            shard_by: None,
            namespace: None,
            name: None,
            lease_duration: Duration::from_secs(15),
            renew_deadline: Duration::from_secs(10),
            retry_period: Duration::from_secs(2),
            rule: LeaderElectionConfigError::to_string,
        }
    }
}
