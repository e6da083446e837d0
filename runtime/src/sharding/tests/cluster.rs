//! A simulated cluster: an API server, and replicas with clocks of their own. Requests, responses
//! and events of watches take random times, or are lost.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};
use std::time::Duration;

use genclient_apimachinery::sharding::hash;

use crate::leaderelection::Timing;
use crate::sharding::key::ShardBy;
use crate::sharding::protocol::{Protocol, Time};
use crate::sharding::ranges::HashRanges;
use crate::sharding::records::{
    Change, LeaseWrite, LockHolder, LockRecord, Snapshot, Stored, WriteKind,
};
use crate::sharding::weights::Weights;

pub(super) const TIMING: Timing = Timing {
    lease_duration: Duration::from_secs(15),
    renew_deadline: Duration::from_secs(10),
    retry_period: Duration::from_secs(2),
};
const REQUEST_TIMEOUT: Duration = Duration::from_secs(5);

/// The API server.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct ApiServer {
    version: u64,
    uids: u64,
    pub(super) objects: Snapshot,
    /// All changes, in order.
    pub(super) log: Vec<Change>,
}

impl ApiServer {
    pub(super) fn without_log(&self) -> Self {
        Self {
            log: Vec::new(),
            ..self.clone()
        }
    }

    /// Applies a request of the replica `name`. Returns the new version, or `None` after a
    /// conflict.
    pub(super) fn apply(&mut self, name: &str, write: &LeaseWrite) -> Option<u64> {
        let change = match write {
            LeaseWrite::Member(version, record) => {
                let old = self.objects.members.get(name).cloned();
                let stored = self.store(old, *version, record)?;
                self.objects.members.insert(name.to_owned(), stored.clone());
                Change::Member(name.to_owned(), Some(stored))
            }
            LeaseWrite::DeleteMember(name, version) => {
                let member = self.objects.members.get(name)?;
                if member.version != *version {
                    return None;
                }
                self.delete_member(name);
                return Some(*version);
            }
            LeaseWrite::Lock(version, record) => {
                let stored = self.store(self.objects.lock.clone(), *version, record)?;
                Change::Lock(self.objects.lock.insert(stored).clone().into())
            }
            LeaseWrite::Assignment(version, record) => {
                let stored = self.store(self.objects.assignment.clone(), *version, record)?;
                Change::Assignment(self.objects.assignment.insert(stored).clone().into())
            }
        };
        self.log.push(change);
        Some(self.version)
    }

    fn store<T: Clone>(
        &mut self,
        old: Option<Stored<T>>,
        version: Option<u64>,
        value: &T,
    ) -> Option<Stored<T>> {
        if old.as_ref().map(|old| old.version) != version {
            return None;
        }
        self.version += 1;
        let uid = old.map(|old| old.uid).unwrap_or_else(|| {
            self.uids += 1;
            format!("uid-{}", self.uids)
        });
        Some(Stored {
            uid,
            version: self.version,
            value: value.clone(),
        })
    }

    pub(super) fn delete_member(&mut self, name: &str) {
        if self.objects.members.remove(name).is_some() {
            self.version += 1;
            self.log.push(Change::Member(name.to_owned(), None));
        }
    }

    pub(super) fn delete_lock(&mut self) {
        if self.objects.lock.take().is_some() {
            self.version += 1;
            self.log.push(Change::Lock(None));
        }
    }

    pub(super) fn delete_assignment(&mut self) {
        if self.objects.assignment.take().is_some() {
            self.version += 1;
            self.log.push(Change::Assignment(None));
        }
    }
}

/// Random numbers of a seed (xorshift64).
struct Random {
    state: u64,
    /// Whether requests and events are fast, and none is lost.
    is_calm: bool,
}

impl Random {
    fn number(&mut self) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state
    }

    /// Mostly a few milliseconds, and sometimes seconds.
    fn delay(&mut self) -> Duration {
        let percentile = if self.is_calm { 0 } else { self.number() % 100 };
        Duration::from_micros(match percentile {
            0..80 => 200 + self.number() % 5_000,
            80..97 => self.number() % 300_000,
            _ => self.number() % 3_000_000,
        })
    }

    fn is_lost(&mut self) -> bool {
        !self.is_calm && self.number().is_multiple_of(50)
    }
}

