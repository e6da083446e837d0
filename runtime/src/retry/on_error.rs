//! Trying again after some errors.

use tokio::time::sleep;

use crate::wait::Backoff;

/// Tries `attempt` up to `backoff.steps` times, but once at least, as long as it fails with an error that is `retriable`:
/// client-go's `OnError`.
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
/// The first error that is not retriable, or that of the last try.
///
/// # Cancel safety
///
/// That of `attempt`. Nothing is kept between tries.
pub async fn on_error<T, E>(
    mut backoff: Backoff,
    retriable: impl Fn(&E) -> bool,
    mut attempt: impl AsyncFnMut() -> Result<T, E>,
) -> Result<T, E> {
    loop {
        match attempt().await {
            Err(error) if retriable(&error) && backoff.steps > 1 => sleep(backoff.step()).await,
            result => return result,
        }
    }
}
