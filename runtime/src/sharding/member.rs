//! [`ShardMember`]: a replica in a group that shares objects. It runs the protocol, sends its
//! requests and delivers what the API server stores.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use futures::stream::FuturesUnordered;
use futures::{FutureExt, StreamExt};
use genclient_apimachinery::validation;
use k8s_openapi::api::coordination::v1::Lease;
use kube::api::{DeleteParams, ListParams, PostParams, Preconditions, WatchEvent, WatchParams};
use kube::{Client, Config};
use tokio::sync::mpsc;
use tokio::time::error::Elapsed;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use super::key::ShardBy;
use super::lease::{Content, Group, holder, version};
use super::metrics::ShardMetrics;
use super::protocol::{Protocol, Time};
use super::ranges::HashRanges;
use super::records::{LeaseWrite, LockHolder, WriteKind};
use super::shards::{Permissions, Shards};
use super::status::ShardStatus;
use super::weights::Weights;
use crate::client::{self, Result, TypedClient};
use crate::jitter::{jitter, random};
use crate::leaderelection::{
    LeaderElectionConfigError, Timing, check_lease, describe_refusal, unique_identity,
};
use crate::metrics::{NoMetrics, Provider};
use crate::panics::panic_message;

/// Number of retry periods between two counts of the objects.
const COUNT_EVERY: u32 = 5;
/// The verbs on Leases that a member needs, as in a rule.
const VERBS: &str = r#""list", "watch", "create", "update", "delete""#;

type Counts = Box<dyn Fn(&Shards) -> Option<BTreeMap<u64, u64>> + Send + Sync>;

/// Settings of a [`ShardMember`].
#[must_use]
pub struct ShardMemberBuilder {
    client: Client,
    namespace: String,
    group: String,
    identity: String,
    shard_by: ShardBy,
    timing: Timing,
    drain_timeout: Duration,
    counts: Counts,
    metrics: Arc<dyn Provider>,
}

/// A replica in a group that shares objects.
pub struct ShardMember {
    leases: TypedClient<Lease>,
    group: Group,
    /// Name of this replica's Lease.
    name: String,
    identity: String,
    timing: Timing,
    shards: Shards,
    counts: Counts,
    metrics: ShardMetrics,
}

impl ShardMember {
    /// Returns a builder of a member of `group` with its own connection, so that renewals wait
    /// neither for other requests nor for a rate limit. The `User-Agent` ends in `/sharding`.
    /// Otherwise, this is [`builder`](Self::builder).
    ///
    /// The call blocks while an exec plugin of the kubeconfig runs.
    ///
    /// # Errors
    ///
    /// If the credentials cannot be read, or the TLS or proxy settings of `config` cannot be used.
    ///
    /// # Panics
    ///
    /// Outside of a Tokio runtime, which drives the connection.
    pub fn connect(config: Config, namespace: &str, group: &str) -> Result<ShardMemberBuilder> {
        let builder = client::builder(config).user_agent_suffix("/sharding");
        Ok(Self::builder(builder.connect()?, namespace, group))
    }

    /// Returns a builder of a member of `group`. The group's Leases are in `namespace`. The lock is
    /// the Lease with the name of the group, as in leader election.
    ///
    /// Use a client with neither kube's retries nor a rate limit, as from
    /// [`client::connect`](crate::client::connect).
    pub fn builder(client: Client, namespace: &str, group: &str) -> ShardMemberBuilder {
        ShardMemberBuilder {
            client,
            namespace: namespace.to_owned(),
            group: group.to_owned(),
            identity: unique_identity(),
            shard_by: ShardBy::default(),
            timing: Timing::default(),
            drain_timeout: Duration::from_secs(30),
            counts: Box::new(|_| None),
            metrics: Arc::new(NoMetrics),
        }
    }
}

impl ShardMemberBuilder {
    /// Sets the shard key. Default: the namespace.
    ///
    /// Members with another setting than the group's wait until no other member is left.
    pub fn shard_by(mut self, shard_by: ShardBy) -> Self {
        self.shard_by = shard_by;
        self
    }

    /// Sets the identity of this replica, which its Lease and the lock show. Default:
    /// [`unique_identity`].
    pub fn identity(mut self, identity: impl Into<String>) -> Self {
        self.identity = identity.into();
        self
    }

    /// Sets how long the Lease of a replica that has died is respected. Default: 15 s.
    pub fn lease_duration(mut self, duration: Duration) -> Self {
        self.timing.lease_duration = duration;
        self
    }