/// Scheduled event. Replicas are named by their index and the number of their process.
enum Task {
    Step(usize, u64),
    Request(usize, u64, String, LeaseWrite),
    Answer(usize, u64, WriteKind, Option<u64>),
    /// The watch delivers its next event.
    Event(usize, u64),
    List(usize, u64),
    Listed(usize, u64, Box<Snapshot>, usize),
    Drained(usize, u64, HashRanges),
    LeaderWorkEnded(usize, u64),
    Fault(Fault),
    /// The program without sharding tries to acquire the lock.
    Unsharded,
}

/// A fault of a replica, by its index, or of the cluster. Durations are in milliseconds.
#[derive(Clone, Debug)]
pub(super) enum Fault {
    Kill(usize),
    /// Kills the process if it runs, and starts another one.
    Start(usize),
    ShutDown(usize),
    /// The process is suspended.
    Suspend(usize, u64),
    /// Requests are lost, and the watch delivers nothing.
    Partition(usize, u64),
    /// The watch delivers nothing. Requests arrive.
    Stall(usize, u64),
    /// Requests are applied, and their responses are lost.
    LoseResponses(usize, u64),
    Relist(usize),
    Outage(u64),
    DeleteMember(usize),
    DeleteLock,
    DeleteAssignment,
    /// A program without sharding starts or ends.
    Unsharded(bool),
}

/// A replica.
pub(super) struct Replica {
    /// `None` while there is no process.
    pub(super) protocol: Option<Protocol>,
    process: u64,
    pub(super) name: String,
    pub(super) shard_by: ShardBy,
    /// Rate of the clock in thousandths.
    rate: u32,
    started: Duration,
    /// Number of changes that the watch has sent.
    sent: usize,
    /// Changes that the watch has sent and not delivered.
    undelivered: VecDeque<usize>,
    /// When the last of them is delivered.
    last_delivery: Duration,
    is_listing: bool,
    /// When the watch or a list last delivered something.
    heard: Duration,
    suspended_until: Duration,
    partitioned_until: Duration,
    stalled_until: Duration,
    deaf_until: Duration,
    draining: HashRanges,
    ends_leading: bool,
    next_step: Duration,
    next_count: Time,
}

impl Replica {
    fn new(rate: u32, shard_by: ShardBy) -> Self {
        Self {
            protocol: None,
            process: 0,
            name: String::new(),
            shard_by,
            rate,
            started: Duration::ZERO,
            sent: 0,
            undelivered: VecDeque::new(),
            last_delivery: Duration::ZERO,
            is_listing: false,
            heard: Duration::ZERO,
            suspended_until: Duration::ZERO,
            partitioned_until: Duration::ZERO,
            stalled_until: Duration::ZERO,
            deaf_until: Duration::ZERO,
            draining: HashRanges::new(),
            ends_leading: false,
            next_step: Duration::MAX,
            next_count: Time::ZERO,
        }
    }

    /// The changes that the watch has not delivered.
    pub(super) fn undelivered(&self) -> impl Iterator<Item = usize> {
        self.undelivered.iter().copied()
    }

    /// The time of the replica's clock.
    pub(super) fn local(&self, now: Duration) -> Time {
        now.saturating_sub(self.started) * self.rate / 1000
    }

    fn is_working(&self, now: Duration) -> bool {
        let fence = self.protocol.as_ref().and_then(Protocol::fence);
        now >= self.suspended_until && fence.is_some_and(|fence| self.local(now) < fence)
    }

    /// The hashes that the replica works on.
    pub(super) fn working(&self, now: Duration) -> HashRanges {
        match &self.protocol {
            Some(protocol) if self.is_working(now) => {
                let ranges = protocol.active().iter().chain(protocol.draining().iter());
                ranges.cloned().collect()
            }
            _ => HashRanges::new(),
        }
    }

    pub(super) fn leads(&self, now: Duration) -> bool {
        self.is_working(now) && self.protocol.as_ref().is_some_and(Protocol::leads)
    }
}

/// A program with leader election and without sharding, as client-go's.
#[derive(Default)]
struct Unsharded {
    is_running: bool,
    /// Version of the lock, and when it was first observed.
    observed: Option<(u64, Duration)>,
    leads_until: Duration,
}

/// The simulated cluster.
pub(super) struct Cluster {
    pub(super) now: Duration,
    random: Random,
    pub(super) api: ApiServer,
    pub(super) replicas: Vec<Replica>,
    queue: BinaryHeap<Reverse<(Duration, u64)>>,
    tasks: BTreeMap<u64, Task>,
    last_task: u64,
    outage_until: Duration,
    unsharded: Unsharded,
    lock_deleted: Option<Duration>,
    assignment_deleted: Option<Duration>,
    /// Numbers of objects by hash.
    pub(super) objects: BTreeMap<u64, u64>,
}

