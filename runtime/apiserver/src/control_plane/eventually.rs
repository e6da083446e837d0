//! [`eventually`]: polling until a condition holds.

use std::fmt::Display;
use std::time::Duration;

use tokio::time::{Instant, sleep};

/// How long [`eventually`] goes on probing.
const PATIENCE: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_millis(25);

/// The condition of [`eventually`] did not hold in time.
#[derive(Debug, thiserror::Error)]
#[error("{what}: not within {} s; last seen: {last}", PATIENCE.as_secs())]
pub struct NotYet {
    what: String,
    last: String,
}

/// Probes every 25 ms until the probe answers `Ok`, for up to 30 s. `what` names the condition, for
/// the error.
///
/// # Errors
///
/// [`NotYet`] with the probe's last reason.
///
/// # Cancel safety
///
/// Keeps nothing between probes; a dropped future stops probing.
pub async fn eventually<T, E: Display>(
    what: &str,
    mut probe: impl AsyncFnMut() -> Result<T, E>,
) -> Result<T, NotYet> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        match probe().await {
            Ok(value) => return Ok(value),
            Err(reason) if Instant::now() >= deadline => {
                return Err(NotYet {
                    what: what.to_owned(),
                    last: reason.to_string(),
                });
            }
            Err(_) => sleep(PAUSE).await,
        }
    }
}