    /// Sets the time after which a replica that cannot renew its Lease tells its work to stop. It
    /// must be less than nine tenths of the lease duration, when the work is dropped. Default: 10
    /// s.
    pub fn renew_deadline(mut self, deadline: Duration) -> Self {
        self.timing.renew_deadline = deadline;
        self
    }

    /// Sets the time between two renewals. Default: 2 s.
    pub fn retry_period(mut self, period: Duration) -> Self {
        self.timing.retry_period = period;
        self
    }

    /// Sets how long work on an object may go on that another replica is to continue. Then it is
    /// dropped. Default: 30 s, which is also a Pod's `terminationGracePeriodSeconds`: if work takes
    /// that long, set one of them to another time.
    pub fn drain_timeout(mut self, timeout: Duration) -> Self {
        self.drain_timeout = timeout;
        self
    }

    /// Sets a function that returns the numbers of objects by [hash](Shards::hash), so that
    /// replicas hold equal numbers. It returns `None` while they are unknown. It is called every
    /// five [retry periods](Self::retry_period) and when the replica has got objects, and must not
    /// block. An empty map means that nothing is known yet, if nobody has assigned the objects.
    pub fn counts(
        mut self,
        counts: impl Fn(&Shards) -> Option<BTreeMap<u64, u64>> + Send + Sync + 'static,
    ) -> Self {
        self.counts = Box::new(counts);
        self
    }

    /// Enables the metrics `sharding_*` of [`metrics`](crate::metrics), and
    /// `leader_election_master_status`. Default: no metrics.
    pub fn metrics(mut self, provider: Arc<dyn Provider>) -> Self {
        self.metrics = provider;
        self
    }

    /// Validates the settings and returns the member. No request is sent yet.
    ///
    /// # Errors
    ///
    /// See [`LeaderElectionConfigError`].
    pub fn build(self) -> Result<ShardMember, LeaderElectionConfigError> {
        self.timing.check_for_sharding()?;
        if self.identity.is_empty() {
            return Err(LeaderElectionConfigError::NoIdentity);
        }
        let group = Group { name: self.group };
        let name = group.member(&format!("{:010x}", random() >> 24));
        // The group is also the value of a label.
        let is_label = validation::label_value(&group.name).is_empty();
        if !is_label || check_lease(&self.namespace, &name).is_err() {
            check_lease(&self.namespace, &group.name)?;
            return Err(LeaderElectionConfigError::LeaseName(group.name));
        }
        let group_name = group.name.clone();
        Ok(ShardMember {
            leases: TypedClient::namespaced(self.client, &self.namespace),
            group,
            name,
            identity: self.identity,
            timing: self.timing,
            shards: Shards::new(self.shard_by, self.drain_timeout),
            counts: self.counts,
            metrics: ShardMetrics::new(&*self.metrics, &group_name),
        })
    }
}

impl ShardMember {
    /// Returns the handle to the objects of this replica.
    #[must_use]
    pub fn shards(&self) -> Shards {
        self.shards.clone()
    }

    /// Takes part in the group until `stop` is cancelled and all work has ended. Then other
    /// replicas continue the work at once.
    ///
    /// Failed requests are retried. While they fail, this replica works on nothing.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, no more work may begin after the renew deadline, and other
    /// replicas continue after the lease duration.
    ///
    /// # Panics
    ///
    /// Outside of a Tokio runtime.
    pub async fn run(self, stop: CancellationToken) {
        let (sender, mut events) = mpsc::channel(64);
        let watch = LeaseWatch {
            leases: self.leases.clone(),
            sender,
            stalled_after: self.timing.retry_period * 3,
            request_timeout: self.timing.request_timeout(),
            retry_period: self.timing.retry_period,
        };
        let _watch = AbortOnDropHandle::new(tokio::spawn(watch.run()));
        let mut run = Run::new(self);
        let mut stopped = pin!(stop.cancelled().fuse());
        let mut is_stopping = false;
        loop {
            run.step();
            if run.protocol.has_left() {
                return run.finish();
            }
            let wake_at = run.started + run.protocol.wake_at();
            tokio::select! {
                Some(event) = events.recv() => run.observe(event),
                Some((kind, response)) = run.requests.next() => run.answer(kind, response),
                () = run.member.shards.shared.progress.notified() => {}
                () = &mut stopped, if !is_stopping => {
                    is_stopping = true;
                    run.protocol.shut_down(run.started.elapsed());
                }
                () = sleep_until(wake_at) => {}
            }
        }
    }
}

