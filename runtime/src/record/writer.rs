//! Correlates one event after the other and writes the result, as often as it takes.

use std::time::Duration;

use k8s_openapi::api::core::v1::Event;
use k8s_openapi::jiff::Timestamp;
use kube::api::{Api, Patch, PatchParams, PostParams};
use kube::core::Status;
use kube::{Client, Error};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::CorrelatorOptions;
use super::correlator::{Correlated, Correlator};
use super::name::random_part;

/// How often an event is sent before it is given up.
const MAX_TRIES: u32 = 12;

/// How long to wait between two tries; before the second a random part of it, so that controllers do not return together.
const SLEEP: Duration = Duration::from_secs(10);

/// How long one try may take. kube's client has no such limit, and a lost connection must not stop all events.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);

pub(super) struct Writer {
    client: Client,
    correlator: Correlator,
    /// Cancelled at shutdown: an event that fails then is not tried again.
    stop: CancellationToken,
}

/// The broadcaster was shut down before the server could be reached.
#[derive(Debug)]
pub(super) struct Stopped;

/// Why a try failed.
#[derive(Debug, thiserror::Error)]
enum WriteError {
    #[error("the API server refused the event")]
    Rejected(#[source] Error),
    #[error("the API server could not be asked")]
    Unreachable(#[source] Error),
    #[error("the API server did not answer in time")]
    TimedOut,
}

impl Writer {
    pub(super) fn new(client: Client, options: CorrelatorOptions, stop: CancellationToken) -> Self {
        Self {
            client,
            correlator: Correlator::new(options),
            stop,
        }
    }

    /// Writes an event, unless it is spam, refused, or given up after [`MAX_TRIES`].
    pub(super) async fn write(&mut self, event: Event) -> Result<(), Stopped> {
        let Some(correlated) = self.correlator.correlate(event, Timestamp::now()) else {
            return Ok(());
        };
        for tries in 1..=MAX_TRIES {
            let last_chance = self.stop.is_cancelled();
            match self.send(&correlated).await {
                Ok(event) => {
                    self.correlator.written(&correlated, &event);
                    return Ok(());
                }
                Err(WriteError::Rejected(error)) => {
                    log_rejection(&correlated.event, &error);
                    return Ok(());
                }
                Err(error) => log_failure(&correlated.event, &error, tries),
            }
            if last_chance {
                return Err(Stopped);
            }
            if tries < MAX_TRIES {
                self.pause(tries).await;
            }
        }
        Ok(())
    }

    async fn pause(&self, tries: u32) {
        let delay = if tries == 1 {
            random_part(SLEEP)
        } else {
            SLEEP
        };
        tokio::select! {
            () = sleep(delay) => {}
            () = self.stop.cancelled() => {}
        }
    }

    async fn send(&self, correlated: &Correlated) -> Result<Event, WriteError> {
        match timeout(REQUEST_TIMEOUT, self.patch_or_create(correlated)).await {
            Ok(Ok(event)) => Ok(event),
            Ok(Err(error)) if is_final(&error) => Err(WriteError::Rejected(error)),
            Ok(Err(error)) => Err(WriteError::Unreachable(error)),
            Err(_) => Err(WriteError::TimedOut),
        }
    }

    async fn patch_or_create(&self, correlated: &Correlated) -> Result<Event, Error> {
        let Correlated { event, patch, .. } = correlated;
        let namespace = event.metadata.namespace.as_deref().unwrap_or_default();
        let events = Api::<Event>::namespaced(self.client.clone(), namespace);
        if let Some(patch) = patch {
            let name = event.metadata.name.as_deref().unwrap_or_default();
            match events
                .patch(name, &PatchParams::default(), &Patch::Strategic(patch))
                .await
            {
                // The server forgets events after a while, an hour as a rule.
                Err(Error::Api(status)) if status.is_not_found() || status.code == 404 => {}
                result => return result,
            }
        }
        let mut event = event.clone();
        event.metadata.resource_version = None;
        events.create(&PostParams::default(), &event).await
    }
}

/// Whether the same request would fail the same way again.
///
/// A server that is too busy has not looked at the event; client-go waits for it below its recorder.
fn is_final(error: &Error) -> bool {
    match error {
        Error::Api(status) => status.code != 429,
        Error::BuildRequest(_) | Error::HttpError(_) => true,
        _ => false,
    }
}

/// A refusal is worth a look, unless it is what races look like.
fn log_rejection(event: &Event, error: &Error) {
    let object = &event.involved_object;
    let (namespace, name, reason) = (&object.namespace, &object.name, &event.reason);
    if matches!(error, Error::Api(status) if is_expected(status)) {
        tracing::debug!(namespace, name, reason, %error, "event refused");
    } else {
        tracing::error!(namespace, name, reason, %error, "event refused, it is not tried again");
    }
}

/// A try that got through although its answer did not, or a namespace that goes away.
fn is_expected(status: &Status) -> bool {
    let mut causes = status.details.iter().flat_map(|details| &details.causes);
    status.is_already_exists() || causes.any(|cause| cause.reason == "NamespaceTerminating")
}

fn log_failure(event: &Event, error: &WriteError, tries: u32) {
    let object = &event.involved_object;
    let cause = std::error::Error::source(error).map(ToString::to_string);
    let (namespace, name, reason) = (&object.namespace, &object.name, &event.reason);
    if tries < MAX_TRIES {
        tracing::warn!(
            namespace,
            name,
            reason,
            tries,
            cause,
            "event not written: {error}"
        );
    } else {
        tracing::error!(
            namespace,
            name,
            reason,
            tries,
            cause,
            "event given up: {error}"
        );
    }
}
