//! [`Work`]: a controller that has been set up, and runs.

use std::fmt;
use std::hash::Hash;
use std::sync::Arc;

use futures::StreamExt;
use futures::future::BoxFuture;
use futures::stream::FuturesUnordered;
use tokio::task::JoinSet;

use super::feed::Attach;
use super::worker::Worker;
use crate::component::Run;
use crate::failure::BoxError;
use crate::requests::Requests;

/// A source that can be run.
pub(super) type StartSource<Q> =
    Box<dyn FnOnce(Requests<Q>) -> BoxFuture<'static, Result<(), BoxError>> + Send>;

/// A controller that has been set up.
pub(super) struct Work<Q> {
    pub(super) feeds: Vec<Box<dyn Attach<Q>>>,
    pub(super) sources: Vec<StartSource<Q>>,
    pub(super) requests: Requests<Q>,
    pub(super) worker: Arc<Worker<Q>>,
    pub(super) workers: usize,
}

impl<Q: Clone + Eq + Hash + fmt::Debug + Send + Sync + 'static> Work<Q> {
    /// Works until the run stops, and what was begun has ended.
    pub(super) async fn run(self, run: Run) -> Result<(), BoxError> {
        let mut registrations = Vec::new();
        for feed in self.feeds {
            registrations.push(feed.attach(&self.requests)?);
        }
        // Workers begin when everything that is there is known to the queue: what is important
        // comes first, and what was added twice is there once.
        for registration in &registrations {
            if let Some(synced) = run.stop.run_until_cancelled(registration.synced()).await {
                synced?;
            }
        }
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
        let failed_source = async {
            while let Some(ended) = sources.next().await {
                ended?;
            }
            std::future::pending().await
        };
        // A worker ends before the stop only by a panic that is not a reconciler's.
        let failed_worker = async {
            while let Some(ended) = workers.join_next().await {
                ended?;
            }
            std::future::pending().await
        };
        let ended = tokio::select! {
            biased;
            () = working.stop.cancelled() => Ok(()),
            failure = failed_worker => failure,
            failure = failed_source => failure,
        };
        drop((registrations, sources));
        working.stop.cancel();
        self.requests.close();
        let all_ended = async { while workers.join_next().await.is_some() {} };
        tokio::select! {
            biased;
            () = all_ended => return ended,
            () = run.cancel.cancelled() => {
                tracing::info!(controller, "reconciles that still run are told to end");
            }
        }
        while workers.join_next().await.is_some() {}
        ended
    }
}
