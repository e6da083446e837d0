//! [`ManagerHandle`]: adding components and clusters to a running manager.

use std::fmt;

use genclient::kube;

use super::components::{ComponentHandle, Components};
use crate::client::Client;
use crate::cluster::{CacheSettings, Cluster};
use crate::component::Component;
use crate::error::SetupError;
use crate::setup::Setup;

/// A handle of a [`Manager`](crate::Manager) that adds components while the manager runs.
///
/// ```no_run
/// use genclient_controller::{BoxError, Controller, ManagerHandle, Reconciler, Watch};
/// use genclient::kube::core::DynamicObject;
///
/// /// Runs a controller for a kind that a user has named, until they name another one.
/// async fn follow<R>(manager: ManagerHandle, kind: &str, reconciler: R) -> Result<(), BoxError>
/// where
///     R: Reconciler<Object = DynamicObject>,
/// {
///     let kind = manager.client().mapper().kind(kind).await?;
///     let controller = Controller::watching(Watch::served(&kind), reconciler);
///     let controller = manager.add(controller).await?;
///     // Later: the controller ends, and with it the informer of the kind.
///     controller.shutdown().await;
///     Ok(())
/// }
/// ```
#[derive(Clone)]
pub struct ManagerHandle {
    pub(super) setup: Setup,
    pub(super) caches: CacheSettings,
    pub(super) components: Components,
}

impl ManagerHandle {
    /// Adds a component, and waits until its caches have synced. The component then starts at once
    /// if the manager runs, or else with the manager. With leader election, it runs only on the
    /// leader, unless it is a server or is added [on every replica](crate::Task::on_every_replica).
    ///
    /// # Errors
    ///
    /// See [`SetupError`]. Adding also fails if a cache does not sync, or if the manager has ended.
    /// After a failure, a running manager continues without the component.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the component is not added, and informers that no other component
    /// needs are stopped.
    pub async fn add(&self, component: impl Component) -> Result<ComponentHandle, SetupError> {
        let member = self.components.register(component.set_up(&self.setup)?)?;
        self.setup.clusters().iter().for_each(Cluster::start);
        member.synced().await.map_err(SetupError::Sync)?;
        self.components.start(member)
    }

    /// Adds another cluster. See [`Manager::cluster`](crate::Manager::cluster).
    ///
    /// # Errors
    ///
    /// If a cluster of that name exists, or if the manager has ended.
    pub fn cluster(
        &self,
        name: impl Into<String>,
        client: kube::Client,
    ) -> Result<Cluster, SetupError> {
        let cluster = Cluster::new(name.into(), client, self.caches.clone());
        self.setup.add_cluster(cluster)
    }

    /// Removes a cluster that was added by [`cluster`](Self::cluster). The call itself removes the
    /// cluster, so its name can be used again at once. The returned future stops the caches of the
    /// cluster and waits for their end. Then it writes the cluster's last events, for at most 5 s.
    ///
    /// Before this call, [remove](ComponentHandle::shutdown) the controllers that watch the
    /// cluster. Controllers that remain log an error for each request of the cluster, and drop the
    /// request.
    ///
    /// # Cancel safety
    ///
    /// The cluster is removed even if the future is dropped, but some of its events may then be
    /// lost.
    pub fn remove_cluster(&self, cluster: &Cluster) -> impl Future<Output = ()> + Send + use<> {
        let removed = self.setup.remove_cluster(cluster);
        self.components.notify_changed();
        removed
    }

    /// Returns the client, which reads from the caches and writes to the API server.
    #[must_use]
    pub fn client(&self) -> Client {
        self.setup.client()
    }
}

impl fmt::Debug for ManagerHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ManagerHandle")
            .field("components", &self.components)
            .finish_non_exhaustive()
    }
}