/// A request in flight. Returns the new version of the object.
type Request = BoxFuture<'static, (WriteKind, Result<u64, RequestError>)>;

/// Failure of a request.
#[derive(Debug, thiserror::Error)]
enum RequestError {
    #[error("no response within {0:?}")]
    TimedOut(Duration),
    /// The object has changed since this replica has observed it.
    #[error("{0}")]
    Outdated(String),
    #[error("{0}")]
    Failed(String),
}

impl From<kube::Error> for RequestError {
    fn from(error: kube::Error) -> Self {
        match error {
            // Including the Lease to update or delete. To create one is 404 without the namespace.
            kube::Error::Api(status) if matches!(status.code, 404 | 409) => {
                Self::Outdated(status.message)
            }
            kube::Error::Api(status) => Self::Failed(describe_refusal(&status, VERBS)),
            error => Self::Failed(error.to_string()),
        }
    }
}

/// A running member.
struct Run {
    member: ShardMember,
    protocol: Protocol,
    started: Instant,
    /// The group's Leases by name, as last observed.
    leases: HashMap<String, Lease>,
    requests: FuturesUnordered<Request>,
    /// The last failure of each kind of requests. It is logged once.
    failures: HashMap<WriteKind, String>,
    /// The active ranges after the last step.
    active: HashRanges,
    next_count: Instant,
    /// What the caches held when the objects were last counted.
    counted: HashRanges,
}

impl Run {
    fn new(member: ShardMember) -> Self {
        let shard_by = member.shards.shared.shard_by;
        Self {
            protocol: Protocol::new(member.name.clone(), member.timing, shard_by),
            member,
            started: Instant::now(),
            leases: HashMap::new(),
            requests: FuturesUnordered::new(),
            failures: HashMap::new(),
            active: HashRanges::new(),
            next_count: Instant::now(),
            counted: HashRanges::new(),
        }
    }

    fn observe(&mut self, event: LeaseEvent) {
        let now = self.started.elapsed();
        match event {
            LeaseEvent::Listed(leases) => {
                let snapshot = self.member.group.snapshot(&leases);
                let named = |lease: Lease| Some((lease.metadata.name.clone()?, lease));
                self.leases = leases.into_iter().filter_map(named).collect();
                self.protocol.list(now, snapshot);
            }
            LeaseEvent::Changed { lease, is_deleted } => {
                let change = self.member.group.change(&lease, is_deleted);
                let (Some(change), Some(name)) = (change, lease.metadata.name.clone()) else {
                    return;
                };
                if is_deleted {
                    self.leases.remove(&name);
                } else {
                    self.leases.insert(name, *lease);
                }
                self.protocol.watch(now, change);
            }
        }
    }

    fn step(&mut self) {
        let now: Time = self.started.elapsed();
        self.count();
        loop {
            let writes = self.protocol.step(now);
            self.publish();
            for write in writes {
                let request = self.request(write);
                self.requests.push(request);
            }
            // What has to stop and does not run has ended already.
            let (ended, has_leader_ended) =
                self.member.shards.shared.ended(self.protocol.draining());
            let ends_leading = has_leader_ended && self.protocol.must_end_leading();
            if ended.is_empty() && !ends_leading {
                return;
            }
            self.protocol.drained(now, &ended);
            if ends_leading {
                self.protocol.leader_work_ended(now);
            }
        }
    }

    /// Counts the objects from time to time, since the numbers change slowly, and when the caches
    /// hold others.
    fn count(&mut self) {
        // What the caches do not hold yet cannot be counted.
        let countable = self.member.shards.shared.usable();
        if Instant::now() < self.next_count && countable == self.counted {
            return;
        }
        self.next_count = Instant::now() + self.member.timing.retry_period * COUNT_EVERY;
        self.counted.clone_from(&countable);
        // The function is user code.
        let counting = AssertUnwindSafe(|| (self.member.counts)(&self.member.shards));
        let counts = catch_unwind(counting).unwrap_or_else(|panic| {
            let (group, panic) = (&self.member.group.name, panic_message(&*panic));
            tracing::error!(group, panic, "counting the objects panicked");
            None
        });
        let Some(counts) = counts else {
            return;
        };
        let assignment = self.protocol.assignment();
        let is_known = assignment.is_some() || !counts.is_empty();
        if is_known {
            self.protocol
                .weigh(Weights::report(&counts, assignment, &countable));
        }
    }

