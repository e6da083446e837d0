//! Result of a reconcile: [`Action`] or [`Failure`].

use std::any::Any;
use std::error::Error;
use std::fmt;
use std::time::Duration;

/// Any error that can be sent to another thread.
pub type BoxError = Box<dyn Error + Send + Sync>;

/// What a reconcile returns: what to do next, or why it failed.
pub type Result<T = Action, E = Failure> = std::result::Result<T, E>;

/// What comes after a reconcile that succeeded.
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
    /// Nothing, until something changes.
    pub fn done() -> Self {
        Self { delay: None }
    }

    /// Another reconcile after a time, or earlier if something changes: controller-runtime's
    /// `RequeueAfter`.
    pub fn after(delay: Duration) -> Self {
        Self { delay: Some(delay) }
    }

    /// When the next reconcile is due, if one was asked for.
    #[must_use]
    pub fn delay(self) -> Option<Duration> {
        self.delay
    }
}

/// Why a reconcile failed, and whether it is tried again.
///
/// Any error becomes one by `?`, also a string and `anyhow::Error`; it is tried again with a
/// growing delay. [`Failure::terminal`] is not tried again until something changes,
/// [`Failure::after`] is tried again after a time of one's own. A failure is no [`Error`] itself,
/// so that `?` takes every error there is.
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

/// When a failed reconcile is tried again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Retry {
    /// After the delay of the queue's limiter, which grows.
    Backoff,
    After(Duration),
    Never,
}

impl Failure {
    /// A failure that only a change ends: it is logged and counted, and not tried again.
    /// controller-runtime's `TerminalError`.
    pub fn terminal(error: impl Into<BoxError>) -> Self {
        Self {
            error: error.into(),
            retry: Retry::Never,
        }
    }

    /// A failure that is tried again after a time of its own.
    pub fn after(delay: Duration, error: impl Into<BoxError>) -> Self {
        Self {
            error: error.into(),
            retry: Retry::After(delay),
        }
    }

    /// Whether it is not tried again.
    #[must_use]
    pub fn is_terminal(&self) -> bool {
        self.retry == Retry::Never
    }

    /// The error.
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

/// What a panic said.
pub(crate) fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "not a text".to_owned())
}
