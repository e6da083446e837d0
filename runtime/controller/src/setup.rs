//! [`Setup`]: what a manager gives to the components that are added to it.

use std::iter;
use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;
use genclient::leaderelection::Leadership;
use genclient::metrics::Provider;
use genclient::record::{EventBroadcaster, EventRecorder};
use parking_lot::RwLock;

use crate::client::Client;
use crate::cluster::Cluster;
use crate::error::SetupError;

/// What a manager gives to the [components](crate::Component) that are added to it.
#[derive(Clone)]
pub struct Setup {
    pub(crate) own: Cluster,
    pub(crate) others: Arc<RwLock<Vec<OtherCluster>>>,
    pub(crate) field_manager: Arc<str>,
    pub(crate) recorder: EventRecorder,
    pub(crate) metrics: Arc<dyn Provider>,
    pub(crate) workers: usize,
    /// Who leads, if there is an election.
    pub(crate) leadership: Option<Leadership>,
}

/// A cluster beside the manager's own, and the events about its objects.
pub(crate) struct OtherCluster {
    cluster: Cluster,
    events: EventBroadcaster,
    recorder: EventRecorder,
}

impl Setup {
    /// The cluster that the manager was made for.
    #[must_use]
    pub fn own_cluster(&self) -> &Cluster {
        &self.own
    }

    /// Reads from the caches of the manager's own cluster, writes to its API server.
    #[must_use]
    pub fn client(&self) -> Client {
        Client::new(self.own.clone(), Arc::clone(&self.field_manager))
    }

    /// Records events in the name of the manager.
    #[must_use]
    pub fn recorder(&self) -> &EventRecorder {
        &self.recorder
    }

    /// What makes instruments for metrics that are served with those of the manager.
    #[must_use]
    pub fn metrics(&self) -> &Arc<dyn Provider> {
        &self.metrics
    }

    /// Who leads, if there is an election. Without one, every replica works.
    #[must_use]
    pub fn leadership(&self) -> Option<&Leadership> {
        self.leadership.as_ref()
    }

    /// Every cluster, the own one first.
    pub(crate) fn clusters(&self) -> Vec<Cluster> {
        let others = self.others.read();
        let others = others.iter().map(|other| &other.cluster);
        iter::once(&self.own).chain(others).cloned().collect()
    }

    /// Client and recorder of the cluster of that name.
    pub(crate) fn site(&self, cluster: &str) -> Option<(Client, EventRecorder)> {
        if self.own.name() == cluster {
            return Some((self.client(), self.recorder.clone()));
        }
        let others = self.others.read();
        let other = others.iter().find(|it| it.cluster.name() == cluster)?;
        let client = Client::new(other.cluster.clone(), Arc::clone(&self.field_manager));
        Some((client, other.recorder.clone()))
    }

    /// Adds a cluster, under a name of its own.
    pub(crate) fn add_cluster(&self, cluster: Cluster) -> Result<Cluster, SetupError> {
        let name = cluster.name();
        let mut others = self.others.write();
        let mut others_names = others.iter().map(|other| other.cluster.name());
        if self.own.name() == name || others_names.any(|it| it == name) {
            return Err(SetupError::SameCluster(name.to_owned()));
        }
        let events = EventBroadcaster::builder(cluster.client().clone())
            .metrics(
                format!("{}/{name}", self.field_manager),
                Arc::clone(&self.metrics),
            )
            .build();
        others.push(OtherCluster {
            cluster: cluster.clone(),
            recorder: events.recorder(&self.field_manager),
            events,
        });
        Ok(cluster)
    }

    /// Writes the events about objects of other clusters that are left.
    pub(crate) async fn shutdown_events(&self, deadline: Duration) {
        let others = std::mem::take(&mut *self.others.write());
        let written = others.into_iter().map(|other| async move {
            if let Err(error) = other.events.shutdown(deadline).await {
                let (cluster, error) = (other.cluster.name(), &error as &dyn std::error::Error);
                tracing::warn!(cluster, error, "some events were not written");
            }
        });
        join_all(written).await;
    }
}
