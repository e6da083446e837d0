//! [`Group`]: components that start and stop together.

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::task::{Id, JoinError, JoinSet};
use tokio_util::sync::CancellationToken;

use super::components::{Components, Member};
use super::grace::Grace;
use crate::component::{Place, Run};
use crate::error::RunError;
use crate::failure::BoxError;

/// How long a dropped task may take to return from its current poll.
const LAST_POLL: Duration = Duration::from_secs(1);

/// The components of one place.
pub(super) struct Group {
    components: Components,
    place: Place,
    /// The grace of a component that is removed alone.
    alone: Grace,
}

/// Running tasks.
#[derive(Default)]
struct Running {
    tasks: JoinSet<Result<(), BoxError>>,
    names: BTreeMap<Id, String>,
    /// Error of the first task that failed.
    failure: Option<RunError>,
}

impl Group {
    pub(super) fn new(components: Components, place: Place, alone: Grace) -> Self {
        Self {
            components,
            place,
            alone,
        }
    }

    /// Runs components as they are added, until `stop` is cancelled or one fails. Returns when all
    /// have ended or were dropped, at the latest after the grace that `grace` returns then. If
    /// `is_lost` returns true then, there is no grace: running components have to end at once, and
    /// are dropped with the future.
    pub(super) async fn run(
        self,
        stop: CancellationToken,
        grace: impl Fn() -> Grace,
        is_lost: impl Fn() -> bool,
    ) -> Result<(), RunError> {
        let run = Run {
            stop: stop.child_token(),
            cancel: CancellationToken::new(),
        };
        let mut running = Running::default();
        while running.failure.is_none() {
            tokio::select! {
                biased;
                () = stop.cancelled() => break,
                () = running.one_ended() => {}
                member = self.components.next(self.place) => {
                    running.start(member, &run, self.alone);
                }
            }
        }
        run.stop.cancel();
        if running.failure.is_none() && is_lost() {
            run.cancel.cancel();
            running.all().await;
            return running.result();
        }
        let grace = grace();
        match grace.stop(&run, running.all()).await {
            Some(()) => running.result(),
            None => Err(running.drop_all(grace.timeout).await),
        }
    }
}

impl Running {
    fn start(&mut self, member: Member, run: &Run, grace: Grace) {
        let name = member.name.clone();
        let task = self.tasks.spawn(member.run(run.clone(), grace));
        self.names.insert(task.id(), name);
    }

    /// Waits until a task ends.
    ///
    /// # Cancel safety
    ///
    /// Nothing is lost if the future is dropped.
    async fn one_ended(&mut self) {
        match self.tasks.join_next_with_id().await {
            Some(ended) => self.note(ended),
            None => std::future::pending().await,
        }
    }

    /// Waits until no task is left.
    ///
    /// # Cancel safety
    ///
    /// Nothing is lost if the future is dropped.
    async fn all(&mut self) {
        while let Some(ended) = self.tasks.join_next_with_id().await {
            self.note(ended);
        }
    }

    fn note(&mut self, ended: Result<(Id, Result<(), BoxError>), JoinError>) {
        let (id, error) = match ended {
            Ok((id, Ok(()))) => {
                self.names.remove(&id);
                return;
            }
            Ok((id, Err(error))) => (id, error),
            // The error is that of a runtime that is shutting down.
            Err(error) => (error.id(), error.into()),
        };
        let component = self.names.remove(&id).unwrap_or_default();
        if self.failure.is_some() {
            tracing::error!(component, error, "failed while stopping");
            return;
        }
        self.failure = Some(RunError::Component { component, error });
    }

    /// Drops the remaining tasks. Returns the first failure, or else an error with their names. A
    /// task that blocks its thread is not waited for.
    async fn drop_all(mut self, timeout: Duration) -> RunError {
        let _ = tokio::time::timeout(LAST_POLL, self.tasks.shutdown()).await;
        let components = self.names.into_values().collect();
        let stuck = RunError::Stuck {
            components,
            timeout,
        };
        match self.failure {
            Some(failure) => {
                let error: &dyn std::error::Error = &stuck;
                tracing::error!(error, "failed while stopping");
                failure
            }
            None => stuck,
        }
    }

    fn result(self) -> Result<(), RunError> {
        self.failure.map_or(Ok(()), Err)
    }
}