impl Cluster {
    /// Starts replicas whose clocks have these rates, in thousandths.
    pub(super) fn new(seed: u64, rates: &[(u32, ShardBy)]) -> Self {
        let tenants = (0..32).map(|tenant| (hash(&format!("tenant-{tenant:02}")), 4 + tenant % 3));
        let mut cluster = Self {
            now: Duration::ZERO,
            random: Random {
                state: seed | 1,
                is_calm: false,
            },
            api: ApiServer::default(),
            replicas: Vec::new(),
            queue: BinaryHeap::new(),
            tasks: BTreeMap::new(),
            last_task: 0,
            outage_until: Duration::ZERO,
            unsharded: Unsharded::default(),
            lock_deleted: None,
            assignment_deleted: None,
            objects: tenants.collect(),
        };
        for (index, (rate, shard_by)) in rates.iter().enumerate() {
            cluster.replicas.push(Replica::new(*rate, *shard_by));
            cluster.start(index);
        }
        cluster.after(TIMING.retry_period, Task::Unsharded);
        cluster
    }

    /// From now on, requests and events are fast, and none is lost.
    pub(super) fn calm_down(&mut self) {
        self.random.is_calm = true;
        self.unsharded.is_running = false;
    }

    pub(super) fn plan(&mut self, at: Duration, fault: Fault) {
        self.at(at, Task::Fault(fault));
    }

    fn at(&mut self, at: Duration, task: Task) {
        self.last_task += 1;
        self.tasks.insert(self.last_task, task);
        self.queue.push(Reverse((at.max(self.now), self.last_task)));
    }

    fn after(&mut self, delay: Duration, task: Task) {
        self.at(self.now + delay, task);
    }

    /// Runs until a time, and calls `check` after each event.
    pub(super) fn run<E>(
        &mut self,
        until: Duration,
        mut check: impl FnMut(&Self) -> Result<(), E>,
    ) -> Result<(), E> {
        while let Some(Reverse((at, task))) = self.queue.peek().copied()
            && at <= until
        {
            self.queue.pop();
            self.now = at;
            let task = self.tasks.remove(&task).unwrap();
            self.perform(task);
            self.send_events();
            assert!(
                self.last_task < 300_000,
                "at {at:?}: endless requests or steps"
            );
            check(self)?;
        }
        self.now = until;
        Ok(())
    }

    fn start(&mut self, index: usize) {
        let replica = &mut self.replicas[index];
        let process = replica.process + 1;
        let name = format!("member-{index}-{process}");
        *replica = Replica {
            protocol: Some(Protocol::new(name.clone(), TIMING, replica.shard_by)),
            process,
            name,
            started: self.now,
            heard: self.now,
            is_listing: true,
            partitioned_until: replica.partitioned_until,
            ..Replica::new(replica.rate, replica.shard_by)
        };
        let delay = self.random.delay();
        self.after(delay, Task::List(index, process));
    }

    fn is_cut_off(&self, index: usize) -> bool {
        self.now < self.replicas[index].partitioned_until || self.now < self.outage_until
    }

    /// Sends what has changed to all watches.
    fn send_events(&mut self) {
        for index in 0..self.replicas.len() {
            while self.replicas[index].protocol.is_some()
                && !self.replicas[index].is_listing
                && self.replicas[index].sent < self.api.log.len()
            {
                let delay = self.random.delay();
                let replica = &mut self.replicas[index];
                replica.last_delivery = replica.last_delivery.max(self.now + delay);
                replica.undelivered.push_back(replica.sent);
                replica.sent += 1;
                let (at, process) = (replica.last_delivery, replica.process);
                self.at(at, Task::Event(index, process));
            }
        }
    }

