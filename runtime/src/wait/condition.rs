//! Watching one object until it is as wanted.

use std::time::Duration;

use futures::StreamExt;
use kube::api::{ListParams, WatchEvent, WatchParams};
use kube::core::Status;
use kube::{Error, Resource};
use serde::de::DeserializeOwned;
use tokio::time::{Instant, sleep_until};

use super::backoff::Backoff;
use crate::cache::ObjectName;
use crate::client::{Moment, RequestTimeoutError, Result, TypedClient};
use crate::object_ref::ObjectRef;

/// Between two lists: client-go's pauses of a reflector.
const RELIST: Backoff = Backoff {
    duration: Duration::from_millis(800),
    factor: 2.0,
    jitter: 1.0,
    steps: u32::MAX,
    cap: Some(Duration::from_secs(30)),
};

/// How long the API server is asked to watch, in seconds: as long as kube asks for.
const WATCH_SECONDS: u32 = 290;
/// How long past that a watch is listened to.
const OVERTIME: Duration = Duration::from_secs(30);
/// A watch that lasted longer was healthy, and pauses begin at the first one again: client-go's.
const RESET_AFTER: Duration = Duration::from_secs(120);
/// How long a list may take.
const LIST_PATIENCE: Duration = Duration::from_secs(60);

/// Watches the object `name` until `condition` is true of it, and returns it; `None` if it is not there then. The condition
/// gets `None` while the object is not there.
///
/// The object is listed once, and then watched. There is no limit: put the future into [`tokio::time::timeout`].
///
/// # Guarantees
///
/// - **The condition gets every state that the object is in after the list, in order**: when a watch ends, after some minutes or since
///   the connection broke, the next one begins where it ended, also while the API server cannot answer for a while. So a state is not
///   missed because another one followed soon.
/// - **But for what the API server itself has forgotten.** When it says that the resource version is too old (410), as it may after some
///   minutes without a connection or when it was restarted, the object is listed anew: the condition gets what it is then, and not what
///   it was in between.
/// - **A connection that dies in silence is noticed**: a list is given up after a minute, a watch half a minute after the end that was
///   agreed on, which is after 5 minutes and 20 seconds.
/// - A watch begins at the earliest a second or two after the one before it; failures in a row make that up to half a minute, and
///   longer by chance.
///
/// client-go has two functions for that: `Until` sees every state and fails when the API server has forgotten, `UntilWithSync` goes on
/// then with an informer, as this does.
///
/// ```no_run
/// use std::time::Duration;
///
/// use genclient::client::TypedClient;
/// use genclient::wait::{self, conditions};
/// use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
///
/// # async fn example(client: genclient::kube::Client) -> Result<(), Box<dyn std::error::Error>> {
/// let definitions = TypedClient::<CustomResourceDefinition>::cluster(client);
/// let served = wait::for_condition(&definitions, "gputasks.falldio.com", conditions::established);
/// tokio::time::timeout(Duration::from_secs(30), served).await??;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// What time does not mend: a request that cannot be made, an answer that cannot be read, and the
/// answers 400, 401, 403, 404 (the kind is not served), 405 and 422. A client of all namespaces is
/// refused, as by every verb that names an object: the name may be that of several objects.
///
/// # Cancel safety
///
/// Reads only. Dropping the future ends the watch.
pub async fn for_condition<K>(
    client: &TypedClient<K>,
    name: &str,
    condition: impl Fn(Option<&K>) -> bool,
) -> Result<Option<K>>
where
    K: Resource + Clone + DeserializeOwned + Send + 'static,
{
    // The checks of every request that names an object.
    client.object_request(Some(name), None)?;
    let mut looking = Looking {
        client,
        name,
        only: format!("metadata.name={name}"),
        condition,
        version: None,
        backoff: RELIST,
    };
    loop {
        let begun = Instant::now();
        match looking.look().await {
            Ok(Some(found)) => return Ok(found),
            // The watch has ended.
            Ok(None) => {}
            Err(error) if is_final(&error) => return Err(error),
            Err(error) => looking.note(&error),
        }
        if begun.elapsed() > RESET_AFTER {
            looking.backoff = RELIST;
        }
        // Counted from the beginning, so that a watch that lasted for minutes is followed at once.
        sleep_until(begun + looking.backoff.step()).await;
    }
}

