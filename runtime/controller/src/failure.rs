//! Result of a reconcile: [`Action`] or [`Failure`].

use std::error::Error;
use std::fmt;
use std::time::Duration;

/// Any error that can be sent to another thread.
pub type BoxError = Box<dyn Error + Send + Sync>;

/// Result of a reconcile: an [`Action`], or a [`Failure`].
pub type Result<T = Action, E = Failure> = std::result::Result<T, E>;

/// Next step after a successful reconcile.
///
/// ```
/// use std::time::Duration;
/// use genclient_controller::{Action, Result};
///
/// fn outcome(is_ready: bool) -> Result {
///     if is_ready {
///         return Ok(Action::done());
///     }
///     Ok(Action::after(Duration::from_secs(10)))
/// }
/// # assert!(outcome(true).is_ok());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "an action does nothing unless a reconciler returns it"]
pub struct Action {
    delay: Option<Duration>,
}

impl Action {
    /// Requests no further reconcile until something changes.
    pub fn done() -> Self {
        Self { delay: None }
    }

    /// Requests another reconcile after a delay, or earlier if something changes:
    /// controller-runtime's `RequeueAfter`.
    pub fn after(delay: Duration) -> Self {
        Self { delay: Some(delay) }
    }

    /// Returns the delay until the next reconcile, if one was requested.
    #[must_use]
    pub fn delay(self) -> Option<Duration> {
        self.delay
    }
}

/// Error of a reconcile, with its retry policy.
///
/// `?` converts any error into a failure, including strings and `anyhow::Error`. Such a failure is
/// retried with a growing delay. A [`Failure::terminal`] is not retried until something changes,
/// and a [`Failure::after`] is retried after a given delay. `Failure` does not implement [`Error`]:
/// its conversion from every error would then overlap with the standard `From<T> for T`.
///
/// ```
/// use genclient_controller::{Action, Failure, Result};
///
/// fn reconcile(quantity: &str) -> Result {
///     let quantity: u32 = quantity.parse().map_err(Failure::terminal)?;
///     if quantity == 0 {
///         return Err("no quantity yet".into());
///     }
///     Ok(Action::done())
/// }
/// # assert!(reconcile("x").is_err_and(|failure| failure.is_terminal()));
/// ```
pub struct Failure {
    error: BoxError,
    retry: Retry,
}

/// Retry policy of a failed reconcile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Retry {
    /// After the growing delay of the queue's rate limiter.
    Backoff,
    After(Duration),
    Never,
}

impl Failure {
    /// Creates a failure that is logged and counted, but not retried until something changes:
    /// controller-runtime's `TerminalError`.
    pub fn terminal(error: impl Into<BoxError>) -> Self {
        Self {
            error: error.into(),
            retry: Retry::Never,
        }
    }

    /// Creates a failure that is retried after a given delay.
    pub fn after(delay: Duration, error: impl Into<BoxError>) -> Self {
        Self {
            error: error.into(),
            retry: Retry::After(delay),
        }
    }

    /// Whether the failure is not retried.
    #[must_use]
    pub fn is_terminal(&self) -> bool {
        self.retry == Retry::Never
    }

    /// Returns the error.
    #[must_use]
    pub fn error(&self) -> &(dyn Error + Send + Sync + 'static) {
        &*self.error
    }

    pub(crate) fn retry(&self) -> Retry {
        self.retry
    }
}

impl<E: Into<BoxError>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self {
            error: error.into(),
            retry: Retry::Backoff,
        }
    }
}

impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Failure")
            .field("error", &self.error)
            .field("retry", &self.retry)
            .finish()
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.error, f)
    }
}
