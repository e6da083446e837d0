//! Watching one object until it is as wanted.

use std::time::Duration;

use futures::StreamExt;
use kube::api::{ListParams, WatchEvent, WatchParams};
use kube::core::Status;
use kube::{Error, Resource};
use serde::de::DeserializeOwned;
use tokio::time::sleep;

use super::backoff::Backoff;
use crate::client::{Result, TypedClient};

/// Between two lists: client-go's pauses of a reflector.
const RELIST: Backoff = Backoff {
    duration: Duration::from_millis(800),
    factor: 2.0,
    jitter: 1.0,
    steps: u32::MAX,
    cap: Some(Duration::from_secs(30)),
};

/// Watches the object `name` until `condition` is true of it, and returns it; `None` if it is not there then. The condition
/// gets `None` while the object is not there.
///
/// The object is listed and then watched. When the watch ends, after some minutes, or the API server cannot answer for now, that
/// begins anew after a pause (client-go's); what the object was in between is not seen. There is no limit: put the future into
/// [`tokio::time::timeout`].
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
/// What time does not mend: a request that cannot be made, an answer that cannot be read, and the answers 400, 401, 403, 404 (the
/// kind is not served), 405 and 422.
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
    K: Resource<DynamicType = ()> + Clone + DeserializeOwned + Send + 'static,
{
    let mut backoff = RELIST;
    loop {
        match look(client, name, &condition, &mut backoff).await {
            Ok(Some(found)) => return Ok(found),
            // The watch has ended, or is too far behind.
            Ok(None) => {}
            Err(error) if is_final(&error) => return Err(error),
            Err(error) => tracing::debug!(name, %error, "cannot look at the object for now"),
        }
        sleep(backoff.step()).await;
    }
}

/// Lists and watches once. `None` if the watch ended without what was waited for.
async fn look<K>(
    client: &TypedClient<K>,
    name: &str,
    condition: &impl Fn(Option<&K>) -> bool,
    backoff: &mut Backoff,
) -> Result<Option<Option<K>>>
where
    K: Resource<DynamicType = ()> + Clone + DeserializeOwned + Send + 'static,
{
    let only = format!("metadata.name={name}");
    let list = client.list(&ListParams::default().fields(&only)).await?;
    let mut object = list
        .items
        .into_iter()
        .find(|item| item.meta().name.as_deref() == Some(name));
    if condition(object.as_ref()) {
        return Ok(Some(object));
    }
    let version = list.metadata.resource_version.unwrap_or_default();
    let watch = WatchParams::default().fields(&only);
    let mut events = client.watch(&watch, &version).await?;
    while let Some(event) = events.next().await {
        object = match event? {
            WatchEvent::Added(new) | WatchEvent::Modified(new) => Some(new),
            WatchEvent::Deleted(_) => None,
            WatchEvent::Bookmark(_) => continue,
            WatchEvent::Error(status) => return expired_or(status),
        };
        if condition(object.as_ref()) {
            return Ok(Some(object));
        }
        *backoff = RELIST;
    }
    Ok(None)
}

/// A watch that is too far behind begins anew.
fn expired_or<T>(status: Box<Status>) -> Result<Option<T>> {
    if status.code == 410 {
        return Ok(None);
    }
    Err(Error::Api(status))
}

fn is_final(error: &Error) -> bool {
    match error {
        Error::Api(status) => matches!(status.code, 400 | 401 | 403 | 404 | 405 | 422),
        Error::BuildRequest(_) | Error::SerdeError(_) | Error::HttpError(_) => true,
        _ => false,
    }
}
