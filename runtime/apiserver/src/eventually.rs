//! [`eventually`]: polling of an in-process or a real API server until a condition holds.

use std::fmt::{self, Display};
use std::time::Duration;

use tokio::time::{Instant, sleep, timeout_at};

/// Default timeout of [`eventually`].
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);
/// Pause after the first probe; each further pause is twice as long, up to `MAX_PAUSE`.
const FIRST_PAUSE: Duration = Duration::from_millis(1);
const MAX_PAUSE: Duration = Duration::from_millis(25);

/// Error of [`eventually`]: the condition did not hold before the timeout.
///
/// `Debug` prints the same sentence as `Display`, so that the panic of `unwrap` shows it.
#[derive(thiserror::Error)]
#[error("{what}: not within {patience:?}; last seen: {last}")]
pub struct NotYet {
    what: String,
    patience: Duration,
    last: String,
}

impl fmt::Debug for NotYet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(self, f)
    }
}

/// Result of a probe of [`eventually`]. The condition holds if the result is `true`, `Some(value)`
/// or `Ok(value)`.
pub trait Observed {
    /// Value that [`eventually`] returns.
    type Value;

    /// Returns the value if the condition holds.
    ///
    /// # Errors
    ///
    /// The text after "last seen" in the message of [`NotYet`], if the condition does not hold.
    fn observed(self) -> Result<Self::Value, String>;
}

impl Observed for bool {
    type Value = ();

    fn observed(self) -> Result<(), String> {
        if self {
            Ok(())
        } else {
            Err("false".to_owned())
        }
    }
}

impl<T> Observed for Option<T> {
    type Value = T;

    fn observed(self) -> Result<T, String> {
        self.ok_or_else(|| "None".to_owned())
    }
}

impl<T, E: Display> Observed for Result<T, E> {
    type Value = T;

    fn observed(self) -> Result<T, String> {
        self.map_err(|error| error.to_string())
    }
}

/// Calls a probe until it returns `Ok(value)`, `Some(value)` or `true`, and returns the value.
/// Gives up after 30 s; `what` names the condition in the error. The function corresponds to
/// gomega's `Eventually`, and works with the in-process server and with a real one.
///
/// The pauses between probes grow from 1 to 25 ms of tokio's clock. With `tokio::time::pause`, the
/// pauses take no real time but count towards the timeout: a timeout of 600 s ends after about
/// 24,000 probes. A probe that is still running at the timeout is dropped.
///
/// ```
/// use std::time::Duration;
///
/// use genclient::kube::api::{Api, ObjectMeta, PostParams};
/// use genclient_apiserver::{ApiServer, eventually};
/// use k8s_openapi::api::core::v1::ConfigMap;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let server = ApiServer::builder().build()?;
/// let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
/// let name = Some("settings".to_owned());
/// let metadata = ObjectMeta { name, ..Default::default() };
/// let map = ConfigMap { metadata, ..Default::default() };
/// let writer = maps.clone();
/// tokio::spawn(async move {
///     tokio::time::sleep(Duration::from_millis(10)).await;
///     writer.create(&PostParams::default(), &map).await
/// });
///
/// // The object, as soon as it exists.
/// let found = eventually("the ConfigMap", async || maps.get("settings").await).await?;
/// assert_eq!(found.data, None);
///
/// // A condition of the object. If the wait fails, the error shows the text of `Err`.
/// eventually("a uid", async || match maps.get("settings").await {
///     Ok(map) if map.metadata.uid.is_some() => Ok(map),
///     other => Err(format!("{other:?}")),
/// })
/// .await?;
///
/// // The absence of an object.
/// eventually("no other", async || matches!(maps.get_opt("other").await, Ok(None))).await?;
/// # Ok(())
/// # }
/// ```
///
/// Any `Ok` ends the wait, even `Ok(None)`, which `get_opt` returns for a missing object.
///
/// # Errors
///
/// [`NotYet`] with `what` and the last state: the probe's error, `None` or `false`, or a note that
/// no probe has ended.
///
/// # Cancel safety
///
/// The function keeps no state between probes. If the future is dropped, no further probe runs.
pub async fn eventually<O: Observed>(
    what: impl Into<String>,
    probe: impl AsyncFnMut() -> O,
) -> Result<O::Value, NotYet> {
    eventually_within(DEFAULT_TIMEOUT, what, probe).await
}

/// Like [`eventually`], with the timeout `patience` instead of 30 s.
///
/// ```
/// use std::time::Duration;
///
/// use genclient_apiserver::eventually_within;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let error = eventually_within(Duration::from_millis(50), "the leader", async || None::<u8>);
/// let error = error.await.unwrap_err();
/// assert_eq!(error.to_string(), "the leader: not within 50ms; last seen: None");
/// # }
/// ```
///
/// # Errors
///
/// [`NotYet`] after `patience`, as for [`eventually`].
pub async fn eventually_within<O: Observed>(
    patience: Duration,
    what: impl Into<String>,
    mut probe: impl AsyncFnMut() -> O,
) -> Result<O::Value, NotYet> {
    let deadline = Instant::now() + patience;
    let mut pause = FIRST_PAUSE;
    let mut last = "nothing, as the first probe did not end".to_owned();
    loop {
        match timeout_at(deadline, probe()).await.map(Observed::observed) {
            Ok(Ok(value)) => return Ok(value),
            Ok(Err(state)) => last = state,
            Err(_) => {}
        }
        if Instant::now() >= deadline {
            return Err(NotYet {
                what: what.into(),
                patience,
                last,
            });
        }
        sleep(pause).await;
        pause = MAX_PAUSE.min(pause * 2);
    }
}
