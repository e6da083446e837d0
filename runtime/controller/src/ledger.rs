//! [`Ledger`]: writes of this program that its caches may not show yet.
//!
//! A layer around a cluster's connection records each successful write of a cached resource. Cached
//! reads then wait until the cache shows the write.

use std::cmp::Ordering;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::Weak;

use genclient::cache::{ObjectName, compare_resource_versions};
use genclient::kube;
use genclient::kube::client::Body;
use genclient::scheme::GroupVersionResource;
use http::{Method, Request, Response};
use http_body_util::BodyExt;
use parking_lot::RwLock;
use serde::Deserialize;
use tokio::time::Instant;
use tower::BoxError;

/// Minimum of [`Writes::limit`].
const MIN_LIMIT: usize = 1024;

/// The recent writes to one cluster, by resource.
#[derive(Default)]
pub(crate) struct Ledger {
    resources: RwLock<BTreeMap<GroupResource, Writes>>,
}

/// A resource without its API version, because an object has the same `resourceVersion` in every
/// API version.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct GroupResource {
    group: String,
    resource: String,
}

/// The last write of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Write {
    /// The resource version that the cache has to reach; `None` if only a deletion is recorded.
    pub(crate) version: Option<String>,
    /// The labels of the stored object. A cache whose selector excludes them does not have to show
    /// the object.
    pub(crate) labels: BTreeMap<String, String>,
    /// The uid of the object if it was deleted: the cache has to show the deletion.
    pub(crate) deleted: Option<String>,
    /// Whether the deleted object is known to be gone. If not, finalizers may delay the deletion.
    pub(crate) is_gone: bool,
    /// When the response arrived.
    pub(crate) recorded_at: Option<Instant>,
}

/// A cache of a resource whose writes are recorded.
pub(crate) trait Shows: Send + Sync {
    fn shows(&self, name: &ObjectName, write: &Write) -> bool;
}

/// The recent writes of one resource.
struct Writes {
    by_name: HashMap<ObjectName, Write>,
    caches: Vec<Weak<dyn Shows>>,
    /// If more writes than this are recorded, those that every cache shows are evicted.
    limit: usize,
}

impl Ledger {
    /// Records the writes of a resource from now on. A write is kept at least until all caches
    /// of the resource, including `cache`, show it.
    pub(crate) fn watch(&self, resource: GroupResource, cache: Weak<dyn Shows>) {
        let mut resources = self.resources.write();
        let writes = resources.entry(resource).or_insert_with(|| Writes {
            by_name: HashMap::new(),
            caches: Vec::new(),
            limit: MIN_LIMIT,
        });
        writes.caches.retain(|cache| cache.strong_count() > 0);
        writes.caches.push(cache);
    }

    /// Returns the last write of an object. `None` if there was no write, or if every cache is
    /// known to show it.
    pub(crate) fn write(&self, resource: &GroupResource, name: &ObjectName) -> Option<Write> {
        let resources = self.resources.read();
        resources.get(resource)?.by_name.get(name).cloned()
    }

    /// Returns the last writes of all objects in a namespace; `None` is all namespaces.
    pub(crate) fn writes(
        &self,
        resource: &GroupResource,
        namespace: Option<&str>,
    ) -> Vec<(ObjectName, Write)> {
        let resources = self.resources.read();
        let Some(writes) = resources.get(resource) else {
            return Vec::new();
        };
        let written = writes
            .by_name
            .iter()
            .filter(|(name, _)| namespace.is_none_or(|it| name.namespace() == Some(it)));
        written
            .map(|(name, write)| (name.clone(), write.clone()))
            .collect()
    }

    /// Forgets a write if every cache shows it and no newer write has replaced it.
    pub(crate) fn forget(&self, resource: &GroupResource, name: &ObjectName, shown: &Write) {
        let mut resources = self.resources.write();
        if let Some(writes) = resources.get_mut(resource)
            && writes.by_name.get(name) == Some(shown)
            && is_shown_by_all(&writes.caches, name, shown)
        {
            writes.by_name.remove(name);
        }
    }

    /// Forgets the writes of a resource that were recorded before `time` with a version newer than
    /// `latest`, the latest of the API server at that time or later. They are lost.
    pub(crate) fn forget_newer(&self, resource: &GroupResource, latest: &str, time: Instant) {
        if let Some(writes) = self.resources.write().get_mut(resource) {
            writes.forget_newer(latest, time);
        }
    }