    fn step(&mut self, index: usize) {
        let now = self.now;
        let objects = &self.objects;
        let replica = &mut self.replicas[index];
        let local = replica.local(now);
        let Some(protocol) = &mut replica.protocol else {
            return;
        };
        // As a member does, not at every step.
        if local >= replica.next_count {
            replica.next_count = local + TIMING.retry_period;
            count(protocol, objects);
        }
        let writes = protocol.step(local);
        let draining = protocol.draining().clone();
        let mut fresh = draining.clone();
        replica
            .draining
            .iter()
            .for_each(|range| fresh.remove(range.clone()));
        replica.draining = draining;
        let must_end = protocol.leads() && !protocol.is_leading();
        let ends_leading = must_end && !replica.ends_leading;
        replica.ends_leading = must_end;
        let real = |time: Time| time.saturating_sub(local) * 1000 / replica.rate;
        let until_fence = protocol.fence().map(real).unwrap_or_default();
        let next_step = now + real(protocol.wake_at()) + Duration::from_micros(100);
        let (name, process) = (replica.name.clone(), replica.process);
        if protocol.has_left() {
            replica.protocol = None;
        } else if next_step < replica.next_step || replica.next_step <= now {
            replica.next_step = next_step;
            self.at(next_step, Task::Step(index, process));
        }
        // Work ends after a while. At the fence, it is dropped.
        if !fresh.is_empty() {
            let delay = (self.random.delay() * 4).min(until_fence);
            self.after(delay, Task::Drained(index, process, fresh));
        }
        if ends_leading {
            let delay = (self.random.delay() * 4).min(until_fence);
            self.after(delay, Task::LeaderWorkEnded(index, process));
        }
        for write in writes {
            let delay = self.random.delay();
            self.after(delay, Task::Request(index, process, name.clone(), write));
        }
    }

    /// Returns the replica of a task, if it is a task of a process.
    fn owner(task: &Task) -> Option<(usize, u64)> {
        match task {
            Task::Step(index, process)
            | Task::Answer(index, process, ..)
            | Task::Event(index, process)
            | Task::List(index, process)
            | Task::Listed(index, process, ..)
            | Task::Drained(index, process, _)
            | Task::LeaderWorkEnded(index, process) => Some((*index, *process)),
            Task::Request(..) | Task::Fault(_) | Task::Unsharded => None,
        }
    }

    fn perform(&mut self, task: Task) {
        if let Some((index, process)) = Self::owner(&task) {
            let replica = &self.replicas[index];
            if replica.protocol.is_none() || replica.process != process {
                return;
            }
            if self.now < replica.suspended_until {
                return self.at(replica.suspended_until, task);
            }
        }
        match task {
            Task::Request(index, process, name, write) => {
                self.request(index, process, &name, &write);
            }
            Task::Event(index, process) => self.deliver(index, process),
            Task::List(index, process) => self.list(index, process),
            Task::Fault(fault) => self.fault(fault),
            Task::Unsharded => self.try_acquire_unsharded(),
            Task::Step(index, _) => {
                self.replicas[index].next_step = Duration::MAX;
                if self.now >= self.replicas[index].heard + TIMING.retry_period * 3 {
                    self.relist(index);
                }
                self.step(index);
            }
            Task::Answer(index, _, kind, version) => {
                self.observe(index, |protocol, now| protocol.answer(now, kind, version));
            }
            Task::Listed(index, _, snapshot, position) => {
                let replica = &mut self.replicas[index];
                replica.is_listing = false;
                replica.heard = self.now;
                replica.sent = position;
                replica.undelivered.clear();
                self.observe(index, |protocol, now| protocol.list(now, *snapshot));
            }
            Task::Drained(index, _, ranges) => {
                let draining = &mut self.replicas[index].draining;
                ranges
                    .iter()
                    .for_each(|range| draining.remove(range.clone()));
                self.observe(index, |protocol, now| protocol.drained(now, &ranges));
            }
            Task::LeaderWorkEnded(index, _) => {
                self.observe(index, Protocol::leader_work_ended);
            }
        }
    }

    fn observe(&mut self, index: usize, observe: impl FnOnce(&mut Protocol, Time)) {
        let replica = &mut self.replicas[index];
        let local = replica.local(self.now);
        if let Some(protocol) = &mut replica.protocol {
            observe(protocol, local);
        }
        self.step(index);
    }

    fn request(&mut self, index: usize, process: u64, name: &str, write: &LeaseWrite) {
        let is_lost = self.is_cut_off(index) || self.random.is_lost();
        let version = if is_lost {
            None
        } else {
            self.api.apply(name, write)
        };
        let is_lost =
            is_lost || self.now < self.replicas[index].deaf_until || self.random.is_lost();
        let (delay, version) = if is_lost {
            (REQUEST_TIMEOUT, None)
        } else {
            (self.random.delay(), version)
        };
        self.after(delay, Task::Answer(index, process, write.kind(), version));
    }