    fn publish(&mut self) {
        let at = |time: Option<Time>| time.map(|time| self.started + time);
        let active = self.protocol.active().clone();
        let mut held = active.clone();
        held.extend(self.protocol.draining().iter().cloned());
        let status = self.status();
        if active != self.active {
            let assignment = self.protocol.assignment();
            tracing::info!(
                group = self.member.group.name,
                member = self.member.name,
                generation = assignment.map(|it| it.generation),
                slots = status.slots,
                held_slots = status.held_slots,
                objects = status.objects,
                held_objects = status.held_objects,
                members = status.members,
                "shards changed"
            );
            self.active.clone_from(&active);
            self.member.metrics.moved();
        }
        let leads = self.protocol.is_leading();
        self.member.metrics.record(&status, leads);
        self.member.shards.shared.set_status(status);
        self.member.shards.shared.set_permissions(Permissions {
            active,
            held,
            is_leading: self.protocol.is_leading(),
            has_leader: self.protocol.has_leader(),
            deadline: at(self.protocol.deadline()),
            fence: at(self.protocol.fence()),
        });
    }

    fn status(&self) -> ShardStatus {
        let mut status = ShardStatus {
            members: self.protocol.members(),
            obstacle: self.protocol.obstacle(),
            ..ShardStatus::default()
        };
        if let Some(assignment) = self.protocol.counted_assignment() {
            let usable = self.member.shards.shared.usable();
            assignment.describe(self.protocol.active(), &usable, &mut status);
        }
        status
    }

    /// Sends a request.
    fn request(&self, write: LeaseWrite) -> Request {
        let kind = write.kind();
        let leases = self.member.leases.clone();
        let limit = self.member.timing.request_timeout();
        let request = self.prepare(write);
        async move {
            let response = match timeout(limit, request.send(&leases)).await {
                Ok(response) => response.map_err(RequestError::from),
                Err(_) => Err(RequestError::TimedOut(limit)),
            };
            (kind, response)
        }
        .boxed()
    }

    fn answer(&mut self, kind: WriteKind, response: Result<u64, RequestError>) {
        let now = self.started.elapsed();
        self.protocol
            .answer(now, kind, response.as_ref().ok().copied());
        let Err(error) = response else {
            self.failures.remove(&kind);
            return;
        };
        let (group, member) = (&self.member.group.name, &self.member.name);
        let message = error.to_string();
        // Another replica may have been faster, which is no failure.
        let is_outdated = matches!(error, RequestError::Outdated(_)) && self.has_joined();
        if is_outdated || self.failures.get(&kind) == Some(&message) {
            tracing::debug!(group, member, ?kind, error = message, "request failed");
        } else {
            tracing::warn!(group, member, ?kind, error = message, "request failed");
            self.failures.insert(kind, message);
        }
    }

    fn has_joined(&self) -> bool {
        self.leases.contains_key(&self.member.name)
    }

    fn prepare(&self, write: LeaseWrite) -> LeaseRequest {
        let ShardMember {
            group,
            name,
            identity,
            timing,
            ..
        } = &self.member;
        let seconds = timing.lease_seconds();
        let (name, content, version) = match write {
            LeaseWrite::DeleteMember(name, version) => return LeaseRequest::Delete(name, version),
            LeaseWrite::Member(version, record) => (
                name.clone(),
                Content::member(&record, identity, seconds),
                version,
            ),
            LeaseWrite::Lock(version, record) => {
                let content = match &record.holder {
                    LockHolder::Member(uid) => Content::lock(uid, &self.identity_of(uid), seconds),
                    LockHolder::Nobody | LockHolder::Foreign => Content::released_lock(),
                };
                (group.name.clone(), content, version)
            }
            LeaseWrite::Assignment(version, assignment) => (
                group.assignment(),
                Content::assignment(&assignment),
                version,
            ),
        };
        let lease = group.lease(&name, content, version, self.leases.get(&name));
        match version {
            Some(_) => LeaseRequest::Update(Box::new(lease)),
            None => LeaseRequest::Create(Box::new(lease)),
        }
    }

    /// Returns the identity of a member, which its Lease shows as holder.
    fn identity_of(&self, uid: &str) -> String {
        self.leases
            .values()
            .find(|lease| lease.metadata.uid.as_deref() == Some(uid))
            .and_then(holder)
            .unwrap_or(&self.member.identity)
            .to_owned()
    }

