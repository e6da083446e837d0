//! Phases of a manager's run, and groups of components that start and stop together.

use std::collections::BTreeMap;
use std::time::Duration;

use futures::future;
use genclient::leaderelection::{LeaderElector, LeadershipLostError};
use genclient::record::EventBroadcaster;
use genclient::sharding::{ShardMember, Shards};
use parking_lot::Mutex;
use tokio::task::{Id, JoinError, JoinSet};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::components::{Components, Member};
use super::shutdown::{ShutdownDeadline, ShutdownTimeouts};
use crate::cluster::Cluster;
use crate::component::{Run, StartPhase};
use crate::error::RunError;
use crate::failure::BoxError;
use crate::setup::Setup;

/// How long to wait until a dropped task returns from its current poll.
const DROP_TIMEOUT: Duration = Duration::from_secs(1);

pub(super) struct Phases<'a> {
    pub(super) setup: &'a Setup,
    pub(super) components: &'a Components,
    pub(super) ending: Ending,
    pub(super) deadline: ShutdownDeadline,
    /// The shutdown timeouts of a component that is removed while the manager runs.
    pub(super) removal_timeouts: ShutdownTimeouts,
}

impl Phases<'_> {
    fn group(&self, phase: StartPhase) -> Group {
        Group {
            components: self.components.clone(),
            phase,
            removal_timeouts: self.removal_timeouts,
        }
    }

    /// Runs the servers until all other components have ended.
    pub(super) async fn serve(&self, last: &CancellationToken) {
        let servers = self.group(StartPhase::Server);
        let served = servers.run(last.clone(), || self.deadline.server_timeouts(), || false);
        self.ending.on_failure(served).await;
    }

    /// Syncs the caches, then runs all components except servers until they have ended.
    pub(super) async fn work(
        &self,
        elector: Option<LeaderElector>,
        member: Option<ShardMember>,
        synced: &CancellationToken,
    ) {
        self.setup.clusters().iter().for_each(Cluster::start);
        let end = &self.ending.token;
        match end.run_until_cancelled(self.components.synced()).await {
            Some(Ok(())) => synced.cancel(),
            Some(Err(failures)) => return self.ending.fail(RunError::Sync(failures)),
            None => return,
        }
        let everywhere = self.group(StartPhase::EveryReplica).run(
            end.clone(),
            || self.deadline.work_timeouts(),
            || false,
        );
        tokio::join!(
            self.ending.on_failure(self.informer_failure()),
            self.ending.on_failure(everywhere),
            self.ending.on_failure(self.lead(elector)),
            self.share_objects(member),
        );
    }

    /// Takes part in the group that shares the objects, until this replica has left it. Gives up
    /// when the time to release a lease has passed.
    async fn share_objects(&self, member: Option<ShardMember>) {
        let Some(member) = member else { return };
        let left = member.run(self.ending.token.clone());
        let expired = async {
            self.ending.token.cancelled().await;
            sleep(self.deadline.release_timeout()).await;
        };
        tokio::select! {
            () = left => {}
            () = expired => {
                tracing::warn!("left the group without release; others wait for the lease duration");
            }
        }
    }

    /// Runs the components of the leader.
    async fn lead(&self, elector: Option<LeaderElector>) -> Result<(), RunError> {
        let (group, end) = (self.group(StartPhase::Leader), &self.ending.token);
        let timeouts = || self.deadline.work_timeouts();
        if let Some(sharding) = &self.setup.sharding {
            return self.lead_shards(&sharding.shards, group).await;
        }
        let Some(mut elector) = elector else {
            return group.run(end.clone(), timeouts, || false).await;
        };
        // The group calls `is_lost` after `leading` was cancelled. This has one of two causes: the
        // run ends, which also cancels `end`, or the lease is lost.
        let is_lost = || !end.is_cancelled();
        let leadership = elector.leadership();
        let led = elector.run(end.clone(), |leading| group.run(leading, timeouts, is_lost));
        let lost = |error| RunError::LeadershipLost {
            error,
            cause: leadership.loss().unwrap_or_default(),
        };
        led.await.map_err(lost)?.unwrap_or(Ok(()))
    }

    /// Runs the components of the leader, if this replica is the leader of the group that shares
    /// the objects.
    async fn lead_shards(&self, shards: &Shards, group: Group) -> Result<(), RunError> {
        let end = &self.ending.token;
        let Some(permit) = end.run_until_cancelled(shards.lead()).await else {
            return Ok(());
        };
        tracing::info!("this replica is the leader");
        let timeouts = || self.deadline.work_timeouts();
        let is_lost = || !end.is_cancelled();
        let led = permit.run(end, |leading| group.run(leading, timeouts, is_lost));
        let error = match led.await {
            Ok(result) if end.is_cancelled() || result.is_err() => return result,
            Ok(_) => LeadershipLostError::WorkEnded,
            Err(_) => LeadershipLostError::WorkDropped,
        };
        Err(RunError::LeadershipLost {
            error,
            cause: "the Lease of this replica was not renewed, or was deleted".to_owned(),
        })
    }

    /// Waits until an informer fails, or the run ends.
    async fn informer_failure(&self) -> Result<(), RunError> {
        loop {
            let changed = self.components.changed();
            let clusters = self.setup.clusters();
            let failures = clusters.iter().map(|cluster| Box::pin(cluster.failed()));
            tokio::select! {
                () = self.ending.token.cancelled() => return Ok(()),
                () = changed => {}
                ((resource, cause), at, _) = future::select_all(failures) => {
                    let cluster = clusters.get(at).map_or("", Cluster::name).to_owned();
                    return Err(RunError::Informer { cluster, resource, cause });
                }
            }
        }
    }

    pub(super) async fn end_caches(&self) {
        self.components.close();
        let clusters = self.setup.clusters();
        future::join_all(clusters.iter().map(Cluster::shutdown)).await;
    }

    /// Writes the remaining events.
    pub(super) async fn end_events(&self, own: EventBroadcaster) {
        let time = self.deadline.events_timeout();
        let (own, ()) = tokio::join!(own.shutdown(time), self.setup.shutdown_events(time));
        if let Err(error) = own {
            let error: &dyn std::error::Error = &error;
            tracing::warn!(error, "events lost during shutdown");
        }
    }
}

