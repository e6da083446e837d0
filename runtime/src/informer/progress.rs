//! Waiting until the cache has reached a resource version.

use std::cmp::Ordering;
use std::sync::Arc;

use tokio::time::Instant;

use super::shared::{Core, SharedInformer};
use crate::cache::{InvalidResourceVersionError, ObjectName, compare_resource_versions};
use crate::reflector::{Collection, ListWatchError, Skipped};
use crate::scheme::{GroupVersionResource, Object};

/// Error of waits for a resource version, such as
/// [`wait_for_write`](super::SharedInformer::wait_for_write).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProgressError {
    /// The requested resource version, or one from the API server, cannot be compared.
    #[error("cannot wait for the cache of {resource}")]
    Incomparable {
        /// The resource of the informer.
        resource: GroupVersionResource,
        /// The malformed version.
        #[source]
        cause: InvalidResourceVersionError,
    },
    /// The informer does not cache the requested namespace, or caches no namespace at all.
    #[error("the informer of {resource} does not cache {}", requested(.namespace.as_deref()))]
    NotCached {
        /// The resource of the informer.
        resource: GroupVersionResource,
        /// The requested namespace; `None` if all namespaces of the informer were requested.
        namespace: Option<String>,
    },
    /// The object was written in a form that cannot be decoded, or has since changed to such a
    /// form. The cached object, if any, is older than the written one.
    #[error("{resource} `{}` cannot be decoded: {}", .skipped.name, .skipped.cause)]
    Unreadable {
        /// The resource of the informer.
        resource: GroupVersionResource,
        /// The object and the error of the decoder.
        skipped: Box<Skipped>,
    },
    /// Resource versions went back during the wait, as after a restore of etcd. The requested
    /// version is void: the cache may never reach it, and the write may be lost.
    #[error("resource versions of {resource} went back, so that version {version} is void")]
    WentBack {
        /// The resource of the informer.
        resource: GroupVersionResource,
        /// The requested version.
        version: String,
    },
    /// The informer has stopped.
    #[error("the informer of {resource} has stopped")]
    Stopped {
        /// The resource of the informer.
        resource: GroupVersionResource,
    },
}

/// Resource version of the cache.
impl<K: Object> SharedInformer<K> {
    /// Returns the resource version up to which the cache has every change, or `None` before the
    /// first sync: client-go's `LastSyncResourceVersion`. With several namespaces, it is the oldest
    /// of their versions. Compare it with other versions by [`compare_resource_versions`].
    ///
    /// [`compare_resource_versions`]: crate::cache::compare_resource_versions
    #[must_use]
    pub fn last_resource_version(&self) -> Option<String> {
        self.inner.core.read_store(|store| {
            let version = store.oldest_version().filter(|_| store.is_synced());
            version.map(str::to_owned)
        })
    }

    /// Returns whether the cache has every change up to `version` in `namespace`. `None` means all
    /// namespaces of the informer.
    ///
    /// # Errors
    ///
    /// See [`ProgressError`].
    pub fn has_resource_version(
        &self,
        version: &str,
        namespace: Option<&str>,
    ) -> Result<bool, ProgressError> {
        self.inner.core.has_version(version, namespace)
    }

    /// Returns when resource versions last went back: when the list was requested that showed it.
    /// `None` if they never did. With several namespaces, the latest of their times; `namespace`
    /// selects one of them.
    ///
    /// Versions go back when etcd is restored from a backup without `--bump-revision`. The cache
    /// then has the restored objects. Resource versions that were known before this time are void:
    /// the cache may never reach them.
    #[must_use]
    pub fn restored_at(&self, namespace: Option<&str>) -> Option<Instant> {
        self.inner.core.restored_at(namespace)
    }

    /// Requests the latest resource version of the API server. For the crate
    /// `genclient-controller`; not part of the public API.
    #[doc(hidden)]
    pub async fn latest_version(&self, namespace: Option<&str>) -> Result<String, ListWatchError> {
        let options = &self.inner.core.options;
        let collection = Collection::<K> {
            client: &options.client,
            types: &options.types,
            namespace,
            fields: None,
        };
        collection.latest_version().await
    }

    /// Waits until `condition` returns true. The condition is called at once, and again after each
    /// change of the cache and each bookmark.
    ///
    /// ```no_run
    /// # use genclient::cache::ObjectName;
    /// # use genclient::informer::{ProgressError, SharedInformer};
    /// # use k8s_openapi::api::core::v1::Pod;
    /// # async fn run(pods: SharedInformer<Pod>) -> Result<(), ProgressError> {
    /// let name = ObjectName::namespaced("default", "train");
    /// let cache = pods.indexer();
    /// pods.wait_until(|| Ok(cache.get(&name).is_none())).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of `condition`, and [`ProgressError::Stopped`]. There is no timeout.
    ///
    /// # Cancel safety
    ///
    /// Nothing is lost if the future is dropped.
    pub async fn wait_until(
        &self,
        condition: impl FnMut() -> Result<bool, ProgressError>,
    ) -> Result<(), ProgressError> {
        self.inner.core.wait_until(condition).await
    }

