//! [`Mapper`]: lookup of kinds by discovery, with a cache.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use futures::FutureExt;
use futures::future::{BoxFuture, Shared, WeakShared};
use genclient::kube::{self, Client};
use parking_lot::Mutex;
use tokio::sync::OnceCell;

use super::discovery::{self, ServedGroup, ServedKind};
use super::error::MapperError;
use super::name::{By, TypeName};

/// REST mapper of a cluster: looks up kinds that are known only at run time, in the API server's
/// discovery. It is controller-runtime's `apiutil.NewDynamicRESTMapper`.
///
/// With aggregated discovery (since 1.26), the first lookup in the core group requests all of
/// `/api`, and the first in another group all of `/apis`. Without it, each lookup requests one
/// group. Results are cached. A lookup of a kind that is not cached requests its group again. It
/// finds the kind of a CustomResourceDefinition that was installed later, and evicts removed kinds.
/// Concurrent lookups of a group share their requests.
///
/// ```no_run
/// use genclient::cache::ObjectName;
/// use genclient::kube::core::DynamicObject;
/// use genclient_controller::{Client, Controller, Request, Result, Watch};
///
/// # async fn example(client: &Client, controller: Controller<Request>) -> Result<()> {
/// let tasks = client.mapper().kind("GPUTask.falldio.com").await?;
/// let controller = controller.caches(Watch::<DynamicObject>::served(&tasks));
/// # drop(controller);
/// let tasks = client.of::<DynamicObject>(tasks.resource);
/// let task = tasks.get(&ObjectName::namespaced("default", "train")).await?;
/// # drop(task);
/// # Ok(())
/// # }
/// ```
///
/// Clones share the cache.
#[derive(Clone)]
pub struct Mapper {
    inner: Arc<MapperInner>,
}

struct MapperInner {
    client: Client,
    /// Set once all of `/api` was requested.
    core: OnceCell<()>,
    /// Set once all of `/apis` was requested.
    named: OnceCell<()>,
    state: Mutex<MapperState>,
}

#[derive(Default)]
struct MapperState {
    groups: HashMap<String, Arc<ServedGroup>>,
    /// Lookups of groups that are under way, as long as a caller waits for them.
    flights: HashMap<String, WeakShared<LookUp>>,
}

type LookUp = BoxFuture<'static, Result<(), Arc<kube::Error>>>;

impl Mapper {
    pub(crate) fn new(client: Client) -> Self {
        Self {
            inner: Arc::new(MapperInner {
                client,
                core: OnceCell::new(),
                named: OnceCell::new(),
                state: Mutex::default(),
            }),
        }
    }

    /// Looks up a kind: `Pod`, `Deployment.apps`, or with a version `Deployment.v1.apps` or
    /// `Pod.v1`. Without a version, the result has the preferred version of those that have the
    /// kind.
    ///
    /// # Errors
    ///
    /// See [`MapperError`].
    ///
    /// # Cancel safety
    ///
    /// As for every lookup: nothing is lost if the future is dropped.
    pub async fn kind(&self, name: &str) -> Result<ServedKind, MapperError> {
        self.find(name, TypeName::parse(name), By::Kind).await
    }

    /// Looks up the kind that an object or a reference names, such as `apps/v1` and `Deployment`.
    ///
    /// # Errors
    ///
    /// See [`MapperError`].
    pub async fn kind_of(&self, api_version: &str, kind: &str) -> Result<ServedKind, MapperError> {
        let name = TypeName::of_reference(api_version, kind);
        let text = format!("{api_version}, {kind}");
        self.find(&text, name, By::Kind).await
    }

    /// Looks up the kind of a resource, in the plural or the singular: `pods`, `deployments.apps`
    /// or `deployments.v1.apps`.
    ///
    /// # Errors
    ///
    /// See [`MapperError`].
    pub async fn resource(&self, name: &str) -> Result<ServedKind, MapperError> {
        self.find(name, TypeName::parse(name), By::Resource).await
    }

    /// Evicts a group from the cache, so that the next lookup requests it again. `group` is empty
    /// for the core group.
    pub fn forget(&self, group: &str) {
        self.inner.state.lock().groups.remove(group);
    }

    /// Looks up a parsed name. `text` is what `name` was parsed from.
    async fn find(
        &self,
        text: &str,
        name: Option<TypeName>,
        by: By,
    ) -> Result<ServedKind, MapperError> {
        let name = &name.ok_or_else(|| MapperError::Name(text.to_owned()))?;
        if let Some(kind) = self.known(name, by) {
            return Ok(kind);
        }
        if !self.inner.all(&name.group).await? {
            // A lookup that began earlier may not show what was installed since.
            if let Some(begun) = self.inner.begun(&name.group) {
                begun.await.map_err(MapperError::Request)?;
            }
            if self.known(name, by).is_none() {
                let look_up = self.look_up(&name.group);
                look_up.await.map_err(MapperError::Request)?;
            }
        }
        let group = self.group(&name.group);
        let kind = group.as_ref().and_then(|group| group.find(name, by));
        let missing = || MapperError::missing(name, by, group.as_deref());
        kind.cloned().ok_or_else(missing)
    }

    fn known(&self, name: &TypeName, by: By) -> Option<ServedKind> {
        self.group(&name.group)?.find(name, by).cloned()
    }

    fn group(&self, group: &str) -> Option<Arc<ServedGroup>> {
        self.inner.state.lock().groups.get(group).cloned()
    }

    /// Looks up a group, or joins a lookup that is under way.
    fn look_up(&self, group: &str) -> Shared<LookUp> {
        let mut state = self.inner.state.lock();
        if let Some(begun) = state.begun(group) {
            return begun;
        }
        let (inner, name) = (Arc::clone(&self.inner), group.to_owned());
        let look_up = async move { inner.look_up(&name).await.map_err(Arc::new) };
        let look_up = look_up.boxed().shared();
        let weak = look_up.downgrade();
        state
            .flights
            .extend(weak.map(|weak| (group.to_owned(), weak)));
        look_up
    }
}

impl MapperInner {
    /// Requests all groups, once. Returns whether this call made the request, and its answer has
    /// the group.
    async fn all(&self, group: &str) -> Result<bool, MapperError> {
        let is_core = group.is_empty();
        let asked = if is_core { &self.core } else { &self.named };
        let mut is_answered = false;
        let ask = async {
            let found = discovery::aggregated(&self.client, is_core).await?;
            is_answered = found.contains_key(group);
            let found = { found.into_iter() }.map(|(name, group)| (name, Arc::new(group)));
            self.state.lock().groups.extend(found);
            Ok::<_, kube::Error>(())
        };
        let asked = asked.get_or_try_init(|| ask).await;
        asked.map_err(|error| MapperError::Request(Arc::new(error)))?;
        Ok(is_answered)
    }

    fn begun(&self, group: &str) -> Option<Shared<LookUp>> {
        self.state.lock().begun(group)
    }

    async fn look_up(&self, name: &str) -> kube::Result<()> {
        let found = discovery::group(&self.client, name).await;
        let mut state = self.state.lock();
        state.flights.remove(name);
        match found? {
            Some(group) => state.groups.insert(name.to_owned(), Arc::new(group)),
            None => state.groups.remove(name),
        };
        Ok(())
    }
}

impl MapperState {
    fn begun(&self, group: &str) -> Option<Shared<LookUp>> {
        self.flights.get(group)?.upgrade()
    }
}

impl fmt::Debug for Mapper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mapper")
            .field("groups", &self.inner.state.lock().groups.keys())
            .finish_non_exhaustive()
    }
}