    fn deliver(&mut self, index: usize, process: u64) {
        let replica = &mut self.replicas[index];
        let until = replica
            .partitioned_until
            .max(replica.stalled_until)
            .max(self.outage_until);
        if self.now < until {
            replica.last_delivery = replica.last_delivery.max(until);
            return self.at(until, Task::Event(index, process));
        }
        // A list has replaced the events before it.
        let Some(number) = replica.undelivered.pop_front() else {
            return;
        };
        replica.heard = self.now;
        let change = self.api.log[number].clone();
        self.observe(index, |protocol, now| protocol.watch(now, change));
    }

    fn list(&mut self, index: usize, process: u64) {
        if self.is_cut_off(index) {
            return self.after(TIMING.retry_period / 4, Task::List(index, process));
        }
        let (snapshot, position) = (Box::new(self.api.objects.clone()), self.api.log.len());
        let delay = self.random.delay();
        self.after(delay, Task::Listed(index, process, snapshot, position));
    }

    fn fault(&mut self, fault: Fault) {
        let until = |old: Duration, millis: u64| old.max(self.now + Duration::from_millis(millis));
        match fault {
            Fault::Kill(index) => self.replicas[index].protocol = None,
            Fault::Start(index) => self.start(index),
            Fault::ShutDown(index) => {
                if self.now >= self.replicas[index].suspended_until {
                    self.observe(index, Protocol::shut_down);
                }
            }
            Fault::Suspend(index, millis) => {
                let replica = &mut self.replicas[index];
                replica.suspended_until = until(replica.suspended_until, millis);
            }
            Fault::Partition(index, millis) => {
                let replica = &mut self.replicas[index];
                replica.partitioned_until = until(replica.partitioned_until, millis);
            }
            Fault::Stall(index, millis) => {
                let replica = &mut self.replicas[index];
                replica.stalled_until = until(replica.stalled_until, millis);
            }
            Fault::LoseResponses(index, millis) => {
                let replica = &mut self.replicas[index];
                replica.deaf_until = until(replica.deaf_until, millis);
            }
            Fault::Outage(millis) => self.outage_until = until(self.outage_until, millis),
            Fault::Relist(index) => self.relist(index),
            Fault::DeleteMember(index) => {
                let name = self.replicas[index].name.clone();
                self.api.delete_member(&name);
            }
            Fault::DeleteLock => {
                // With a program without sharding, there would be two leaders, as without sharding.
                let is_alone = !self.unsharded.is_running && self.now >= self.unsharded.leads_until;
                if is_alone && !self.is_recent(self.assignment_deleted) {
                    self.lock_deleted = Some(self.now);
                    self.api.delete_lock();
                }
            }
            Fault::DeleteAssignment => {
                // Without both, nobody knows that there was an assignment.
                if !self.is_recent(self.lock_deleted) {
                    self.assignment_deleted = Some(self.now);
                    self.api.delete_assignment();
                }
            }
            Fault::Unsharded(is_running) => {
                self.unsharded.is_running = is_running;
                self.unsharded.observed = None;
            }
        }
    }

    /// Replaces the watch, as a member does if it is silent.
    fn relist(&mut self, index: usize) {
        let replica = &mut self.replicas[index];
        if replica.protocol.is_some() && !replica.is_listing {
            replica.is_listing = true;
            let process = replica.process;
            self.after(Duration::ZERO, Task::List(index, process));
        }
    }

    fn is_recent(&self, at: Option<Duration>) -> bool {
        at.is_some_and(|at| self.now < at + TIMING.lease_duration)
    }

    fn try_acquire_unsharded(&mut self) {
        self.after(TIMING.retry_period, Task::Unsharded);
        let lock = self.api.objects.lock.clone();
        let record = |holder| LockRecord {
            holder,
            lease_duration: TIMING.lease_duration,
            is_sharded: lock.as_ref().is_some_and(|lock| lock.value.is_sharded),
        };
        let version = lock.as_ref().map(|lock| lock.version);
        let holder = lock.as_ref().map(|lock| lock.value.holder.clone());
        if self.now < self.outage_until {
            return;
        }
        if !self.unsharded.is_running {
            if matches!(holder, Some(LockHolder::Foreign)) {
                self.unsharded.leads_until = self.now;
                self.api
                    .apply("", &LeaseWrite::Lock(version, record(LockHolder::Nobody)));
            }
            return;
        }
        let may_acquire = match (holder, self.unsharded.observed) {
            (None, _) => !self.is_recent(self.lock_deleted),
            (Some(LockHolder::Nobody | LockHolder::Foreign), _) => true,
            (_, Some((observed, at))) if Some(observed) == version => {
                self.now >= at + TIMING.lease_duration
            }
            _ => {
                self.unsharded.observed = version.map(|version| (version, self.now));
                false
            }
        };
        let foreign = record(LockHolder::Foreign);
        if may_acquire
            && self
                .api
                .apply("", &LeaseWrite::Lock(version, foreign))
                .is_some()
        {
            self.unsharded.leads_until = self.now + TIMING.renew_deadline;
        }
    }