    /// Forgets the deletion in `write`, which is lost, unless a newer write has replaced it.
    /// Returns the rest of the write.
    pub(crate) fn forget_deletion(
        &self,
        resource: &GroupResource,
        name: &ObjectName,
        write: Write,
    ) -> Write {
        let rest = Write {
            deleted: None,
            is_gone: false,
            ..write.clone()
        };
        let mut resources = self.resources.write();
        if let Some(writes) = resources.get_mut(resource)
            && let Entry::Occupied(mut known) = writes.by_name.entry(name.clone())
            && *known.get() == write
        {
            if rest.version.is_some() {
                known.insert(rest.clone());
            } else {
                known.remove();
            }
        }
        rest
    }

    /// Sends a request, and records it if it is a successful write.
    pub(crate) async fn send(
        &self,
        client: &kube::Client,
        request: Request<Body>,
    ) -> Result<Response<Body>, BoxError> {
        let target = self.target(&request);
        let (request, is_dry_run) = detect_dry_run(request).await?;
        let target = target.filter(|_| !is_dry_run);
        let sent = Instant::now();
        let response = client.send(request).await?;
        let Some(target) = target.filter(|_| response.status().is_success()) else {
            return Ok(response);
        };
        let (head, body) = response.into_parts();
        let body = body.collect().await?.to_bytes();
        self.record(&target, &body, sent);
        Ok(Response::from_parts(head, Body::from(body)))
    }

    /// Returns the target of a request, if the request writes a resource of the ledger.
    fn target(&self, request: &Request<Body>) -> Option<WriteTarget> {
        let method = request.method();
        let is_write = [Method::POST, Method::PUT, Method::PATCH, Method::DELETE].contains(method);
        if !is_write {
            return None;
        }
        let target = WriteTarget::parse(request.uri().path(), *method == Method::DELETE)?;
        let is_recorded = self.resources.read().contains_key(&target.resource);
        is_recorded.then_some(target)
    }

    /// Records a write from the body of its response: an object, a list of deleted objects, or a
    /// `Status` that names a deleted object. The request was sent at `sent`.
    fn record(&self, target: &WriteTarget, body: &[u8], sent: Instant) {
        // The caller parses the response, too, and gets the error.
        let Ok(response) = serde_json::from_slice::<WriteResponse>(body) else {
            return;
        };
        let mut resources = self.resources.write();
        let Some(writes) = resources.get_mut(&target.resource) else {
            return;
        };
        let objects = response.items.into_iter().map(|item| item.metadata);
        for object in objects.chain(Some(response.metadata)) {
            writes.record(target, object, sent);
        }
        if let Some(gone) = response.details.filter(|_| target.is_deletion) {
            writes.record(target, gone.into(), sent);
        }
        writes.evict_shown();
    }
}

impl Writes {
    fn record(&mut self, target: &WriteTarget, object: Metadata, sent: Instant) {
        let Some(name) = object.name else { return };
        let namespace = object.namespace.or_else(|| target.namespace.clone());
        let name = ObjectName::new(namespace.unwrap_or_default(), name);
        if target.is_deletion {
            // `version` stays: if finalizers delay the deletion, the cache has to show the earlier
            // write.
            //
            // `is_gone` may be set by an update that removed the last finalizer, and whose response
            // came before this one. It stays if the uid is the same. Another uid is that of a
            // recreated object: finalizers may delay the deletion of this object.
            let write = self.by_name.entry(name).or_default();
            write.is_gone &= write.deleted == object.uid;
            write.deleted = object.uid;
            write.recorded_at = Some(Instant::now());
            return;
        }
        // A response without a resource version is not a stored object: for example, a review.
        let Some(version) = object.resource_version else {
            return;
        };
        // The responses to two writes of one object may arrive in any order.
        let known = self.by_name.get(&name);
        let known_version = known.and_then(|write| write.version.as_deref());
        if let Some(from) = known_version.filter(|known| is_newer(known, &version)) {
            if known.is_some_and(|known| known.recorded_at >= Some(sent)) {
                return;
            }
            // The API server has answered a later write with a lower version, so versions went
            // back. Caches would never show earlier writes with higher versions.
            tracing::warn!(
                resource = %target.resource, object = %name, from, to = version,
                "resource versions went back, as after a restore of etcd; lost writes are no longer waited for"
            );
            self.forget_newer(&version, sent);
        }
        let known = self.by_name.get(&name);
        let was_deleted = known.is_some_and(|it| it.deleted.is_some() && it.deleted == object.uid);
        // If an update removes the last finalizer of a deleted object, the API server removes the
        // object. The response to such an update still has the old resource version, which the
        // cache may already show. So the deletion is recorded, too.
        let is_gone = object.deletion_timestamp.is_some()
            && object.finalizers.is_empty()
            && object.deletion_grace_period_seconds.unwrap_or_default() == 0;
        let write = Write {
            version: Some(version),
            labels: object.labels,
            deleted: object.uid.filter(|_| is_gone || was_deleted),
            is_gone,
            recorded_at: Some(Instant::now()),
        };
        self.by_name.insert(name, write);
    }

