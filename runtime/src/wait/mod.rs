//! Polling, backoff and waiting for conditions of objects: apimachinery's `util/wait` and
//! client-go's `tools/watch`.
//!
//! Go's functions take a context. These futures are cancelled by dropping them: use
//! [`tokio::time::timeout`] or `CancellationToken::run_until_cancelled`.

mod backoff;
mod condition;
pub mod conditions;
mod poll;

pub use crate::jitter::jitter;
pub(crate) use crate::jitter::{random, random_fraction};
pub use backoff::{Backoff, exponential_backoff};
pub use condition::for_condition;
pub use poll::poll_until;

/// Error of a wait: the condition did not become true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WaitError<E> {
    /// The time or the tries ran out. The message is apimachinery's.
    #[error("timed out waiting for the condition")]
    TimedOut,
    /// The condition returned an error, which is not retried.
    #[error(transparent)]
    Condition(E),
}

#[cfg(test)]
mod condition_tests;
#[cfg(test)]
mod tests;
