//! [`Group`]: tasks that begin and end together.

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures::FutureExt;
use tokio::task::{Id, JoinError, JoinSet};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::component::{Run, Task};
use crate::error::RunError;
use crate::failure::{BoxError, panic_message};

/// How long a task that is dropped may be in the call that it is in.
const LAST_POLL: Duration = Duration::from_secs(1);

/// Tasks that begin and end together.
pub(super) struct Group {
    tasks: Vec<Task>,
}

/// How long tasks may take to end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grace {
    /// So long, what has begun goes on undisturbed.
    pub(super) undisturbed: Duration,
    /// After so long in all, it is dropped.
    pub(super) timeout: Duration,
}

/// Tasks that run.
struct Running {
    tasks: JoinSet<Result<(), BoxError>>,
    names: BTreeMap<Id, String>,
    /// What the first task failed with.
    failure: Option<RunError>,
}

impl Group {
    pub(super) fn new(tasks: Vec<Task>) -> Self {
        Self { tasks }
    }

    /// Runs the tasks until `stop`, or until one fails, and returns when all have ended or were
    /// dropped. If `is_lost` then, there is no grace: what runs has to end, and is dropped with
    /// the future.
    pub(super) async fn run(
        self,
        stop: CancellationToken,
        grace: Grace,
        is_lost: impl Fn() -> bool,
    ) -> Result<(), RunError> {
        let run = Run {
            stop: stop.child_token(),
            cancel: CancellationToken::new(),
        };
        let mut running = Running::start(self.tasks, &run);
        tokio::select! {
            biased;
            () = stop.cancelled() => {}
            () = running.first_failure() => {}
        }
        run.stop.cancel();
        if running.failure.is_none() && is_lost() {
            run.cancel.cancel();
            running.all().await;
            return running.result();
        }
        // Both begin here. Unlike an instant, a sleep may be as long as any duration.
        let undisturbed = sleep(grace.undisturbed.min(grace.timeout));
        let end = sleep(grace.timeout);
        tokio::select! {
            biased;
            () = running.all() => return running.result(),
            () = undisturbed => run.cancel.cancel(),
        }
        tokio::select! {
            biased;
            () = running.all() => running.result(),
            () = end => Err(running.drop_all(grace.timeout).await),
        }
    }
}

impl Running {
    fn start(tasks: Vec<Task>, run: &Run) -> Self {
        let mut running = Self {
            tasks: JoinSet::new(),
            names: BTreeMap::new(),
            failure: None,
        };
        for task in tasks {
            let work = AssertUnwindSafe((task.run)(run.clone())).catch_unwind();
            let handle = running.tasks.spawn(async {
                match work.await {
                    Ok(ended) => ended,
                    Err(panic) => Err(format!("it panicked: {}", panic_message(&*panic)).into()),
                }
            });
            running.names.insert(handle.id(), task.name);
        }
        running
    }

    /// Waits until a task fails.
    ///
    /// # Cancel safety
    ///
    /// Nothing is lost if the future is dropped.
    async fn first_failure(&mut self) {
        while let Some(ended) = self.tasks.join_next_with_id().await {
            self.note(ended);
            if self.failure.is_some() {
                return;
            }
        }
        std::future::pending().await
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
            // Of the runtime, which is shutting down.
            Err(error) => (error.id(), error.into()),
        };
        let component = self.names.remove(&id).unwrap_or_default();
        if self.failure.is_some() {
            tracing::error!(component, error, "failed while stopping");
            return;
        }
        self.failure = Some(RunError::Component { component, error });
    }

    /// Drops what is left, and says what that was. A task that blocks its thread is not waited for.
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
