//! Requests of a reflector: lists and watches of one collection.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use http::HeaderValue;
use http::header::ACCEPT_ENCODING;
use kube::client::Body;
use kube::core::params::{ListParams, VersionMatch, WatchParams};
use kube::core::{Request, Resource};
use kube::{Client, Error};

use super::error::ListWatchError;
use super::metrics::ReflectorMetrics;
use super::outage::Outage;
use crate::client::path::{add_parameter, add_shard_selector, collection_path};
use crate::client::{self, NotRetried, ShardSelector, Unpinged, read_error_status};

/// Timeout for the response to a list, and for silence in its body.
pub(super) const LIST_PATIENCE: Duration = Duration::from_secs(60);

/// Selectors of the cached objects. The API server evaluates them and does not send other objects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Selectors {
    /// A label selector, for example `app=web,tier!=cache`.
    pub labels: Option<String>,
    /// A field selector, for example `spec.nodeName=worker-1`.
    pub fields: Option<String>,
    /// A shard selector. An API server without the feature gate `ShardedListAndWatch` ignores it.
    pub shards: Option<ShardSelector>,
}

#[derive(Clone, Debug)]
pub(crate) struct ReflectorOptions {
    pub(crate) selectors: Selectors,
    /// Number of objects in one page. `None` means 500, or no pages if the API server would bypass
    /// its watch cache because of a limit.
    pub(crate) page_size: Option<u32>,
    /// Whether the initial list is streamed, if the API server supports it.
    pub(crate) watch_list: bool,
    pub(crate) keep_managed_fields: bool,
    /// Whether the annotation in which `kubectl apply` stores the applied object is removed.
    pub(crate) drop_last_applied: bool,
    /// Whether objects are copied to free the spare capacity of their vectors and strings.
    pub(crate) shrink_to_fit: bool,
    /// Minimum duration of a watch; each watch lasts up to twice as long.
    pub(crate) min_watch_timeout: Duration,
    /// How long watches of a failing server are retried before the reflector relists.
    pub(crate) max_internal_error_retry: Duration,
}

impl Default for ReflectorOptions {
    fn default() -> Self {
        Self {
            selectors: Selectors::default(),
            page_size: None,
            watch_list: true,
            keep_managed_fields: false,
            drop_last_applied: false,
            shrink_to_fit: false,
            min_watch_timeout: Duration::from_secs(5 * 60),
            max_internal_error_retry: Duration::from_secs(30),
        }
    }
}

/// The collection that a reflector mirrors.
pub(super) struct ListWatchTarget<K: Resource> {
    pub(super) client: Client,
    pub(super) types: K::DynamicType,
    /// `None` for all namespaces, or for a cluster-scoped kind.
    pub(super) namespace: Option<String>,
    pub(super) selectors: Selectors,
    pub(super) metrics: Option<Arc<ReflectorMetrics>>,
    pub(super) outage: Arc<Outage>,
    /// Whether the last response came over a connection without pings.
    pub(super) unpinged: AtomicBool,
}

/// Parameters of one page of a list.
#[derive(Clone, Copy, Debug)]
pub(super) struct Page<'a> {
    /// Lists this resource version or a newer one. `"0"` means any version in the watch cache, and
    /// an empty string the latest.
    pub(super) version: &'a str,
    pub(super) limit: Option<u32>,
    pub(super) continue_token: Option<&'a str>,
}

impl<K: Resource> ListWatchTarget<K> {
    pub(super) async fn list(&self, page: Page<'_>) -> Result<Body, ListWatchError> {
        let request = self.list_request(page).map_err(ListWatchError::Request)?;
        self.send(request, LIST_PATIENCE).await
    }

    /// Opens a watch that the API server ends after `timeout`. With `initial_events`, the server
    /// first sends the current objects. The call fails if the response does not begin within
    /// `patience`.
    pub(super) async fn watch(
        &self,
        version: &str,
        timeout: Duration,
        initial_events: bool,
        patience: Duration,
    ) -> Result<Body, ListWatchError> {
        let params = WatchParams {
            label_selector: self.selectors.labels.clone(),
            field_selector: self.selectors.fields.clone(),
            timeout: Some(u32::try_from(timeout.as_secs()).unwrap_or(u32::MAX)),
            bookmarks: true,
            send_initial_events: initial_events,
        };
        let request = self.request().map_err(ListWatchError::Request)?;
        let request = if K::metadata_api() {
            request.watch_metadata(&params, version)
        } else {
            request.watch(&params, version)
        };
        let mut request = request
            .map_err(Error::BuildRequest)
            .map_err(ListWatchError::Request)?;
        self.add_shards(&mut request)
            .map_err(ListWatchError::Request)?;
        // Disables compression, which works in blocks: an event would be delayed until its block is
        // full.
        let headers = request.headers_mut();
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        self.send(request, patience).await
    }