    /// Checks that nobody works on what another one works on, and that there is one leader.
    pub(super) fn check_exclusion(&self) -> Result<(), String> {
        let is_unsharded_leading = self.now < self.unsharded.leads_until;
        let mut leaders = usize::from(is_unsharded_leading);
        let mut worked_on = HashRanges::new();
        if is_unsharded_leading {
            worked_on.insert(0..=u64::MAX);
        }
        for replica in &self.replicas {
            let ranges = replica.working(self.now);
            if let Some(range) = ranges.iter().find(|range| worked_on.overlaps(range)) {
                let name = &replica.name;
                return Err(format!(
                    "at {:?}: {name} is not alone on {range:?}",
                    self.now
                ));
            }
            worked_on.extend(ranges);
            leaders += usize::from(replica.leads(self.now));
        }
        if leaders > 1 {
            return Err(format!("at {:?}: {leaders} leaders", self.now));
        }
        Ok(())
    }

    /// Checks that all hashes have a replica, and that there is a leader.
    pub(super) fn check_completeness(&self) -> Result<(), String> {
        let replicas = self.replicas.iter();
        let held: HashRanges = replicas.flat_map(|it| it.working(self.now)).collect();
        if held.iter().ne([&(0..=u64::MAX)]) {
            return Err(format!("at {:?}: held are {held:?}", self.now));
        }
        if !self.replicas.iter().any(|it| it.leads(self.now)) {
            return Err(format!("at {:?}: no leader", self.now));
        }
        Ok(())
    }

    /// Checks that the replicas of the group have similar numbers of objects.
    pub(super) fn check_balance(&self) -> Result<(), String> {
        let Some(assignment) = &self.api.objects.assignment else {
            return Err("no assignment".to_owned());
        };
        let shard_by = assignment.value.shard_by;
        let is_member = |it: &&Replica| it.protocol.is_some() && it.shard_by == shard_by;
        let members = self.replicas.iter().filter(is_member);
        let load = |replica: &&Replica| {
            let working = replica.working(self.now);
            let objects = self
                .objects
                .iter()
                .filter(|(hash, _)| working.contains(hash));
            objects.map(|(_, count)| count).sum::<u64>()
        };
        let loads: Vec<_> = members.map(|it| load(&it)).collect();
        let mean = loads.iter().sum::<u64>() / loads.len() as u64;
        if loads.iter().any(|load| load.abs_diff(mean) > mean / 3) {
            return Err(format!("at {:?}: loads are {loads:?}", self.now));
        }
        Ok(())
    }

    /// Returns the requests in flight, with the indices of their replicas.
    pub(super) fn requests(&self) -> impl Iterator<Item = (usize, &LeaseWrite)> {
        let running = |index: usize, process| {
            let replica = &self.replicas[index];
            replica.protocol.is_some() && replica.process == process
        };
        self.tasks.values().filter_map(move |task| match task {
            Task::Request(index, process, _, write) if running(*index, *process) => {
                Some((*index, write))
            }
            _ => None,
        })
    }

    /// Returns the responses in flight.
    pub(super) fn answers(&self) -> impl Iterator<Item = (usize, WriteKind, Option<u64>)> {
        self.tasks.values().filter_map(|task| match task {
            Task::Answer(index, process, kind, version)
                if self.replicas[*index].process == *process =>
            {
                Some((*index, *kind, *version))
            }
            _ => None,
        })
    }
}

/// Counts the objects that a replica holds.
fn count(protocol: &mut Protocol, objects: &BTreeMap<u64, u64>) {
    let weights = Weights::report(objects, protocol.assignment(), protocol.active());
    protocol.weigh(weights);
}
