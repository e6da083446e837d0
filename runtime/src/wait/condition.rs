//! [`for_condition`]: waits until a condition of one object is true, by list and watch.

use std::cmp::Ordering;
use std::ops::ControlFlow;
use std::time::Duration;

use futures::{Stream, StreamExt};
use kube::api::{ListParams, WatchEvent, WatchParams};
use kube::core::Status;
use kube::{Error, Resource};
use serde::de::DeserializeOwned;
use tokio::time::{Instant, sleep, sleep_until};

use super::backoff::Backoff;
use super::jitter;
use crate::cache::{ObjectName, compare_resource_versions};
use crate::client::{RequestTimeoutError, ResponseDeadline, Result, TypedClient};
use crate::object_ref::ObjectRef;
use crate::reflector::{CONFIRM_AFTER, Collection, ListWatchError};

/// Backoff between attempts to list and watch, as in client-go's reflector.
const RELIST_BACKOFF: Backoff = Backoff {
    duration: Duration::from_millis(800),
    factor: 2.0,
    jitter: 1.0,
    steps: u32::MAX,
    cap: Some(Duration::from_secs(30)),
};

/// Requested duration of a watch in seconds. It is short, since the end of a watch shows that its
/// connection is alive.
const WATCH_SECONDS: u32 = 30;
/// How long a watch may exceed the requested duration.
const WATCH_OVERTIME: Duration = Duration::from_secs(10);
/// After a watch that lasted longer than this, the backoff is reset. In client-go, that is after
/// two minutes.
const BACKOFF_RESET_AFTER: Duration = Duration::from_secs(25);
const LIST_TIMEOUT: Duration = Duration::from_secs(60);

/// Watches the object `name` until `condition` is true. Returns the object, or `None` if it does
/// not exist then. While the object does not exist, the condition is called with `None`.
///
/// The object is listed and then watched. There is no timeout: use [`tokio::time::timeout`] to
/// limit the wait.
///
/// # Guarantees
///
/// - **The condition is called with every state of the object after the list, in order.** A watch
///   ends after half a minute, or because the connection is lost. The next watch resumes at the
///   last resource version, even after an outage of the API server. So no state is missed.
/// - **The exception is an expired resource version.** The API server may answer 410 after a
///   restart, or if there was no connection for some minutes. Then the object is listed again. The
///   condition is called with its current state; states in between are missed. The same happens if
///   the API server answers that the version is newer than its own, or if its latest version is
///   lower, since etcd was restored from a backup. Such a server sends nothing to the watch. So if
///   a watch failed and the next one is silent for 5 to 10 s, the latest version is requested.
/// - **Dead connections are detected.** A list times out after 60 s. A watch times out after 40 s,
///   which is 10 s longer than its requested duration.
/// - **The rate of watches is limited.** Watches start at least 0.8 s apart. While attempts fail,
///   or watches soon end without events, this interval grows up to 30 s. Jitter adds up to 100%.
///
/// client-go has two functions that wait for a condition of an object. `Until` observes every
/// state, but fails when the resource version expires. `UntilWithSync` uses an informer, and
/// continues after an expired version, as this function does.
///
/// ```no_run
/// use std::time::Duration;
///
/// use genclient::client::TypedClient;
/// use genclient::wait::{self, conditions};
/// use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1 as apiextensions;
///
/// # async fn example(client: genclient::kube::Client) -> Result<(), Box<dyn std::error::Error>> {
/// let definitions = TypedClient::<apiextensions::CustomResourceDefinition>::cluster(client);
/// let served = wait::for_condition(&definitions, "gputasks.falldio.com", conditions::established);
/// tokio::time::timeout(Duration::from_secs(30), served).await??;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// Errors that a retry cannot fix: an invalid request, a response that cannot be decoded, and the
/// status codes 400, 401, 403, 404 (the kind is not served), 405 and 422. A client of all
/// namespaces is refused, as by every verb on a named object.
///
/// # Cancel safety
///
/// The future only reads. Dropping it ends the watch.
pub async fn for_condition<K>(
    client: &TypedClient<K>,
    name: &str,
    condition: impl Fn(Option<&K>) -> bool,
) -> Result<Option<K>>
where
    K: Resource + Clone + DeserializeOwned + Send + 'static,
{
    // Returns an error for an invalid client or name, as every request for a named object does.
    client.object_request(Some(name), None)?;
    let mut wait = ConditionWait {
        client,
        name,
        field_selector: format!("metadata.name={name}"),
        condition,
        version: None,
        is_unconfirmed: false,
        backoff: RELIST_BACKOFF,
    };
    loop {
        let begun = Instant::now();
        match wait.list_and_watch().await {
            Ok(ControlFlow::Break(object)) => return Ok(object),
            Ok(ControlFlow::Continue(())) => {
                wait.is_unconfirmed |= begun.elapsed() <= BACKOFF_RESET_AFTER
            }
            Err(error) if is_permanent(&error) => return Err(error),
            Err(error) => {
                wait.is_unconfirmed = true;
                wait.log_failure(&error);
            }
        }
        if begun.elapsed() > BACKOFF_RESET_AFTER {
            wait.backoff = RELIST_BACKOFF;
        }
        // The pause counts from the start of the attempt, so there is none after a watch that
        // lasted minutes.
        sleep_until(begun + wait.backoff.step()).await;
    }
}

struct ConditionWait<'a, K: Resource, F> {
    client: &'a TypedClient<K>,
    name: &'a str,
    /// Field selector of the object.
    field_selector: String,
    condition: F,
    /// Resource version at which the next watch resumes; `None` if a list is needed.
    version: Option<String>,
    /// Whether `version` may be newer than the latest of the API server, since a watch failed or
    /// ended early, and none has sent an event since.
    is_unconfirmed: bool,
    backoff: Backoff,
}

