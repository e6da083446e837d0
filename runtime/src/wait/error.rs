//! [`WaitError`]: the error of waiting for a condition.

/// The condition did not come about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WaitError<E> {
    /// Not in time. The words are apimachinery's.
    #[error("timed out waiting for the condition")]
    TimedOut,
    /// It failed, and was not tried again.
    #[error(transparent)]
    Condition(E),
}
