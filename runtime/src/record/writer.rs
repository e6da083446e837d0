//! Event writer for both APIs: creates or patches one event, with retries (client-go,
//! `recordToSink` in `tools/record/event.go` and `recordToSink` in
//! `tools/events/event_broadcaster.go`).

use std::fmt::Debug;
use std::time::Duration;

use k8s_openapi::api::core::v1::ObjectReference;
use kube::api::{ObjectMeta, Patch, PatchParams, PostParams};
use kube::core::Status;
use kube::{Client, Error, Resource};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::client::TypedClient;

pub(super) const MAX_TRIES: u32 = 12;

/// Pause between two tries, which [`EventObject::pause`] varies at random.
pub(super) const RETRY_INTERVAL: Duration = Duration::from_secs(10);

/// Timeout of one try. kube's client has no read timeout, and a lost connection must not block all
/// events.
pub(super) const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);

/// An event of one of the APIs.
pub(super) trait EventObject:
    Resource<DynamicType = ()> + Clone + Debug + Serialize + DeserializeOwned + Send + 'static
{
    /// Returns the object that the event is about, and the reason.
    fn about(&self) -> (Option<&ObjectReference>, Option<&str>);

    /// Returns the pause after `tries` tries. At least the first pause is random, so that
    /// controllers do not retry at the same time.
    fn pause(tries: u32) -> Duration;
}

