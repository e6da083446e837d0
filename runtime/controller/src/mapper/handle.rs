//! [`Mapper`] and [`MapperError`]: lookup of kinds by discovery, with a cache.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use futures::FutureExt;
use futures::future::{BoxFuture, Shared, WeakShared};
use genclient::kube::{self, Client};
use parking_lot::Mutex;
use tokio::sync::OnceCell;

use super::discovery::{self, ServedGroup, ServedKind};
use super::name::{LookupBy, TypeName};
use crate::request_cancellation::{self, RequestCancelled};

/// REST mapper of a cluster: looks up kinds that are known only at run time, by discovery.
/// Corresponds to controller-runtime's `apiutil.NewDynamicRESTMapper`.
///
/// With aggregated discovery (enabled by default since Kubernetes 1.27), the first lookup in the
/// core group requests all of `/api`, and the first lookup in another group requests all of
/// `/apis`. Without aggregated discovery, each lookup requests one group. Results are cached. If a
/// kind is not cached, its group is requested again. This finds kinds that were added later, and
/// evicts removed kinds. Concurrent lookups of a group share their requests.
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
    core_discovery: OnceCell<()>,
    /// Set once all of `/apis` was requested.
    named_discovery: OnceCell<()>,
    state: Mutex<MapperState>,
}

#[derive(Default)]
struct MapperState {
    groups: HashMap<String, Arc<ServedGroup>>,
    /// Running lookups by group. A lookup is dropped when no caller waits for it any more.
    running: HashMap<String, WeakShared<Lookup>>,
}

type Lookup = BoxFuture<'static, Result<(), Arc<kube::Error>>>;

impl Mapper {
    pub(crate) fn new(client: Client) -> Self {
        Self {
            inner: Arc::new(MapperInner {
                client,
                core_discovery: OnceCell::new(),
                named_discovery: OnceCell::new(),
                state: Mutex::default(),
            }),
        }
    }

    /// Looks up a kind: `Pod`, `Deployment.apps`, or with a version `Deployment.v1.apps` or
    /// `Pod.v1`. Without a version, the group's preferred version is returned if it has the kind,
    /// or else another version.
    ///
    /// # Errors
    ///
    /// See [`MapperError`].
    ///
    /// # Cancel safety
    ///
    /// Nothing is lost if the future is dropped. The same holds for the other lookups.
    pub async fn kind(&self, name: &str) -> Result<ServedKind, MapperError> {
        self.find(name, TypeName::parse(name), LookupBy::Kind).await
    }

    /// Looks up the kind that an object or a reference names, such as `apps/v1` and `Deployment`.
    ///
    /// # Errors
    ///
    /// See [`MapperError`].
    pub async fn kind_of(&self, api_version: &str, kind: &str) -> Result<ServedKind, MapperError> {
        let name = TypeName::of_reference(api_version, kind);
        let text = format!("{api_version}, {kind}");
        self.find(&text, name, LookupBy::Kind).await
    }

    /// Looks up the kind of a resource, in the plural or the singular: `pods`, `deployments.apps`
    /// or `deployments.v1.apps`.
    ///
    /// # Errors
    ///
    /// See [`MapperError`].
    pub async fn resource(&self, name: &str) -> Result<ServedKind, MapperError> {
        self.find(name, TypeName::parse(name), LookupBy::Resource)
            .await
    }

    /// Evicts a group from the cache, so that the next lookup requests it again. `group` is empty
    /// for the core group.
    pub fn forget(&self, group: &str) {
        self.inner.state.lock().groups.remove(group);
    }

    /// Looks up a parsed name. `text` is the unparsed name, for the error if `name` is `None`.
    async fn find(
        &self,
        text: &str,
        name: Option<TypeName>,
        by: LookupBy,
    ) -> Result<ServedKind, MapperError> {
        let name = &name.ok_or_else(|| MapperError::Name(text.to_owned()))?;
        if let Some(kind) = self.cached_kind(name, by) {
            return Ok(kind);
        }
        if !self.inner.discover_all(&name.group).await? {
            // A lookup that is under way may have requested the group before the wanted kind was
            // installed. If that lookup does not find the kind, a new one follows.
            if let Some(begun) = self.inner.running_lookup(&name.group) {
                wait_for_lookup(begun).await?;
            }
            if self.cached_kind(name, by).is_none() {
                wait_for_lookup(self.look_up(&name.group)).await?;
            }
        }
        let group = self.cached_group(&name.group);
        let kind = group.as_ref().and_then(|group| group.find(name, by));
        let missing = || MapperError::missing(name, by, group.as_deref());
        kind.cloned().ok_or_else(missing)
    }

    fn cached_kind(&self, name: &TypeName, by: LookupBy) -> Option<ServedKind> {
        self.cached_group(&name.group)?.find(name, by).cloned()
    }

    fn cached_group(&self, group: &str) -> Option<Arc<ServedGroup>> {
        self.inner.state.lock().groups.get(group).cloned()
    }

    /// Looks up a group, or joins a lookup that is under way.
    fn look_up(&self, group: &str) -> Shared<Lookup> {
        let mut state = self.inner.state.lock();
        if let Some(begun) = state.running_lookup(group) {
            return begun;
        }
        let (inner, name) = (Arc::clone(&self.inner), group.to_owned());
        let look_up = async move { inner.look_up(&name).await.map_err(Arc::new) };
        let look_up = request_cancellation::run_detached(look_up).boxed().shared();
        let weak = look_up.downgrade();
        state
            .running
            .extend(weak.map(|weak| (group.to_owned(), weak)));
        look_up
    }
}

