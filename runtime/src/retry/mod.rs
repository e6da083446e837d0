//! Retries after errors and conflicts: client-go's `util/retry`.

use kube::Error;
use tokio::time::sleep;

use crate::client::Result;
use crate::wait::Backoff;

#[cfg(test)]
mod tests;

/// Backoff for conflicts between several clients that write the same object: 5 tries, about 10 ms
/// apart.
pub const DEFAULT_RETRY: Backoff = Backoff {
    steps: 5,
    duration: std::time::Duration::from_millis(10),
    factor: 1.0,
    jitter: 0.1,
    cap: None,
};

/// Backoff for conflicts with controllers that keep writing the same object: 4 tries, about 10, 50
/// and 250 ms apart.
pub const DEFAULT_BACKOFF: Backoff = Backoff {
    steps: 4,
    duration: std::time::Duration::from_millis(10),
    factor: 5.0,
    jitter: 0.1,
    cap: None,
};

/// Retries `write` while it fails with a conflict: client-go's `RetryOnConflict`.
///
/// `write` has to read the object, change it and update it on each try, since an object that was
/// read before a conflict is stale.
///
/// ```no_run
/// use genclient::client::{GetParams, PostParams, TypedClient};
/// use genclient::kube::ResourceExt;
/// use genclient::retry::{DEFAULT_RETRY, retry_on_conflict};
/// use k8s_openapi::api::core::v1::Pod;
///
/// # async fn example(pods: TypedClient<Pod>) -> genclient::client::Result<()> {
/// retry_on_conflict(DEFAULT_RETRY, async || {
///     let mut pod = pods.get("train", &GetParams::default()).await?;
///     pod.labels_mut().insert("gpu".into(), "a100".into());
///     pods.update(&pod, &PostParams::default()).await
/// })
/// .await?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// Returns the first error that is not a conflict, or the last conflict if every try failed with
/// one.
///
/// # Cancel safety
///
/// Dropping the future drops the call in progress.
pub async fn retry_on_conflict<T>(
    backoff: Backoff,
    write: impl AsyncFnMut() -> Result<T>,
) -> Result<T> {
    let conflict = |error: &Error| matches!(error, Error::Api(status) if status.is_conflict());
    on_error(backoff, conflict, write).await
}

/// Retries `attempt` while it fails with a `retriable` error: client-go's `OnError`. There are at
/// most `backoff.steps` tries, and at least one. With 0 steps, client-go makes none.
///
/// ```
/// use genclient::retry::{DEFAULT_RETRY, on_error};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let mut tries = 0;
/// let third = on_error(DEFAULT_RETRY, |error: &&str| *error == "busy", async || {
///     tries += 1;
///     if tries < 3 { Err("busy") } else { Ok(tries) }
/// });
/// assert_eq!(third.await, Ok(3));
/// # }
/// ```
///
/// # Errors
///
/// Returns the first error that is not retriable, or the error of the last try.
///
/// # Cancel safety
///
/// Dropping the future drops the call in progress.
pub async fn on_error<T, E>(
    mut backoff: Backoff,
    retriable: impl Fn(&E) -> bool,
    mut attempt: impl AsyncFnMut() -> Result<T, E>,
) -> Result<T, E> {
    loop {
        match attempt().await {
            Err(error) if retriable(&error) => {
                let pause = backoff.step();
                // `steps` is 0 after the last try, or once `cap` limits the pause.
                if backoff.steps == 0 {
                    return Err(error);
                }
                sleep(pause).await;
            }
            result => return result,
        }
    }
}