    /// Waits until the cache has every change up to `version`, in all namespaces of the informer.
    ///
    /// `version` is the resource version of an object or list of this resource. If the informer
    /// does not watch the changed object, or is limited to several namespaces, the cache reaches
    /// the version only with the next bookmark, about once a minute. To wait for your own write,
    /// use [`wait_for_write`](Self::wait_for_write).
    ///
    /// # Errors
    ///
    /// See [`ProgressError`]. There is no timeout. Set one, since a cache that cannot be updated
    /// never reaches the version. The same goes for a version from before
    /// [`restored_at`](Self::restored_at), if the wait begins later.
    ///
    /// # Cancel safety
    ///
    /// Nothing is lost if the future is dropped.
    pub async fn wait_for_resource_version(&self, version: &str) -> Result<(), ProgressError> {
        self.inner.core.wait_for_version(version, None).await
    }

    /// Waits until the cache has `written` or a newer state of the object, so that a client reads
    /// its own writes. `written` is the result of a create, an update or a patch. Returns the
    /// cached object, or `None` if it has been deleted since or does not match the selectors.
    ///
    /// Never returns an older state. If `written` and all newer states cannot be decoded, returns
    /// [`ProgressError::Unreadable`].
    ///
    /// ```no_run
    /// # use genclient::informer::SharedInformer;
    /// # use k8s_openapi::api::core::v1::Pod;
    /// # type Outcome = Result<(), Box<dyn std::error::Error>>;
    /// # async fn run(pods: SharedInformer<Pod>, created: Pod) -> Outcome {
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
        self.inner.core.wait_for_write(written).await
    }
}

impl<K: Object> Core<K> {
    /// Waits until all scopes that cover `namespace` have `version`; `None` means all scopes.
    pub(super) async fn wait_for_version(
        &self,
        version: &str,
        namespace: Option<&str>,
    ) -> Result<(), ProgressError> {
        let begun = Instant::now();
        let reached = || {
            let is_reached = self.has_version(version, namespace)?;
            let restored = self.restored_at(namespace);
            if !is_reached && restored.is_some_and(|restored| restored >= begun) {
                return Err(ProgressError::WentBack {
                    resource: self.resource.clone(),
                    version: version.to_owned(),
                });
            }
            Ok(is_reached)
        };
        self.wait_until(reached).await
    }

    fn restored_at(&self, namespace: Option<&str>) -> Option<Instant> {
        self.read_store(|store| store.restored_at(namespace))
    }

    async fn wait_until(
        &self,
        mut condition: impl FnMut() -> Result<bool, ProgressError>,
    ) -> Result<(), ProgressError> {
        loop {
            // Created before the check, so that no change between the check and the wait is missed.
            let progress = self.progress.notified();
            if condition()? {
                return Ok(());
            }
            tokio::select! {
                () = self.stop.cancelled() => {
                    return Err(ProgressError::Stopped { resource: self.resource.clone() });
                }
                () = progress => {}
            }
        }
    }

    fn has_version(&self, version: &str, namespace: Option<&str>) -> Result<bool, ProgressError> {
        let reached = self.read_store(|store| store.has_version(version, namespace));
        reached
            .ok_or_else(|| ProgressError::NotCached {
                resource: self.resource.clone(),
                namespace: namespace.map(str::to_owned),
            })?
            .map_err(|cause| ProgressError::Incomparable {
                resource: self.resource.clone(),
                cause,
            })
    }

    /// Implementation of [`SharedInformer::wait_for_write`].
    pub(super) async fn wait_for_write(&self, object: &K) -> Result<Option<Arc<K>>, ProgressError> {
        let name = ObjectName::from_object(object);
        let version = object.meta().resource_version.as_deref();
        self.wait_for_version(version.unwrap_or_default(), name.namespace())
            .await?;
        let (cached, skipped) = self.read_store(|store| {
            let skipped = store.skipped().get(&name).cloned();
            (self.indexer.get(&name), skipped)
        });
        match skipped {
            Some(skipped) if is_older(cached.as_deref(), object) => {
                Err(ProgressError::Unreadable {
                    resource: self.resource.clone(),
                    skipped: Box::new(skipped),
                })
            }
            _ => Ok(cached),
        }
    }
}

/// Whether the cached object is missing or older than the written one.
fn is_older<K: Object>(cached: Option<&K>, written: &K) -> bool {
    let version = |object: &K| object.meta().resource_version.clone().unwrap_or_default();
    let order = cached.map(|cached| compare_resource_versions(&version(cached), &version(written)));
    !matches!(order, Some(Ok(Ordering::Equal | Ordering::Greater)))
}

fn requested(namespace: Option<&str>) -> String {
    namespace.map_or_else(
        || "any namespace".to_owned(),
        |namespace| format!("namespace `{namespace}`"),
    )
}
