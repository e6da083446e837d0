//! Nested requests, which plug-ins and webhooks send to the server while it handles another one.

use std::future::Future;
use std::io;

use tokio::runtime::Handle;
use tokio::task::JoinSet;
use tracing::Instrument;

tokio::task_local! {
    /// Set in a task that handles a request.
    static ANSWERING: ();
}

/// Handles a request; requests that it sends are nested.
pub(crate) async fn answering<T>(answer: impl Future<Output = T>) -> T {
    ANSWERING.scope((), answer).await
}

/// Handles a request in the caller's task, or a nested one in a task of its own: a plug-in that
/// writes the object that it reviews nests without limit, and would overflow the stack of one task.
/// Dropping the future aborts both.
pub(crate) async fn run<T: Send + 'static>(
    answer: impl Future<Output = io::Result<T>> + Send + 'static,
) -> io::Result<T> {
    let is_nested = ANSWERING.try_with(|()| ()).is_ok();
    if !is_nested || Handle::try_current().is_err() {
        return answer.await;
    }
    let mut task = JoinSet::new();
    task.spawn(answer.in_current_span());
    match task.join_next().await {
        Some(Ok(answered)) => answered,
        Some(Err(error)) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
        _ => Err(io::Error::other("the runtime was shut down")),
    }
}
