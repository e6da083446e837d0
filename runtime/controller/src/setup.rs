//! [`Setup`]: what a manager gives to the components that are added to it.

use std::iter;
use std::sync::Arc;

use genclient::leaderelection::Leadership;
use genclient::metrics::Provider;
use genclient::record::EventRecorder;
use parking_lot::RwLock;

use crate::client::Client;
use crate::cluster::Cluster;
use crate::error::SetupError;

/// What a manager gives to the [components](crate::Component) that are added to it.
#[derive(Clone)]
pub struct Setup {
    pub(crate) own: Cluster,
    pub(crate) others: Arc<RwLock<Vec<Cluster>>>,
    pub(crate) field_manager: Arc<str>,
    pub(crate) recorder: EventRecorder,
    pub(crate) metrics: Arc<dyn Provider>,
    pub(crate) workers: usize,
    /// Who leads, if there is an election.
    pub(crate) leadership: Option<Leadership>,
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
        let own = iter::once(&self.own);
        own.chain(&*self.others.read()).cloned().collect()
    }

    /// The client of the cluster of that name.
    pub(crate) fn client_of(&self, cluster: &str) -> Option<Client> {
        let others = self.others.read();
        let mut clusters = iter::once(&self.own).chain(&*others);
        let cluster = clusters.find(|it| it.name() == cluster)?;
        Some(Client::new(
            cluster.clone(),
            Arc::clone(&self.field_manager),
        ))
    }

    /// Adds a cluster, under a name of its own.
    pub(crate) fn add_cluster(&self, cluster: Cluster) -> Result<Cluster, SetupError> {
        let mut others = self.others.write();
        let mut known = iter::once(&self.own).chain(&*others);
        if known.any(|it| it.name() == cluster.name()) {
            return Err(SetupError::SameCluster(cluster.name().to_owned()));
        }
        others.push(cluster.clone());
        Ok(cluster)
    }
}