pub(super) struct EventWriter {
    pub(super) client: Client,
    /// Cancelled at shutdown. After that, every event gets one more try.
    pub(super) stop: CancellationToken,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NotWritten {
    /// The server rejected the event permanently.
    Refused,
    /// The server was unreachable in every try.
    GivenUp,
    /// The broadcaster was shut down while the server was unreachable.
    Stopped,
}

#[derive(Debug, thiserror::Error)]
enum WriteError {
    #[error("the API server rejected the event")]
    Rejected(#[source] Error),
    /// No response, a response that cannot be decoded, or 429.
    #[error("the request failed")]
    Failed(#[source] Error),
    #[error("the API server did not respond in time")]
    TimedOut,
    /// The patch found no event, and the create found one.
    #[error("the event was created concurrently")]
    Raced,
}

impl EventWriter {
    /// Creates the event. If there is a patch and the server still has the event, patches it
    /// instead. While the server is unreachable, tries up to `max_tries` times. Returns the stored
    /// event.
    pub(super) async fn write<K: EventObject>(
        &self,
        event: &K,
        patch: Option<&Value>,
        max_tries: u32,
    ) -> Result<K, NotWritten> {
        for tries in 1..=max_tries {
            let last_chance = self.stop.is_cancelled();
            match self.send(event, patch, tries).await {
                Ok(event) => return Ok(event),
                Err(WriteError::Rejected(error)) => {
                    log_rejection(event, &error);
                    return Err(NotWritten::Refused);
                }
                Err(error) => log_failure(event, &error, tries, max_tries),
            }
            if last_chance {
                return Err(NotWritten::Stopped);
            }
            if tries < max_tries {
                tokio::select! {
                    () = sleep(K::pause(tries)) => {}
                    () = self.stop.cancelled() => {}
                }
            }
        }
        Err(NotWritten::GivenUp)
    }

    async fn send<K: EventObject>(
        &self,
        event: &K,
        patch: Option<&Value>,
        tries: u32,
    ) -> Result<K, WriteError> {
        match timeout(REQUEST_TIMEOUT, self.patch_or_create(event, patch)).await {
            Ok(Ok(event)) => Ok(event),
            Ok(Err(error)) if is_already_exists(&error) && patch.is_some() => {
                Err(WriteError::Raced)
            }
            // An earlier try succeeded, but its response was lost.
            Ok(Err(error)) if is_already_exists(&error) && tries > 1 => Ok(event.clone()),
            Ok(Err(error)) if is_final(&error) => Err(WriteError::Rejected(error)),
            Ok(Err(error)) => Err(WriteError::Failed(error)),
            Err(_) => Err(WriteError::TimedOut),
        }
    }

    async fn patch_or_create<K: EventObject>(
        &self,
        event: &K,
        patch: Option<&Value>,
    ) -> Result<K, Error> {
        let ObjectMeta {
            name, namespace, ..
        } = event.meta();
        let namespace = namespace.as_deref().unwrap_or_default();
        let events = TypedClient::<K>::namespaced(self.client.clone(), namespace);
        if let Some(patch) = patch {
            let name = name.as_deref().unwrap_or_default();
            let patch = Patch::Strategic(patch);
            match events.patch(name, &patch, &PatchParams::default()).await {
                // Events expire on the server, by default after an hour.
                Err(Error::Api(status)) if status.is_not_found() || status.code == 404 => {}
                result => return result,
            }
        }
        let mut event = event.clone();
        event.meta_mut().resource_version = None;
        events.create(&event, &PostParams::default()).await
    }
}

fn is_already_exists(error: &Error) -> bool {
    matches!(error, Error::Api(status) if status.is_already_exists())
}

/// Whether `error` is final, so that the request is not retried.
///
/// As in client-go, error responses of the API server are final, even 5xx. After 429, the request
/// is repeated, since the server has not processed the event. In client-go, it is the REST client
/// that repeats it.
pub(super) fn is_final(error: &Error) -> bool {
    match error {
        Error::Api(status) => status.code != 429,
        Error::BuildRequest(_) | Error::HttpError(_) => true,
        _ => false,
    }
}

/// Logs a rejection as an error. Two expected reasons are logged at level `DEBUG`: the namespace is
/// terminating, or an event of the same name exists, because two events about one object were
/// recorded in the same nanosecond.
fn log_rejection(event: &impl EventObject, error: &Error) {
    let (object, reason) = event.about();
    let namespace = object.and_then(|object| object.namespace.as_deref());
    let name = object.and_then(|object| object.name.as_deref());
    if let Error::Api(status) = error
        && is_expected(status)
    {
        let error = &*status.message;
        tracing::debug!(namespace, name, reason, error, "server rejected event");
    } else {
        let error = message_with_hint(error, namespace);
        tracing::error!(
            namespace,
            name,
            reason,
            error,
            "server rejected event; not retrying"
        );
    }
}

/// Returns the message of `error`. For 403, adds the RBAC rule to grant.
fn message_with_hint(error: &Error, namespace: Option<&str>) -> String {
    match error {
        Error::Api(status) if status.code == 403 => format!(
            "{}; grant it through {} with the rule {{apiGroups: [\"\", \"events.k8s.io\"], \
             resources: [\"events\"], verbs: [\"create\", \"patch\"]}}",
            status.message,
            describe_role(namespace),
        ),
        Error::Api(status) => status.message.clone(),
        error => error.to_string(),
    }
}

/// Returns the kind of role that needs the RBAC rule, as part of a message. Events about
/// cluster-scoped objects are in `default`.
fn describe_role(namespace: Option<&str>) -> String {
    let namespace = namespace.unwrap_or("default");
    format!("a Role in namespace `{namespace}`, or a ClusterRole for all namespaces,")
}

fn is_expected(status: &Status) -> bool {
    let mut causes = status.details.iter().flat_map(|details| &details.causes);
    status.is_already_exists() || causes.any(|cause| cause.reason == "NamespaceTerminating")
}

fn log_failure(event: &impl EventObject, error: &WriteError, tries: u32, max_tries: u32) {
    let (object, reason) = event.about();
    let namespace = object.and_then(|object| object.namespace.as_deref());
    let name = object.and_then(|object| object.name.as_deref());
    let cause = std::error::Error::source(error).map(ToString::to_string);
    if tries < max_tries {
        tracing::warn!(
            namespace,
            name,
            reason,
            tries,
            cause,
            "unable to write event; retrying: {error}"
        );
    } else {
        tracing::error!(
            namespace,
            name,
            reason,
            tries,
            cause,
            "unable to write event; retry limit exceeded: {error}"
        );
    }
}