impl<K, F> ConditionWait<'_, K, F>
where
    K: Resource + Clone + DeserializeOwned + Send + 'static,
    F: Fn(Option<&K>) -> bool,
{
    /// Lists if needed, then watches. Breaks with the result of [`for_condition`], or continues if
    /// the watch ended before the condition was true.
    async fn list_and_watch(&mut self) -> Result<ControlFlow<Option<K>>> {
        let version = match self.version.clone() {
            Some(version) => version,
            None => {
                let (object, version) = self.list().await?;
                if (self.condition)(object.as_ref()) {
                    return Ok(ControlFlow::Break(object));
                }
                self.is_unconfirmed = false;
                self.version.insert(version).clone()
            }
        };
        let watch = WatchParams::default()
            .fields(&self.field_selector)
            .timeout(WATCH_SECONDS);
        let deadline =
            ResponseDeadline::after(Duration::from_secs(WATCH_SECONDS.into()) + WATCH_OVERTIME);
        let mut events = deadline
            .in_time(self.client.watch(&watch, &version))
            .await
            .map_err(timeout_error)??;
        while let Some(event) = deadline
            .in_time(self.next_event(&mut events))
            .await
            .map_err(timeout_error)??
        {
            if !matches!(event, WatchEvent::Error(_)) {
                self.backoff = RELIST_BACKOFF;
                self.is_unconfirmed = false;
            }
            let object = match event {
                WatchEvent::Added(new) | WatchEvent::Modified(new) => {
                    self.resume_after(new.meta().resource_version.as_deref());
                    Some(new)
                }
                WatchEvent::Deleted(last) => {
                    self.resume_after(last.meta().resource_version.as_deref());
                    None
                }
                WatchEvent::Bookmark(bookmark) => {
                    self.resume_after(Some(&bookmark.metadata.resource_version));
                    continue;
                }
                WatchEvent::Error(status) => return Err(Error::Api(status)),
            };
            if (self.condition)(object.as_ref()) {
                return Ok(ControlFlow::Break(object));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Returns the next event of a watch. Returns `None` when the watch has ended, and when the
    /// object has to be listed again, since resource versions went back.
    async fn next_event(
        &mut self,
        events: &mut (impl Stream<Item = Result<WatchEvent<K>>> + Unpin),
    ) -> Result<Option<WatchEvent<K>>> {
        while self.is_unconfirmed {
            let latest = tokio::select! {
                biased;
                event = events.next() => return event.transpose(),
                latest = self.latest_version_after_pause() => latest,
            };
            match latest {
                Ok(latest)
                    if is_older_version(&latest, self.version.as_deref().unwrap_or_default()) =>
                {
                    self.version = None;
                    return Ok(None);
                }
                Ok(_) => self.is_unconfirmed = false,
                // The watch may be healthy. If the check would fail again, it is not repeated.
                Err(error) => self.is_unconfirmed = !error.is_permanent_failure(),
            }
        }
        events.next().await.transpose()
    }

    /// Waits until a check is due. Returns the latest resource version of the API server.
    async fn latest_version_after_pause(&self) -> Result<String, ListWatchError> {
        sleep(jitter(CONFIRM_AFTER, 1.0)).await;
        let collection = Collection::<K> {
            client: self.client.client(),
            types: self.client.types(),
            namespace: self.client.namespace(),
            fields: Some(&self.field_selector),
        };
        collection.latest_version().await
    }

    /// Returns the object, or `None` if it does not exist, and the resource version of the list.
    async fn list(&self) -> Result<(Option<K>, String)> {
        let selected = ListParams::default().fields(&self.field_selector);
        let deadline = ResponseDeadline::after(LIST_TIMEOUT);
        let list = deadline
            .in_time(self.client.list(&selected))
            .await
            .map_err(timeout_error)??;
        let mut items = list.items.into_iter();
        let object = items.find(|item| item.meta().name.as_deref() == Some(self.name));
        Ok((object, list.metadata.resource_version.unwrap_or_default()))
    }

    fn resume_after(&mut self, version: Option<&str>) {
        if let Some(version) = version.filter(|version| !version.is_empty()) {
            self.version = Some(version.to_owned());
        }
    }

    /// Logs a failure that is retried. If the resource version is unavailable, the object is listed
    /// again.
    fn log_failure(&mut self, error: &Error) {
        let namespace = self.client.namespace().unwrap_or_default();
        let object = ObjectRef::<K> {
            types: self.client.types(),
            name: &ObjectName::new(namespace, self.name),
        };
        tracing::debug!(
            "object.ref" = %object,
            resource_version = self.version,
            error = error as &dyn std::error::Error,
            "cannot get or watch the object; retrying"
        );
        if matches!(error, Error::Api(status) if is_unavailable_version(status)) {
            self.version = None;
        }
    }
}

fn is_older_version(version: &str, other: &str) -> bool {
    compare_resource_versions(version, other).is_ok_and(Ordering::is_lt)
}

/// Whether the resource version is expired, or newer than the API server's watch cache.
fn is_unavailable_version(status: &Status) -> bool {
    let mut causes = status.details.iter().flat_map(|details| &details.causes);
    status.code == 410 || causes.any(|cause| cause.reason == "ResourceVersionTooLarge")
}

fn is_permanent(error: &Error) -> bool {
    match error {
        Error::Api(status) => matches!(status.code, 400 | 401 | 403 | 404 | 405 | 422),
        Error::BuildRequest(_) | Error::SerdeError(_) | Error::HttpError(_) => true,
        _ => false,
    }
}

/// Converts a timeout into the error that kube's client would return.
fn timeout_error(error: RequestTimeoutError) -> Error {
    Error::Service(error.into())
}
