//! Waiting: apimachinery's `util/wait`, and for objects to become what they should be.
//!
//! Where Go's functions take a context, these are futures that are dropped: put one into [`tokio::time::timeout`] or
//! `CancellationToken::run_until_cancelled`.

mod backoff;
mod condition;
pub mod conditions;
mod jitter;
mod poll;

pub use backoff::{Backoff, exponential_backoff};
pub use condition::for_condition;
pub use jitter::jitter;
pub(crate) use jitter::{chance, random};
pub use poll::poll_until;

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

#[cfg(test)]
mod condition_tests;
#[cfg(test)]
mod tests;
