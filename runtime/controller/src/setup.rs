//! [`Setup`]: the parts of a manager that its components use.

use std::iter;
use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;
use genclient::clock::Clock;
use genclient::leaderelection::Leadership;
use genclient::metrics::Provider;
use genclient::record::{EventBroadcaster, EventRecorder};
use parking_lot::RwLock;

use crate::client::Client;
use crate::cluster::Cluster;
use crate::error::SetupError;
use crate::sharding::Sharding;

/// Maximum time for writing the last events.
pub(crate) const LAST_EVENTS: Duration = Duration::from_secs(5);

/// The parts of a manager that its [components](crate::Component) use: clusters, client, event
/// recorder, metrics, leadership and clock.
#[derive(Clone)]
pub struct Setup {
    pub(crate) own: Cluster,
    pub(crate) others: Arc<RwLock<OtherClusters>>,
    pub(crate) field_manager: Arc<str>,
    pub(crate) recorder: EventRecorder,
    pub(crate) metrics: Arc<dyn Provider>,
    pub(crate) workers: usize,
    /// Leadership, if there is an election.
    pub(crate) leadership: Option<Leadership>,
    pub(crate) clock: Arc<dyn Clock>,
    /// Sharding, if the replicas share the objects.
    pub(crate) sharding: Option<Sharding>,
}

/// The clusters other than the manager's own.
#[derive(Default)]
pub(crate) struct OtherClusters {
    clusters: Vec<OtherCluster>,
    is_closed: bool,
}

/// A cluster other than the manager's own, and the events about its objects.
pub(crate) struct OtherCluster {
    cluster: Cluster,
    events: EventBroadcaster,
    recorder: EventRecorder,
}

impl Setup {
    /// Returns the cluster that the manager was built for.
    #[must_use]
    pub fn own_cluster(&self) -> &Cluster {
        &self.own
    }

    /// Returns a client that reads from the caches of the manager's own cluster and writes to its
    /// API server.
    #[must_use]
    pub fn client(&self) -> Client {
        Client::new(self.own.clone(), Arc::clone(&self.field_manager))
    }

    /// Returns the recorder of events, which has the manager's name as source.
    #[must_use]
    pub fn recorder(&self) -> &EventRecorder {
        &self.recorder
    }

    /// Returns the provider for the program's own metrics. `/metrics` serves them beside those of
    /// the manager.
    #[must_use]
    pub fn metrics(&self) -> &Arc<dyn Provider> {
        &self.metrics
    }

    /// Returns a function that tells whether this replica does the work that needs no more than one
    /// replica: if it leads, if no replica does, and always without leader election and sharding.
    pub(crate) fn is_active(&self) -> Box<dyn Fn() -> bool + Send + Sync> {
        match (&self.leadership, &self.sharding) {
            (Some(known), _) => {
                let leadership = known.clone();
                Box::new(move || leadership.is_leader() || leadership.leader().is_none())
            }
            (None, Some(sharding)) => {
                let shards = sharding.shards.clone();
                Box::new(move || shards.is_leading() || !shards.has_leader())
            }
            (None, None) => Box::new(|| true),
        }
    }

    /// Returns the leadership, or `None` without leader election: then every replica works, or the
    /// replicas [share the objects](crate::ManagerBuilder::shard_by).
    #[must_use]
    pub fn leadership(&self) -> Option<&Leadership> {
        self.leadership.as_ref()
    }

    /// Returns the [clock](crate::ManagerBuilder::clock) of the manager.
    #[must_use]
    pub fn clock(&self) -> &Arc<dyn Clock> {
        &self.clock
    }

    /// Returns every cluster, the manager's own first.
    pub(crate) fn clusters(&self) -> Vec<Cluster> {
        let others = self.others.read();
        let others = others.clusters.iter().map(|other| &other.cluster);
        iter::once(&self.own).chain(others).cloned().collect()
    }

    /// Returns the client and the event recorder of the cluster of that name, or `None` if there is
    /// no such cluster.
    pub(crate) fn client_and_recorder(&self, cluster: &str) -> Option<(Client, EventRecorder)> {
        if self.own.name() == cluster {
            return Some((self.client(), self.recorder.clone()));
        }
        let others = self.others.read();
        let mut others = others.clusters.iter();
        let other = others.find(|it| it.cluster.name() == cluster)?;
        let client = Client::new(other.cluster.clone(), Arc::clone(&self.field_manager));
        Some((client, other.recorder.clone()))
    }

    /// Adds a cluster. Its name has to be unique.
    pub(crate) fn add_cluster(&self, cluster: Cluster) -> Result<Cluster, SetupError> {
        let name = cluster.name();
        let mut others = self.others.write();
        if others.is_closed {
            return Err(SetupError::Stopped(name.to_owned()));
        }
        let mut others_names = others.clusters.iter().map(|other| other.cluster.name());
        if self.own.name() == name || others_names.any(|it| it == name) {
            return Err(SetupError::SameCluster(name.to_owned()));
        }
        let events = EventBroadcaster::builder(cluster.client().clone())
            .metrics(
                format!("{}/{name}", self.field_manager),
                Arc::clone(&self.metrics),
            )
            .build();
        others.clusters.push(OtherCluster {
            cluster: cluster.clone(),
            recorder: events.recorder(&self.field_manager),
            events,
        });
        Ok(cluster)
    }

    /// Removes a cluster: stops its caches, and writes the remaining events.
    pub(crate) fn remove_cluster(&self, cluster: &Cluster) -> impl Future<Output = ()> + use<> {
        let removed = self.take_cluster(cluster);
        async move {
            if let Some(other) = removed {
                other.cluster.shutdown().await;
                other.shutdown_events(LAST_EVENTS).await;
            }
        }
    }

    fn take_cluster(&self, cluster: &Cluster) -> Option<OtherCluster> {
        let mut others = self.others.write();
        let mut known = others.clusters.iter();
        let at = known.position(|other| other.cluster == *cluster)?;
        Some(others.clusters.remove(at))
    }

    /// Writes the remaining events about objects of other clusters, and refuses further clusters.
    pub(crate) async fn shutdown_events(&self, deadline: Duration) {
        let clusters = self.close_clusters().into_iter();
        let written = clusters.map(|other| other.shutdown_events(deadline));
        join_all(written).await;
    }

    fn close_clusters(&self) -> Vec<OtherCluster> {
        let mut others = self.others.write();
        others.is_closed = true;
        std::mem::take(&mut others.clusters)
    }
}

impl OtherCluster {
    async fn shutdown_events(self, deadline: Duration) {
        if let Err(error) = self.events.shutdown(deadline).await {
            let (cluster, error) = (self.cluster.name(), &error as &dyn std::error::Error);
            tracing::warn!(cluster, error, "events lost during shutdown");
        }
    }
}
