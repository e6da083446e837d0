//! What is asked for, and how it is sent.

use std::sync::Arc;
use std::time::Duration;

use http::HeaderValue;
use http::header::ACCEPT_ENCODING;
use kube::client::Body;
use kube::core::params::{ListParams, VersionMatch, WatchParams};
use kube::core::{Request, Resource, request};
use kube::{Client, Error};

use super::error::ListWatchError;
use super::meter::ReflectorMeter;
use super::outage::Outage;
use crate::client::path::collection;
use crate::client::{self, NotRetried, refusal};

/// How long the answer to a list may take to begin, and to go on.
pub(super) const LIST_PATIENCE: Duration = Duration::from_secs(60);

/// Which objects of a kind a cache holds. The API server selects; the others are never sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Selectors {
    /// A label selector, say `app=web,tier!=cache`.
    pub labels: Option<String>,
    /// A field selector, say `spec.nodeName=worker-1`.
    pub fields: Option<String>,
}

/// How a reflector lists and watches.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    pub(crate) selectors: Selectors,
    /// Objects in one answer; `None` is 500, where paging does not keep the API server from answering from its cache.
    pub(crate) page_size: Option<u32>,
    /// Whether the first state is streamed, where the API server can do it.
    pub(crate) watch_list: bool,
    /// Whether objects keep `metadata.managedFields`.
    pub(crate) keep_managed_fields: bool,
    /// Whether objects lose what `kubectl apply` keeps in an annotation.
    pub(crate) drop_last_applied: bool,
    /// Whether objects are copied into as little memory as holds them.
    pub(crate) shrink_to_fit: bool,
    /// A watch lasts this long, or up to twice as long.
    pub(crate) min_watch_timeout: Duration,
    /// How long a server that fails is asked to watch before it is asked to list.
    pub(crate) max_internal_error_retry: Duration,
}

impl Default for Options {
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
pub(super) struct Target<K: Resource> {
    pub(super) client: Client,
    pub(super) types: K::DynamicType,
    /// `None` is all of them, or the cluster.
    pub(super) namespace: Option<String>,
    pub(super) selectors: Selectors,
    pub(super) meter: Option<Arc<ReflectorMeter>>,
    pub(super) outage: Arc<Outage>,
}

/// Where a list begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Page<'a> {
    /// At least this resource version; `"0"` is any that the API server has at hand, empty is the latest.
    pub(super) version: &'a str,
    pub(super) limit: Option<u32>,
    pub(super) continue_token: Option<&'a str>,
}

impl<K: Resource> Target<K> {
    pub(super) async fn list(&self, page: Page<'_>) -> Result<Body, ListWatchError> {
        let request = self.list_request(page).map_err(ListWatchError::Request)?;
        self.send(request, LIST_PATIENCE).await
    }

    /// Opens a watch that the API server ends after `timeout`; with `initial_events`, it sends the current state first.
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
        let request = request.map_err(Error::BuildRequest);
        let mut request = request.map_err(ListWatchError::Request)?;
        // A compressed stream is decoded in blocks, and events would wait for their block to fill.
        let headers = request.headers_mut();
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        self.send(request, patience).await
    }

    fn list_request(&self, page: Page<'_>) -> client::Result<http::Request<Vec<u8>>> {
        let continues = page.continue_token.is_some();
        let any_version = page.version == "0" && !continues;
        let stated = (!page.version.is_empty() && !continues).then_some(page.version);
        // With a limit and no word on what else would do, the API server lists at the very version. A watch cannot go on from one that
        // is older than its memory, however often it is listed.
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
        // kube drops version "0" where there is a limit, and with it the leave to answer from memory. client-go sends both: a
        // server that answers from memory ignores the limit, one that does not honours it.
        if let (true, Some(limit)) = (any_version, page.limit) {
            let uri = format!("{}&limit={limit}", request.uri());
            *request.uri_mut() = uri.parse().map_err(|error: http::uri::InvalidUri| {
                Error::BuildRequest(request::Error::BuildRequest(error.into()))
            })?;
        }
        Ok(request)
    }

    fn request(&self) -> client::Result<Request> {
        let path = collection::<K>(&self.types, self.namespace.as_deref())?;
        Ok(Request::new(path))
    }

    async fn send(
        &self,
        request: http::Request<Vec<u8>>,
        patience: Duration,
    ) -> Result<Body, ListWatchError> {
        let mut request = request.map(Body::from);
        // What follows an answer is decided here, for all reflectors of a factory.
        request.extensions_mut().insert(NotRetried);
        let answer = self.client.send(request);
        let answer = tokio::time::timeout(patience, answer).await;
        let answer = answer.map_err(|_| ListWatchError::Unanswered(patience))?;
        let response = answer.map_err(|error| {
            let error = ListWatchError::Request(error);
            if error.is_out_of_reach() {
                self.outage.unanswered();
            }
            error
        })?;
        self.outage.answered(response.status().as_u16());
        if response.status().is_success() {
            return Ok(response.into_body());
        }
        Err(ListWatchError::Status(Box::new(refusal(response).await)))
    }
}