    fn list_request(&self, page: Page<'_>) -> client::Result<http::Request<Vec<u8>>> {
        let continues = page.continue_token.is_some();
        let any_version = page.version == "0" && !continues;
        let stated = (!page.version.is_empty() && !continues).then_some(page.version);
        // With a limit and no version match, the API server lists at exactly this version. The
        // version may be older than the history in the watch cache, and a watch from the list would
        // then fail with 410. `NotOlderThan` prevents this.
        let version_match = stated
            .filter(|_| page.limit.is_some() && !any_version)
            .map(|_| VersionMatch::NotOlderThan);
        let params = ListParams {
            label_selector: self.selectors.labels.clone(),
            field_selector: self.selectors.fields.clone(),
            limit: page.limit.filter(|_| !any_version),
            continue_token: page.continue_token.map(str::to_owned),
            resource_version: stated.map(str::to_owned),
            version_match,
            ..ListParams::default()
        };
        let request = self.request()?;
        let request = if K::metadata_api() {
            request.list_metadata(&params)
        } else {
            request.list(&params)
        };
        let mut request = request.map_err(Error::BuildRequest)?;
        self.add_shards(&mut request)?;
        // kube omits version "0" from a request with a limit. Without the version, the server might
        // bypass its watch cache. So the limit is added here, after kube has built the request.
        // client-go sends both, too. A server that answers from its watch cache ignores the limit;
        // any other server returns pages.
        if let (true, Some(limit)) = (any_version, page.limit) {
            add_parameter(&mut request, "limit", &limit.to_string())?;
        }
        Ok(request)
    }

    fn add_shards(&self, request: &mut http::Request<Vec<u8>>) -> client::Result<()> {
        match &self.selectors.shards {
            Some(shards) => add_shard_selector(request, shards),
            None => Ok(()),
        }
    }

    fn request(&self) -> client::Result<Request> {
        let path = collection_path::<K>(&self.types, self.namespace.as_deref())?;
        Ok(Request::new(path))
    }

    /// Whether silence of the API server may mean a dead connection, which no ping detects.
    pub(super) fn is_unpinged(&self) -> bool {
        self.unpinged.load(Ordering::Relaxed)
    }

    async fn send(
        &self,
        request: http::Request<Vec<u8>>,
        patience: Duration,
    ) -> Result<Body, ListWatchError> {
        let response = send(&self.client, request, patience)
            .await
            .inspect_err(|error| self.note(error))?;
        self.outage.answered(response.status().as_u16());
        let unpinged = response.extensions().get::<Unpinged>();
        self.unpinged.store(unpinged.is_some(), Ordering::Relaxed);
        Ok(response.into_body())
    }

    /// Notes what an error says about an outage.
    pub(super) fn note(&self, error: &ListWatchError) {
        if error.is_out_of_reach() {
            self.outage.unanswered();
        } else if let Some(code) = error.code() {
            self.outage.answered(code);
        }
    }
}

/// Returns a request for at most one object, at the latest resource version.
pub(super) fn one_object<K: Resource>(
    types: &K::DynamicType,
    namespace: Option<&str>,
    fields: Option<&str>,
) -> client::Result<http::Request<Vec<u8>>> {
    let params = ListParams {
        field_selector: fields.map(str::to_owned),
        limit: Some(1),
        ..ListParams::default()
    };
    let request = Request::new(collection_path::<K>(types, namespace)?);
    let request = if K::metadata_api() {
        request.list_metadata(&params)
    } else {
        request.list(&params)
    };
    request.map_err(Error::BuildRequest)
}

/// Sends a request, and returns a successful response.
pub(super) async fn send(
    client: &Client,
    request: http::Request<Vec<u8>>,
    patience: Duration,
) -> Result<http::Response<Body>, ListWatchError> {
    let mut request = request.map(Body::from);
    // During an outage, `Outage` limits the attempts of a factory's reflectors. Retries by the
    // client would exceed this limit.
    request.extensions_mut().insert(NotRetried);
    let answer = tokio::time::timeout(patience, client.send(request))
        .await
        .map_err(|_| ListWatchError::Unanswered(patience))?;
    let response = answer.map_err(ListWatchError::Request)?;
    if response.status().is_success() {
        return Ok(response);
    }
    Err(ListWatchError::Status(Box::new(
        read_error_status(response).await,
    )))
}