/// A wait that goes on.
struct Looking<'a, K: Resource, F> {
    client: &'a TypedClient<K>,
    name: &'a str,
    /// Selects the object alone.
    only: String,
    condition: F,
    /// Everything up to it has been seen; `None` if that has to be listed.
    version: Option<String>,
    backoff: Backoff,
}

impl<K, F> Looking<'_, K, F>
where
    K: Resource + Clone + DeserializeOwned + Send + 'static,
    F: Fn(Option<&K>) -> bool,
{
    /// Lists if need be, and watches. `None` if the watch ended without what was waited for.
    async fn look(&mut self) -> Result<Option<Option<K>>> {
        let version = match self.version.clone() {
            Some(version) => version,
            None => {
                let (object, version) = self.list().await?;
                if (self.condition)(object.as_ref()) {
                    return Ok(Some(object));
                }
                self.version.insert(version).clone()
            }
        };
        let watch = WatchParams::default().fields(&self.only);
        let watch = watch.timeout(WATCH_SECONDS);
        let ends = Moment::after(Duration::from_secs(WATCH_SECONDS.into()) + OVERTIME);
        let mut events = ends
            .in_time(self.client.watch(&watch, &version))
            .await
            .map_err(late)??;
        while let Some(event) = ends.in_time(events.next()).await.map_err(late)? {
            let event = event?;
            if !matches!(event, WatchEvent::Error(_)) {
                self.backoff = RELIST;
            }
            let object = match event {
                WatchEvent::Added(new) | WatchEvent::Modified(new) => {
                    self.has_seen(new.meta().resource_version.as_deref());
                    Some(new)
                }
                WatchEvent::Deleted(last) => {
                    self.has_seen(last.meta().resource_version.as_deref());
                    None
                }
                WatchEvent::Bookmark(bookmark) => {
                    self.has_seen(Some(&bookmark.metadata.resource_version));
                    continue;
                }
                WatchEvent::Error(status) => return Err(Error::Api(status)),
            };
            if (self.condition)(object.as_ref()) {
                return Ok(Some(object));
            }
        }
        Ok(None)
    }

    /// The object, if it is there, and the version of the list.
    async fn list(&self) -> Result<(Option<K>, String)> {
        let only = ListParams::default().fields(&self.only);
        let ends = Moment::after(LIST_PATIENCE);
        let list = ends
            .in_time(self.client.list(&only))
            .await
            .map_err(late)??;
        let mut items = list.items.into_iter();
        let object = items.find(|item| item.meta().name.as_deref() == Some(self.name));
        Ok((object, list.metadata.resource_version.unwrap_or_default()))
    }

    fn has_seen(&mut self, version: Option<&str>) {
        if let Some(version) = version.filter(|version| !version.is_empty()) {
            self.version = Some(version.to_owned());
        }
    }

    /// What failed may mend; a version that is not there does not come back.
    fn note(&mut self, error: &Error) {
        let namespace = self.client.namespace().unwrap_or_default();
        let object = ObjectRef::<K> {
            types: self.client.types(),
            name: &ObjectName::new(namespace, self.name),
        };
        tracing::debug!(
            "object.ref" = %object,
            resource_version = self.version,
            error = error as &dyn std::error::Error,
            "cannot look at the object for now"
        );
        if matches!(error, Error::Api(status) if is_unavailable_version(status)) {
            self.version = None;
        }
    }
}

/// Whether the API server no longer has, or does not have yet, what a watch is to begin with.
fn is_unavailable_version(status: &Status) -> bool {
    let mut causes = status.details.iter().flat_map(|details| &details.causes);
    status.code == 410 || causes.any(|cause| cause.reason == "ResourceVersionTooLarge")
}

fn is_final(error: &Error) -> bool {
    match error {
        Error::Api(status) => matches!(status.code, 400 | 401 | 403 | 404 | 405 | 422),
        Error::BuildRequest(_) | Error::SerdeError(_) | Error::HttpError(_) => true,
        _ => false,
    }
}

/// The error that a client with a timeout has.
fn late(error: RequestTimeoutError) -> Error {
    Error::Service(error.into())
}
