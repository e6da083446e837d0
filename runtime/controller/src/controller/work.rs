//! [`Work`]: the run of a controller, from registering its handlers to the end of its workers.

use std::fmt;
use std::hash::Hash;
use std::sync::Arc;

use futures::StreamExt;
use futures::future::BoxFuture;
use futures::stream::FuturesUnordered;
use genclient::informer::HandlerRegistration;
use tokio::task::JoinSet;

use super::feed::Attach;
use super::worker::Worker;
use crate::component::Run;
use crate::failure::BoxError;
use crate::requests::Requests;

/// Function that starts a source.
pub(super) type StartSource<Q> =
    Box<dyn FnOnce(Requests<Q>) -> BoxFuture<'static, Result<(), BoxError>> + Send>;

/// A controller that is set up and can run.
pub(super) struct Work<Q> {
    pub(super) feeds: Vec<Box<dyn Attach<Q>>>,
    pub(super) sources: Vec<StartSource<Q>>,
    pub(super) requests: Requests<Q>,
    pub(super) worker: Arc<Worker<Q>>,
    pub(super) workers: usize,
}

impl<Q: Clone + Eq + Hash + fmt::Debug + Send + Sync + 'static> Work<Q> {
    /// Runs the controller until the run stops and every reconcile has ended.
    pub(super) async fn run(self, run: Run) -> Result<(), BoxError> {
        let registrations = attach(self.feeds, &self.requests, &run).await?;
        let sources = self.sources.into_iter();
        let mut sources: FuturesUnordered<_> = sources
            .map(|source| source(self.requests.clone()))
            .collect();
        let working = Run {
            stop: run.stop.child_token(),
            cancel: run.cancel.clone(),
        };
        let mut workers = JoinSet::new();
        for _ in 0..self.workers {
            workers.spawn(Arc::clone(&self.worker).run(working.clone()));
        }
        let (controller, count) = (&*self.worker.controller, self.workers);
        tracing::info!(controller, workers = count, "controller started");
        let ended = tokio::select! {
            biased;
            () = working.stop.cancelled() => Ok(()),
            // Before the stop, a worker ends only by a panic outside of the reconciler.
            failure = failed_worker(&mut workers) => failure,
            failure = failed_source(&mut sources) => failure,
        };
        drop((registrations, sources));
        working.stop.cancel();
        self.requests.close();
        tokio::select! {
            biased;
            () = all_ended(&mut workers) => return ended,
            () = run.cancel.cancelled() => {
                tracing::info!(controller, "reconciles that still run are asked to stop");
            }
        }
        all_ended(&mut workers).await;
        ended
    }
}

/// Registers the handlers, and waits until the queue has a request for every existing object. Then
/// priorities apply, and duplicates are merged.
async fn attach<Q>(
    feeds: Vec<Box<dyn Attach<Q>>>,
    requests: &Requests<Q>,
    run: &Run,
) -> Result<Vec<HandlerRegistration>, BoxError> {
    let mut registrations = Vec::new();
    for feed in feeds {
        registrations.push(feed.attach(requests)?);
    }
    for registration in &registrations {
        if let Some(synced) = run.stop.run_until_cancelled(registration.synced()).await {
            synced?;
        }
    }
    Ok(registrations)
}

/// Waits until a source fails.
async fn failed_source(
    sources: &mut FuturesUnordered<BoxFuture<'static, Result<(), BoxError>>>,
) -> Result<(), BoxError> {
    while let Some(ended) = sources.next().await {
        ended?;
    }
    std::future::pending().await
}

/// Waits until a worker panics.
async fn failed_worker(workers: &mut JoinSet<()>) -> Result<(), BoxError> {
    while let Some(ended) = workers.join_next().await {
        ended?;
    }
    std::future::pending().await
}

async fn all_ended(workers: &mut JoinSet<()>) {
    while workers.join_next().await.is_some() {}
}
