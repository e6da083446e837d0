//! Waiting until the cache has reached a resource version.

use std::cmp::Ordering;
use std::sync::Arc;

use super::error::ProgressError;
use super::hub::{Hub, Scope};
use super::shared::SharedInformer;
use crate::cache::{InvalidResourceVersionError, ObjectName, compare_resource_versions};
use crate::scheme::Object;

/// How far the cache is.
impl<K: Object> SharedInformer<K> {
    /// The resource version up to which every change is in the cache; `None` before the first sync. With several namespaces, the
    /// oldest of theirs. It is client-go's `LastSyncResourceVersion`; see [`compare_resource_versions`] for what can be done with
    /// it.
    ///
    /// [`compare_resource_versions`]: crate::cache::compare_resource_versions
    #[must_use]
    pub fn last_resource_version(&self) -> Option<String> {
        self.inner.hub.resource_version()
    }

    /// Waits until every change up to `version` is in the cache, of all namespaces that the informer mirrors.
    ///
    /// `version` is that of an object of this resource, or of a list of them. A change of another object, of another namespace,
    /// or of one that no selector matches shows in the cache only when the API server says so by a bookmark, which it does about
    /// once a minute. To wait for one's own write, [`wait_for_write`](Self::wait_for_write) is better.
    ///
    /// # Errors
    ///
    /// See [`ProgressError`]. There is no timeout: wrap it in one, since a cache that cannot be kept true gets to no version.
    ///
    /// # Cancel safety
    ///
    /// Nothing is lost if the future is dropped.
    pub async fn wait_for_resource_version(&self, version: &str) -> Result<(), ProgressError> {
        self.inner.hub.wait_for_version(version, None).await
    }

    /// Waits until the cache is not older than `written`, which a create, an update or a patch returned, and returns what is
    /// cached under its name then: that state or a newer one, and `None` if it has been deleted since or no selector matches it.
    /// So one reads one's own writes. It is never an older state: what was written in a form that
    /// cannot be read is an error.
    ///
    /// ```no_run
    /// # use genclient::informer::SharedInformer;
    /// # use k8s_openapi::api::core::v1::Pod;
    /// # async fn run(pods: SharedInformer<Pod>, created: Pod) -> Result<(), Box<dyn std::error::Error>> {
    /// use std::time::Duration;
    /// use tokio::time::timeout;
    ///
    /// let cached = timeout(Duration::from_secs(5), pods.wait_for_write(&created)).await??;
    /// # drop(cached);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// See [`ProgressError`]. There is no timeout.
    ///
    /// # Cancel safety
    ///
    /// Nothing is lost if the future is dropped.
    pub async fn wait_for_write(&self, written: &K) -> Result<Option<Arc<K>>, ProgressError> {
        self.inner.hub.wait_for_write(written).await
    }
}

impl<K: Object> Hub<K> {
    /// Waits until everything up to `version` is in the cache: in all of it, or where `namespace` is.
    pub(super) async fn wait_for_version(
        &self,
        version: &str,
        namespace: Option<&str>,
    ) -> Result<(), ProgressError> {
        // Before the first look, so that nothing is missed in between.
        let mut progress = self.progress.subscribe();
        loop {
            if self.has_version(version, namespace)? {
                return Ok(());
            }
            tokio::select! {
                () = self.stop.cancelled() => {
                    return Err(ProgressError::Stopped { resource: self.resource.clone() });
                }
                // It cannot fail: `self` has the sender.
                _ = progress.changed() => {}
            }
        }
    }

    fn has_version(&self, version: &str, namespace: Option<&str>) -> Result<bool, ProgressError> {
        let state = self.state.lock();
        let scopes = state.scopes.iter();
        let scopes: Vec<_> = scopes.filter(|scope| scope.covers(namespace)).collect();
        if scopes.is_empty() {
            return Err(ProgressError::NotMirrored {
                resource: self.resource.clone(),
                namespace: namespace.unwrap_or_default().to_owned(),
            });
        }
        let reached = scopes.iter().map(|scope| scope.has(version));
        let reached: Result<Vec<_>, _> = reached.collect();
        reached
            .map(|reached| reached.into_iter().all(|reached| reached))
            .map_err(|cause| ProgressError::Incomparable {
                resource: self.resource.clone(),
                cause,
            })
    }

    /// The cached object of that name, once the cache is not older than `object`.
    pub(super) async fn wait_for_write(&self, object: &K) -> Result<Option<Arc<K>>, ProgressError> {
        let name = ObjectName::from_object(object);
        let version = object.meta().resource_version.as_deref();
        self.wait_for_version(version.unwrap_or_default(), name.namespace())
            .await?;
        let state = self.state.lock();
        let cached = self.indexer.get(&name);
        match state.skipped.get(&name) {
            Some(skipped) if is_older(cached.as_deref(), object) => {
                Err(ProgressError::Unreadable {
                    resource: self.resource.clone(),
                    skipped: Box::new(skipped.clone()),
                })
            }
            _ => Ok(cached),
        }
    }
}

/// Whether what is cached is not as new as what was written.
fn is_older<K: Object>(cached: Option<&K>, written: &K) -> bool {
    let version = |object: &K| object.meta().resource_version.clone().unwrap_or_default();
    let order = cached.map(|cached| compare_resource_versions(&version(cached), &version(written)));
    !matches!(order, Some(Ok(Ordering::Equal | Ordering::Greater)))
}

impl Scope {
    /// Whether objects of that namespace are here; `None` is wherever there are some.
    fn covers(&self, namespace: Option<&str>) -> bool {
        let here = self.namespace.as_deref();
        here.is_none() || namespace.is_none() || here == namespace
    }

    fn has(&self, version: &str) -> Result<bool, InvalidResourceVersionError> {
        // What was asked for is checked before there is anything to compare it with.
        compare_resource_versions(version, version)?;
        if !self.is_synced {
            return Ok(false);
        }
        Ok(compare_resource_versions(&self.resource_version, version)? != Ordering::Less)
    }
}