/// Waits for a lookup, until the requests of this task's reconcile have to end. Other tasks may
/// still wait for it.
async fn wait_for_lookup(look_up: Shared<Lookup>) -> Result<(), MapperError> {
    let looked_up = tokio::select! {
        biased;
        looked_up = look_up => looked_up,
        () = request_cancellation::wait_until_cancelled() => {
            Err(Arc::new(kube::Error::Service(RequestCancelled.into())))
        }
    };
    looked_up.map_err(MapperError::Request)
}

impl MapperInner {
    /// Requests all of `/api` if `group` is the core group, or else all of `/apis`. Does nothing if
    /// an earlier call has done so. Returns `true` if this call sent the request and the response
    /// has `group`. The caller then needs no request for the group itself.
    async fn discover_all(&self, group: &str) -> Result<bool, MapperError> {
        let is_core = group.is_empty();
        let discovery = if is_core {
            &self.core_discovery
        } else {
            &self.named_discovery
        };
        let mut has_group = false;
        let discover = async {
            let groups = discovery::discover_aggregated(&self.client, is_core).await?;
            has_group = groups.contains_key(group);
            let groups = groups
                .into_iter()
                .map(|(name, group)| (name, Arc::new(group)));
            self.state.lock().groups.extend(groups);
            Ok::<_, kube::Error>(())
        };
        let discovery = discovery.get_or_try_init(|| discover).await;
        discovery.map_err(|error| MapperError::Request(Arc::new(error)))?;
        Ok(has_group)
    }

    fn running_lookup(&self, group: &str) -> Option<Shared<Lookup>> {
        self.state.lock().running_lookup(group)
    }

    async fn look_up(&self, name: &str) -> kube::Result<()> {
        let found = discovery::discover_group(&self.client, name).await;
        let mut state = self.state.lock();
        state.running.remove(name);
        match found? {
            Some(group) => state.groups.insert(name.to_owned(), Arc::new(group)),
            None => state.groups.remove(name),
        };
        Ok(())
    }
}

impl MapperState {
    fn running_lookup(&self, group: &str) -> Option<Shared<Lookup>> {
        self.running.get(group)?.upgrade()
    }
}

impl fmt::Debug for Mapper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mapper")
            .field("groups", &self.inner.state.lock().groups.keys())
            .finish_non_exhaustive()
    }
}

/// Error of looking up a kind.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MapperError {
    /// The text is not the name of a kind or a resource.
    #[error(
        "invalid kind `{0}`: expected a form such as `Pod`, `Deployment.apps` or `Deployment.v1.apps`"
    )]
    Name(String),
    /// The API server does not serve the group. A likely cause is that the kind's
    /// CustomResourceDefinition is not installed.
    #[error("the API server does not serve the group `{group}` of `{name}`")]
    NoSuchGroup {
        /// The group that is not served.
        group: String,
        /// The name that was looked up.
        name: String,
    },
    /// The group is served, but not in this version.
    #[error(
        "the API server does not serve `{name}` in version `{version}`; served versions: {}",
        quote_all(served)
    )]
    NoSuchVersion {
        /// The name that was looked up.
        name: String,
        /// The version that is not served.
        version: String,
        /// The versions of the group that are served, the preferred one first.
        served: Vec<String>,
    },
    /// The group has no such kind or resource in the given version, or in any version if none was
    /// given.
    #[error("the API server does not serve {what} `{name}` in {place}{}", did_you_mean(similar.as_ref()))]
    NoSuchKind {
        /// `kind` or `resource`.
        what: String,
        /// The name of the kind or resource.
        name: String,
        /// The group, with the version if one was given.
        place: String,
        /// A name to suggest. There is one if `name` has the wrong case, or if it is a kind instead
        /// of a resource or vice versa.
        similar: Option<String>,
    },
    /// The request to the API server failed.
    #[error("failed to look up the kind")]
    Request(#[source] Arc<kube::Error>),
}

impl MapperError {
    /// Whether the API server answered that it does not serve the kind.
    #[must_use]
    pub fn is_not_served(&self) -> bool {
        !matches!(self, Self::Name(_) | Self::Request(_))
    }

    /// Returns the error for the part that is missing: group, version or kind.
    pub(super) fn missing(name: &TypeName, by: LookupBy, group: Option<&ServedGroup>) -> Self {
        let Some(group) = group else {
            return Self::NoSuchGroup {
                group: name.group.clone(),
                name: name.name.clone(),
            };
        };
        let served = || group.versions.iter().map(|version| &version.name);
        if let Some(version) = &name.version
            && !{ served() }.any(|it| it == version)
        {
            return Self::NoSuchVersion {
                name: name.to_string(),
                version: version.clone(),
                served: served().cloned().collect(),
            };
        }
        Self::NoSuchKind {
            what: by.to_string(),
            name: name.name.clone(),
            place: name.place(),
            similar: group.similar(name, by).map(str::to_owned),
        }
    }
}

fn quote_all(names: &[String]) -> String {
    let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

fn did_you_mean(similar: Option<&String>) -> String {
    similar.map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}