    /// Forgets the writes that were recorded before `time` with a version newer than `latest`.
    fn forget_newer(&mut self, latest: &str, time: Instant) {
        self.by_name.retain(|_, write| {
            let mut version = write.version.iter();
            write.recorded_at >= Some(time) || !version.any(|version| is_newer(version, latest))
        });
    }

    /// If there are more writes than the limit, evicts those that every cache shows.
    fn evict_shown(&mut self) {
        if self.by_name.len() <= self.limit {
            return;
        }
        let caches = &self.caches;
        self.by_name
            .retain(|name, write| !is_shown_by_all(caches, name, write));
        self.limit = MIN_LIMIT.max(self.by_name.len() * 2);
    }
}

/// Returns the request, and whether it is a dry run. `dryRun` may be in the query, or in the
/// `DeleteOptions` in the body of a deletion.
async fn detect_dry_run(request: Request<Body>) -> Result<(Request<Body>, bool), BoxError> {
    let query = request.uri().query().unwrap_or_default();
    let is_dry_run = query.split('&').any(|pair| pair.starts_with("dryRun="));
    if is_dry_run || *request.method() != Method::DELETE {
        return Ok((request, is_dry_run));
    }
    let (head, body) = request.into_parts();
    let body = body.collect().await?.to_bytes();
    let options = serde_json::from_slice::<DeleteOptions>(&body).unwrap_or_default();
    let request = Request::from_parts(head, Body::from(body));
    Ok((request, !options.dry_run.is_empty()))
}

pub(crate) fn is_newer(one: &str, other: &str) -> bool {
    compare_resource_versions(one, other).is_ok_and(Ordering::is_gt)
}

/// Target of a write, from the path of its request.
#[derive(Debug, PartialEq, Eq)]
struct WriteTarget {
    resource: GroupResource,
    namespace: Option<String>,
    is_deletion: bool,
}

impl WriteTarget {
    fn parse(path: &str, is_deletion: bool) -> Option<Self> {
        let mut segments = path.trim_matches('/').split('/');
        let group = match segments.next()? {
            "api" => "",
            "apis" => segments.next()?,
            _ => return None,
        };
        let _version = segments.next()?;
        let rest: Vec<_> = segments.collect();
        let (namespace, resource) = match rest[..] {
            // Paths of namespaces themselves, and of their subresources.
            ["namespaces"] | ["namespaces", _] | ["namespaces", _, "status" | "finalize"] => {
                (None, "namespaces")
            }
            ["namespaces", namespace, resource, ..] => (Some(namespace.to_owned()), resource),
            [resource, ..] => (None, resource),
            [] => return None,
        };
        Some(Self {
            resource: GroupResource {
                group: group.to_owned(),
                resource: resource.to_owned(),
            },
            namespace,
            is_deletion,
        })
    }
}

/// Formats as Kubernetes' `GroupResource`: `deployments.apps`, or `pods` in the core group.
impl fmt::Display for GroupResource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.resource)?;
        if self.group.is_empty() {
            return Ok(());
        }
        write!(f, ".{}", self.group)
    }
}

impl From<&GroupVersionResource> for GroupResource {
    fn from(resource: &GroupVersionResource) -> Self {
        Self {
            group: resource.group.clone(),
            resource: resource.resource.clone(),
        }
    }
}

/// The fields that are read from the body of a deletion.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct DeleteOptions {
    dry_run: Vec<String>,
}

/// The fields that are read from the response to a write.
#[derive(Default, Deserialize)]
#[serde(default)]
struct WriteResponse {
    metadata: Metadata,
    /// Only in a `Status`.
    details: Option<Details>,
    items: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    metadata: Metadata,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Metadata {
    name: Option<String>,
    namespace: Option<String>,
    uid: Option<String>,
    resource_version: Option<String>,
    labels: BTreeMap<String, String>,
    finalizers: Vec<String>,
    deletion_timestamp: Option<String>,
    deletion_grace_period_seconds: Option<i64>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Details {
    name: Option<String>,
    uid: Option<String>,
}

impl From<Details> for Metadata {
    fn from(details: Details) -> Self {
        Self {
            name: details.name,
            uid: details.uid,
            ..Self::default()
        }
    }
}

/// Whether every live cache shows a write.
fn is_shown_by_all(caches: &[Weak<dyn Shows>], name: &ObjectName, write: &Write) -> bool {
    let mut caches = caches.iter().filter_map(Weak::upgrade);
    caches.all(|cache| cache.shows(name, write))
}

#[cfg(test)]
mod tests;