/// Stop token of a run, and its first failure.
pub(super) struct Ending {
    token: CancellationToken,
    failure: Mutex<Option<RunError>>,
}

impl Ending {
    pub(super) fn new(stop: &CancellationToken) -> Self {
        Self {
            token: stop.child_token(),
            failure: Mutex::default(),
        }
    }

    /// Waits for one part of the run. If it fails, all parts are stopped.
    async fn on_failure(&self, part: impl Future<Output = Result<(), RunError>>) {
        if let Err(failure) = part.await {
            self.fail(failure);
        }
    }

    fn fail(&self, failure: RunError) {
        let mut first = self.failure.lock();
        if first.is_some() {
            let error: &dyn std::error::Error = &failure;
            tracing::error!(error, "failed while stopping");
            return;
        }
        *first = Some(failure);
        self.token.cancel();
    }

    pub(super) fn result(self) -> Result<(), RunError> {
        self.failure.into_inner().map_or(Ok(()), Err)
    }
}

/// The components with the same [`StartPhase`].
struct Group {
    components: Components,
    phase: StartPhase,
    /// The shutdown timeouts of a component that is removed while the manager runs.
    removal_timeouts: ShutdownTimeouts,
}

#[derive(Default)]
struct Running {
    tasks: JoinSet<Result<(), BoxError>>,
    names: BTreeMap<Id, String>,
    /// Error of the first task that failed.
    failure: Option<RunError>,
}

impl Group {
    /// Runs components as they are added, until `stop` is cancelled or a component fails. Then
    /// calls `timeouts`, and waits until all components have ended. Components that still run after
    /// the timeout are dropped.
    ///
    /// If no component has failed and `is_lost` returns true, the lease is lost, and no timeout
    /// applies: all tokens of the [`Run`] are cancelled together. The elector then drops this
    /// future, and with it the components that still run: when the lost lease expires, or at once
    /// if another replica holds it.
    async fn run(
        self,
        stop: CancellationToken,
        timeouts: impl Fn() -> ShutdownTimeouts,
        is_lost: impl Fn() -> bool,
    ) -> Result<(), RunError> {
        let run = Run {
            stop: stop.child_token(),
            cancel: CancellationToken::new(),
            end_requests: CancellationToken::new(),
        };
        let mut running = Running::default();
        while running.failure.is_none() {
            tokio::select! {
                biased;
                () = stop.cancelled() => break,
                () = running.join_next() => {}
                member = self.components.next(self.phase) => {
                    running.start(member, &run, self.removal_timeouts);
                }
            }
        }
        run.stop.cancel();
        if running.failure.is_none() && is_lost() {
            run.cancel.cancel();
            run.end_requests.cancel();
            running.join_all().await;
            return running.result();
        }
        let timeouts = timeouts();
        match timeouts.stop(&run, running.join_all()).await {
            Some(()) => running.result(),
            None => Err(running.drop_all(timeouts.timeout).await),
        }
    }
}

impl Running {
    fn start(&mut self, member: Member, run: &Run, timeouts: ShutdownTimeouts) {
        let name = member.name.clone();
        let task = self.tasks.spawn(member.run(run.clone(), timeouts));
        self.names.insert(task.id(), name);
    }

    /// Waits until a task ends.
    ///
    /// # Cancel safety
    ///
    /// Nothing is lost if the future is dropped.
    async fn join_next(&mut self) {
        match self.tasks.join_next_with_id().await {
            Some(ended) => self.record_end(ended),
            None => std::future::pending().await,
        }
    }

    /// Waits until no task is left.
    ///
    /// # Cancel safety
    ///
    /// Nothing is lost if the future is dropped.
    async fn join_all(&mut self) {
        while let Some(ended) = self.tasks.join_next_with_id().await {
            self.record_end(ended);
        }
    }

    fn record_end(&mut self, ended: Result<(Id, Result<(), BoxError>), JoinError>) {
        let (id, error) = match ended {
            Ok((id, Ok(()))) => {
                self.names.remove(&id);
                return;
            }
            Ok((id, Err(error))) => (id, error),
            // `Member::run` catches panics, so this error means that the runtime is shutting down.
            Err(error) => (error.id(), error.into()),
        };
        let component = self.names.remove(&id).unwrap_or_default();
        if self.failure.is_some() {
            tracing::error!(component, error, "failed while stopping");
            return;
        }
        self.failure = Some(RunError::Component { component, error });
    }

    /// Drops the remaining tasks. Returns the first failure, or else an error with their names.
    /// Waits only briefly for the drop, because a task may block its thread.
    async fn drop_all(mut self, timeout: Duration) -> RunError {
        let _ = tokio::time::timeout(DROP_TIMEOUT, self.tasks.shutdown()).await;
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