    fn finish(self) {
        self.member
            .shards
            .shared
            .set_permissions(Permissions::default());
        tracing::info!(
            group = self.member.group.name,
            member = self.member.name,
            "left the group"
        );
    }
}

enum LeaseRequest {
    Create(Box<Lease>),
    Update(Box<Lease>),
    Delete(String, u64),
}

impl LeaseRequest {
    async fn send(self, leases: &TypedClient<Lease>) -> Result<u64> {
        let params = PostParams::default();
        match self {
            Self::Create(lease) => leases.create(&lease, &params).await.map(|it| version(&it)),
            Self::Update(lease) => leases.update(&lease, &params).await.map(|it| version(&it)),
            Self::Delete(name, version) => {
                let params = DeleteParams {
                    preconditions: Some(Preconditions {
                        resource_version: Some(version.to_string()),
                        uid: None,
                    }),
                    ..DeleteParams::default()
                };
                leases.delete(&name, &params).await.map(|_| version)
            }
        }
    }
}

/// Event of [`LeaseWatch`].
enum LeaseEvent {
    Listed(Vec<Lease>),
    Changed { lease: Box<Lease>, is_deleted: bool },
}

/// Failure of a list or a watch.
#[derive(Debug, thiserror::Error)]
enum WatchError {
    #[error("no response in time")]
    TimedOut(#[from] Elapsed),
    #[error("{}", describe_watch_failure(.0))]
    Failed(#[from] kube::Error),
}

fn describe_watch_failure(error: &kube::Error) -> String {
    match error {
        kube::Error::Api(status) => describe_refusal(status, VERBS),
        error => error.to_string(),
    }
}

/// List and watch of the Leases of a namespace.
///
/// The lock may be the Lease of a program without sharding, which sets no label. So Leases of other
/// programs in the namespace are delivered as well.
struct LeaseWatch {
    leases: TypedClient<Lease>,
    sender: mpsc::Sender<LeaseEvent>,
    /// A member renews its Lease more often than that, so a longer silence means that the watch is
    /// stuck.
    stalled_after: Duration,
    request_timeout: Duration,
    retry_period: Duration,
}

impl LeaseWatch {
    /// Lists and watches until the receiver is dropped.
    async fn run(self) {
        let mut last_failure = String::new();
        while !self.sender.is_closed() {
            let begun = Instant::now();
            if let Err(error) = self.list_and_watch(&mut last_failure).await {
                let failure = error.to_string();
                if failure == last_failure {
                    tracing::debug!(error = failure, "cannot watch leases");
                } else {
                    tracing::warn!(error = failure, "cannot watch leases");
                }
                last_failure = failure;
            }
            // The pause counts from the start, so there is none after a watch of some seconds.
            sleep_until(begun + jitter(self.retry_period / 2, 1.0)).await;
        }
    }

    async fn list_and_watch(&self, last_failure: &mut String) -> Result<(), WatchError> {
        let limit = self.request_timeout;
        let list = timeout(limit, self.leases.list(&ListParams::default())).await??;
        let version = list.metadata.resource_version.unwrap_or_default();
        self.send(LeaseEvent::Listed(list.items)).await;
        let params = WatchParams::default();
        let mut events = timeout(limit, self.leases.watch(&params, &version)).await??;
        last_failure.clear();
        loop {
            let event = timeout(self.stalled_after, events.next()).await?;
            let (lease, is_deleted) = match event.transpose()? {
                None => return Ok(()),
                Some(WatchEvent::Added(lease) | WatchEvent::Modified(lease)) => (lease, false),
                Some(WatchEvent::Deleted(lease)) => (lease, true),
                Some(WatchEvent::Bookmark(_)) => continue,
                Some(WatchEvent::Error(status)) => return Err(kube::Error::Api(status).into()),
            };
            self.send(LeaseEvent::Changed {
                lease: Box::new(lease),
                is_deleted,
            })
            .await;
        }
    }

    async fn send(&self, event: LeaseEvent) {
        // An error means that the member has left. Then the task ends.
        let _ = self.sender.send(event).await;
    }
}

impl fmt::Debug for ShardMember {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ShardMember")
            .field("name", &self.name)
            .field("shards", &self.shards)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for ShardMemberBuilder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ShardMemberBuilder")
            .field("group", &self.group)
            .field("shard_by", &self.shard_by)
            .field("timing", &self.timing)
            .finish_non_exhaustive()
    }
}
