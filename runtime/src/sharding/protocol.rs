//! Sharding protocol: state machine of one replica. Observations go in; the hashes that the replica
//! may work on and the requests to send come out. The caller has the clock, the watch and the
//! connection.
//!
//! Replicas share three kinds of Leases. One watch delivers the changes of all of them, in the
//! order in which the API server stored them:
//!
//! - the Lease of each **member**, which the member renews;
//! - the **lock**. Its holder is the coordinator. A program without sharding uses the same Lease
//!   for its leader election, so the two exclude each other;
//! - the **assignment**, which the coordinator writes.
//!
//! # At most one holder
//!
//! 1. A member trusts its own Lease from the time at which it sent a renewal, and only after the
//!    watch has delivered this renewal (the echo). Then it has observed everything that was stored
//!    before. [`deadline`](Protocol::deadline) and [`fence`](Protocol::fence) count from there.
//! 2. A Lease has expired for another member if the watch had delivered no change of it for the
//!    lease duration as of the other member's own echo. So clocks are not compared, their rates may
//!    differ by 10 %, and a watch that is stuck makes no Lease expire.
//! 3. The coordinator deletes an expired Lease in the version that it judged, which fails after a
//!    renewal. Only then does it give away what the member held. A member without a Lease stops
//!    everything, and then joins with a new one, whose uid has no slots.
//! 4. If a Lease was deleted in another way, its member may not have noticed yet. What it held is
//!    given away a lease duration later.
//! 5. A slot moves in two writes. The first one withdraws it. The second one gives it away, after
//!    the Lease of the old holder says that it holds only what the first one left it.
//! 6. Every request names the version that it is based on. So two coordinators, or one that was
//!    suspended, do no harm.
//! 7. If the assignment was deleted, the next one gives nothing away until every member follows it,
//!    and a lease duration has passed for those without a Lease.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use super::assignment::{Assignment, HashSlot, Seat, Uid};
use super::balance::{Load, balance};
use super::key::ShardBy;
use super::ranges::{HashRanges, subtract};
use super::records::{
    Change, Followed, LeaseWrite, LockHolder, LockRecord, MemberRecord, Snapshot, Stored, WriteKind,
};
use super::status::ShardObstacle;
use super::weights::Weights;
use crate::leaderelection::Timing;

/// Monotonic time of this replica, since any moment.
pub(super) type Time = Duration;

/// State of one replica.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Protocol {
    /// Name of this replica's Lease.
    name: String,
    timing: Timing,
    shard_by: ShardBy,
    now: Time,
    /// When the first list was observed.
    synced_at: Option<Time>,
    members: BTreeMap<String, Seen<MemberRecord>>,
    lock: Option<Seen<LockRecord>>,
    assignment: Option<Seen<Assignment>>,
    /// Whether there was an assignment at any time.
    had_assignment: bool,
    /// Whether this replica alone may create the first assignment.
    may_start: bool,
    /// Whether the request in flight that writes the lock is the first one of any member.
    starts: bool,
    /// Members whose Leases were deleted although they had not expired: when this was observed, and
    /// how long they may still work.
    missing: BTreeMap<Uid, (Time, Duration)>,
    /// Members that hold nothing, and whose Leases were deleted.
    dead: BTreeSet<Uid>,
    /// Number of the last renewal.
    renewal: u64,
    /// Renewals without an echo, and when they were sent.
    sent: VecDeque<(u64, Time)>,
    /// When the last renewal with an echo was sent.
    echo: Option<Time>,
    /// A time after which a member has written the lock.
    lock_echo: Option<Time>,
    /// When the last write of the lock was sent, unless it releases the lock.
    lock_sent: Option<Time>,
    /// When an event or a list was observed last.
    observed_at: Time,
    next_renewal: Time,
    next_lock_renewal: Time,
    /// When a failed request may be repeated.
    retry_at: BTreeMap<WriteKind, Time>,
    /// Versions in responses, and when they arrived. The watch may deliver them later.
    written: BTreeMap<WriteKind, (u64, Time)>,
    in_flight: BTreeSet<WriteKind>,
    /// Leases that were deleted. The watch may deliver this later.
    evicted: BTreeSet<Uid>,
    /// The objects in `active`.
    weights: Weights,
    active: HashRanges,
    draining: HashRanges,
    is_leading: bool,
    /// Whether the leader's work runs, also after `is_leading` has become false.
    leads: bool,
    /// Since when this replica shuts down.
    shutting_down_since: Option<Time>,
}

/// An object as this replica has observed it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Seen<T> {
    stored: Stored<T>,
    /// When this version was observed first.
    at: Time,
}

impl Protocol {
    pub(super) fn new(name: impl Into<String>, timing: Timing, shard_by: ShardBy) -> Self {
        Self {
            name: name.into(),
            timing,
            shard_by,
            now: Time::ZERO,
            synced_at: None,
            members: BTreeMap::new(),
            lock: None,
            assignment: None,
            had_assignment: false,
            may_start: false,
            starts: false,
            missing: BTreeMap::new(),
            dead: BTreeSet::new(),
            renewal: 0,
            sent: VecDeque::new(),
            echo: None,
            lock_echo: None,
            lock_sent: None,
            observed_at: Time::ZERO,
            next_renewal: Time::ZERO,
            next_lock_renewal: Time::ZERO,
            retry_at: BTreeMap::new(),
            written: BTreeMap::new(),
            in_flight: BTreeSet::new(),
            evicted: BTreeSet::new(),
            weights: Weights::default(),
            active: HashRanges::new(),
            draining: HashRanges::new(),
            is_leading: false,
            leads: false,
            shutting_down_since: None,
        }
    }
}

/// Observations.
impl Protocol {
    /// Observes the result of a list.
    pub(super) fn list(&mut self, now: Time, snapshot: Snapshot) {
        self.now = now;
        self.observed_at = now;
        self.synced_at.get_or_insert(now);
        // Versions may have gone back, if etcd was restored from a backup.
        self.written.clear();
        let names: BTreeSet<_> = self.members.keys().cloned().collect();
        for name in names {
            if !snapshot.members.contains_key(&name) {
                // It may have been renewed since it was observed.
                self.lose_member(&name, false);
            }
        }
        // Members come first, since the version of the lock is compared with that of the own Lease.
        for (name, member) in snapshot.members {
            self.observe_member(name, Some(member));
        }
        self.observe_lock(snapshot.lock);
        self.observe_assignment(snapshot.assignment);
    }

    /// Observes an event of the watch that follows the last list.
    pub(super) fn watch(&mut self, now: Time, change: Change) {
        self.now = now;
        self.observed_at = now;
        match change {
            Change::Member(name, member) => self.observe_member(name, member),
            Change::Lock(lock) => self.observe_lock(lock),
            Change::Assignment(assignment) => self.observe_assignment(assignment),
        }
    }

    /// Observes the response of a request: the new version, or `None` if the request failed or may
    /// have failed.
    pub(super) fn answer(&mut self, now: Time, kind: WriteKind, version: Option<u64>) {
        self.now = now;
        self.in_flight.remove(&kind);
        let Some(version) = version else {
            let retry_at = now + self.timing.retry_period / 4;
            self.retry_at.insert(kind, retry_at);
            match kind {
                WriteKind::Member => self.next_renewal = retry_at,
                WriteKind::Lock => self.next_lock_renewal = retry_at,
                WriteKind::DeleteMember => self.evicted.clear(),
                WriteKind::Assignment => {}
            }
            return;
        };
        match kind {
            WriteKind::Lock => {
                self.may_start |= self.starts;
                self.lock_echo = self.lock_echo.max(self.lock_sent);
            }
            WriteKind::Member | WriteKind::DeleteMember | WriteKind::Assignment => {}
        }
        self.written.insert(kind, (version, now));
    }

    /// Observes that the work on these hashes of [`draining`](Self::draining) has ended.
    pub(super) fn drained(&mut self, now: Time, ranges: &HashRanges) {
        self.now = now;
        self.draining = subtract(&self.draining, ranges);
    }

    /// Observes that the leader's work, which had to stop, has ended.
    pub(super) fn leader_work_ended(&mut self, now: Time) {
        self.now = now;
        self.leads = self.is_leading;
    }

    /// Sets the numbers of objects in [`active`](Self::active), or of all objects before there is
    /// an assignment. The next renewal reports them.
    pub(super) fn weigh(&mut self, weights: Weights) {
        self.weights = weights;
    }

    /// Stops for good.
    pub(super) fn shut_down(&mut self, now: Time) {
        self.now = now;
        self.shutting_down_since.get_or_insert(now);
    }

    fn observe_member(&mut self, name: String, member: Option<Stored<MemberRecord>>) {
        let Some(stored) = member else {
            return self.lose_member(&name, true);
        };
        if let Some(old) = self.members.get(&name) {
            if is_same_version(&stored, &old.stored) {
                return;
            }
            if stored.uid != old.stored.uid {
                self.lose_member(&name, false);
            }
        }
        self.had_assignment |= stored.value.follows.is_some();
        self.missing.remove(&stored.uid);
        if name == self.name {
            self.observe_echo(stored.value.renewal);
        }
        let at = self.now;
        self.members.insert(name, Seen { stored, at });
    }

    /// Observes that a Lease was deleted. `is_last_version` tells whether it was deleted in the
    /// version that was observed.
    fn lose_member(&mut self, name: &str, is_last_version: bool) {
        let Some(member) = self.members.remove(name) else {
            return;
        };
        let Stored { uid, value, .. } = &member.stored;
        self.evicted.remove(uid);
        if value.is_leaving || (is_last_version && self.is_expired(&member)) {
            self.dead.insert(uid.clone());
        } else {
            let lease_duration = value.lease_duration;
            self.missing.insert(uid.clone(), (self.now, lease_duration));
        }
        if name == self.name {
            self.written.remove(&WriteKind::Member);
        }
    }

    fn observe_echo(&mut self, renewal: u64) {
        while let Some((number, sent)) = self.sent.front().copied()
            && number <= renewal
        {
            self.sent.pop_front();
            if number == renewal {
                self.echo = Some(sent);
            }
        }
    }

    fn observe_lock(&mut self, lock: Option<Stored<LockRecord>>) {
        let Some(stored) = lock else {
            if self.lock.take().is_some() {
                self.written.remove(&WriteKind::Lock);
            }
            return;
        };
        if let Some(old) = &self.lock
            && is_same_version(&stored, &old.stored)
        {
            return;
        }
        let is_after_echo = self
            .own()
            .is_some_and(|own| stored.version > own.stored.version);
        if is_after_echo && matches!(stored.value.holder, LockHolder::Member(_)) {
            self.lock_echo = self.lock_echo.max(self.echo);
        }
        let at = self.now;
        self.lock = Some(Seen { stored, at });
    }

    fn observe_assignment(&mut self, assignment: Option<Stored<Assignment>>) {
        let at = self.now;
        self.had_assignment |= assignment.is_some();
        if assignment.is_none() && self.assignment.is_some() {
            self.written.remove(&WriteKind::Assignment);
        }
        self.assignment = assignment.map(|stored| Seen { stored, at });
    }
}

/// Permissions.
impl Protocol {
    /// The hashes whose keys may be handed out until the [`deadline`](Self::deadline).
    pub(super) fn active(&self) -> &HashRanges {
        &self.active
    }

    /// The hashes whose keys may not be handed out any more, and whose work has not ended yet.
    pub(super) fn draining(&self) -> &HashRanges {
        &self.draining
    }

    /// Whether this replica is the leader, until the [`deadline`](Self::deadline).
    pub(super) fn is_leading(&self) -> bool {
        self.is_leading
    }

    /// Whether the leader's work runs, or had to stop and has not ended yet.
    #[cfg(test)]
    pub(super) fn leads(&self) -> bool {
        self.leads
    }

    /// When no more work may begin, unless a renewal succeeds before.
    pub(super) fn deadline(&self) -> Option<Time> {
        let deadline = self.timing.renew_deadline;
        // A program without sharding may respect the lock for a shorter time.
        let of_lock = deadline.min(self.lock_duration() * 2 / 3);
        Some((self.echo? + deadline).min(self.lock_echo? + of_lock))
    }

    /// When all work has to be dropped, unless a renewal succeeds before.
    pub(super) fn fence(&self) -> Option<Time> {
        let fence = self.timing.fence();
        let of_lock = fence.min(self.lock_duration() * 9 / 10);
        Some((self.echo? + fence).min(self.lock_echo? + of_lock))
    }

    fn lock_duration(&self) -> Duration {
        let lock = self.lock.as_ref();
        lock.map_or(self.timing.lease_duration, |lock| {
            lock.stored.value.lease_duration
        })
    }

    /// Whether a replica is the leader.
    pub(super) fn has_leader(&self) -> bool {
        self.assignment()
            .is_some_and(|it| it.leader.holder.is_some())
    }

    /// Returns the assignment with the weights that the holders report.
    pub(super) fn counted_assignment(&self) -> Option<Assignment> {
        let stored = &self.assignment.as_ref()?.stored;
        let mut counted = stored.value.clone();
        counted.count(|slot| self.reported_weights(slot, stored));
        Some(counted)
    }

    /// Returns the number of members.
    pub(super) fn members(&self) -> usize {
        self.members.len()
    }

    /// Returns why this replica works on nothing, unless other members hold everything.
    pub(super) fn obstacle(&self) -> Option<ShardObstacle> {
        let assigned_by = self.assignment().map(|it| it.shard_by);
        let holder = self.lock.as_ref().map(|lock| &lock.stored.value.holder);
        if !self.active.is_empty() || self.is_shutting_down() {
            None
        } else if self.own().is_none() {
            Some(ShardObstacle::NotJoined)
        } else if holder == Some(&LockHolder::Foreign) {
            Some(ShardObstacle::LeaderElection)
        } else if self.deadline().is_none() {
            Some(ShardObstacle::NotJoined)
        } else if !self.may_work() {
            Some(ShardObstacle::Lapsed)
        } else if assigned_by.is_some_and(|it| it != self.shard_by) {
            Some(ShardObstacle::OtherShardKey)
        } else {
            let is_assigned = self.assignment().is_some_and(|it| it.is_settled);
            (!is_assigned).then_some(ShardObstacle::Unassigned)
        }
    }

    /// Whether the leader's work has to end.
    pub(super) fn must_end_leading(&self) -> bool {
        self.leads && !self.is_leading
    }

    /// Returns the assignment, as last observed.
    pub(super) fn assignment(&self) -> Option<&Assignment> {
        self.assignment.as_ref().map(|it| &it.stored.value)
    }

    /// Whether this replica has left the group after [`shut_down`](Self::shut_down), or cannot
    /// reach it. Then its Lease expires.
    pub(super) fn has_left(&self) -> bool {
        self.is_shutting_down() && self.is_idle() && (!self.is_member() || self.has_waited_long())
    }

    /// Whether the shutdown has taken so long that the API server must have refused a request.
    fn has_waited_long(&self) -> bool {
        self.shutting_down_since
            .is_some_and(|since| self.now >= since + self.timing.renew_deadline * 2)
    }

    fn is_shutting_down(&self) -> bool {
        self.shutting_down_since.is_some()
    }

    /// When to call [`step`](Self::step), unless something is observed before.
    pub(super) fn wake_at(&self) -> Time {
        let ends = [self.deadline(), self.fence()].into_iter().flatten();
        ends.chain([self.next_renewal, self.next_lock_renewal])
            .chain(self.retry_at.values().copied())
            .filter(|at| *at > self.now)
            .fold(self.now + self.timing.retry_period, Time::min)
    }

    fn own(&self) -> Option<&Seen<MemberRecord>> {
        self.members.get(&self.name)
    }

    fn own_uid(&self) -> Option<&Uid> {
        self.own().map(|own| &own.stored.uid)
    }

    fn member(&self, uid: &Uid) -> Option<&Seen<MemberRecord>> {
        self.members.values().find(|it| it.stored.uid == *uid)
    }

    fn is_idle(&self) -> bool {
        self.active.is_empty() && self.draining.is_empty() && !self.leads
    }

    /// Whether this replica has a Lease that cannot have expired for others.
    fn is_member(&self) -> bool {
        let is_renewed = self
            .echo
            .is_some_and(|echo| self.now < echo + self.timing.renew_deadline);
        is_renewed && self.own().is_some_and(|own| !own.stored.value.is_leaving)
    }

    /// Whether work may begin.
    fn may_work(&self) -> bool {
        let holder = self.lock.as_ref().map(|lock| &lock.stored.value.holder);
        self.is_member()
            && holder != Some(&LockHolder::Foreign)
            && !self.is_shutting_down()
            && self.deadline().is_some_and(|deadline| self.now < deadline)
    }

    fn holds_lock(&self) -> bool {
        let holder = self.lock.as_ref().map(|lock| &lock.stored.value.holder);
        match (holder, self.own_uid()) {
            (Some(LockHolder::Member(holder)), Some(uid)) => holder == uid,
            _ => false,
        }
    }

    /// Whether `duration` had passed since `at` when the last renewal with an echo was sent.
    fn has_passed(&self, at: Time, duration: Duration) -> bool {
        self.echo.is_some_and(|echo| echo >= at + duration)
    }

    fn is_expired(&self, member: &Seen<MemberRecord>) -> bool {
        self.has_passed(member.at, member.stored.value.lease_duration)
    }

    /// Whether a member without a Lease has stopped.
    fn has_stopped(&self, (since, lease_duration): (Time, Duration)) -> bool {
        self.has_passed(since, lease_duration)
    }

    /// Whether the member holds nothing, and will never hold anything again.
    fn is_dead(&self, uid: &Uid) -> bool {
        match self.member(uid) {
            Some(member) => member.stored.value.is_leaving,
            None => {
                let missing = self.missing.get(uid);
                self.dead.contains(uid) || missing.is_some_and(|it| self.has_stopped(*it))
            }
        }
    }

    /// Returns the members that the assignment may name.
    fn eligible(&self) -> Vec<Uid> {
        let shard_by = self.assignment().map_or(self.shard_by, |it| it.shard_by);
        self.alive(shard_by)
    }

    fn alive(&self, shard_by: ShardBy) -> Vec<Uid> {
        let is_alive = |(name, member): &(&String, &Seen<MemberRecord>)| {
            let record = &member.stored.value;
            let is_leaving = record.is_leaving || (self.is_shutting_down() && **name == self.name);
            record.shard_by == shard_by && !is_leaving && !self.is_expired(member)
        };
        let members = self.members.iter().filter(is_alive);
        members
            .map(|(_, member)| member.stored.uid.clone())
            .collect()
    }
}

/// Steps.
impl Protocol {
    /// Updates the permissions, and returns the requests to send. The caller
    /// [answers](Self::answer) each of them, after a timeout at the latest.
    pub(super) fn step(&mut self, now: Time) -> Vec<LeaseWrite> {
        self.now = now;
        self.note_missing_members();
        self.update_permissions();
        if self.synced_at.is_none() {
            return Vec::new();
        }
        let mut writes = Vec::from_iter(self.member_write());
        if self.is_member() {
            writes.extend(self.lock_write());
            if self.holds_lock() {
                writes.extend(self.eviction());
                writes.extend(self.assignment_write());
            }
        }
        let may_retry = |kind| self.retry_at.get(&kind).is_none_or(|at| *at <= now);
        writes.retain(|write| may_retry(write.kind()) && self.in_flight.insert(write.kind()));
        writes.iter().for_each(|write| self.note_sent(write));
        writes
    }

    fn note_sent(&mut self, write: &LeaseWrite) {
        match write {
            LeaseWrite::Member(_, record) => {
                self.renewal = record.renewal;
                self.sent.push_back((record.renewal, self.now));
                self.next_renewal = self.now + self.timing.retry_period;
            }
            LeaseWrite::Lock(_, record) => {
                let lock = self.lock.as_ref();
                self.starts = lock.is_none_or(|lock| !lock.stored.value.is_sharded);
                let is_held = record.holder != LockHolder::Nobody;
                self.lock_sent = is_held.then_some(self.now);
                self.next_lock_renewal = self.now + self.timing.retry_period;
            }
            // If the response is lost, the assignment may exist.
            LeaseWrite::Assignment(..) => self.may_start = false,
            LeaseWrite::DeleteMember(name, _) => {
                if let Some(member) = self.members.get(name) {
                    self.evicted.insert(member.stored.uid.clone());
                }
            }
        }
    }

    /// Notes members that the assignment names, and whose Leases this replica has never observed.
    fn note_missing_members(&mut self) {
        let holders = self
            .assignment()
            .map(Assignment::holders)
            .unwrap_or_default();
        let mut missing = std::mem::take(&mut self.missing);
        missing.retain(|uid, it| holders.contains(uid) || !self.has_stopped(*it));
        self.missing = missing;
        self.dead.retain(|uid| holders.contains(uid));
        for uid in holders {
            if self.member(&uid).is_none() && !self.dead.contains(&uid) {
                let lease_duration = self.timing.lease_duration;
                self.missing
                    .entry(uid)
                    .or_insert((self.now, lease_duration));
            }
        }
    }

    fn update_permissions(&mut self) {
        let given = match (self.assignment(), self.own_uid()) {
            (Some(assignment), Some(uid)) if self.may_work() => Some((assignment, uid)),
            _ => None,
        };
        let may_lead = given.is_some_and(|(it, uid)| it.leader.is_given_to(uid));
        let ranges = given.map(|(it, uid)| it.given_to(uid)).unwrap_or_default();
        for range in subtract(&self.active, &ranges) {
            self.draining.insert(range);
        }
        // What still drains begins again after it has ended.
        self.active = subtract(&ranges, &self.draining);
        self.is_leading = may_lead && (self.is_leading || !self.leads);
        self.leads |= self.is_leading;
    }

    /// Returns the generation that this replica follows, or `None` if it still holds more.
    fn followed(&self) -> Option<Followed> {
        let assignment = &self.assignment.as_ref()?.stored;
        let uid = self.own_uid()?;
        let given = assignment.value.given_to(uid);
        let holds_more = !subtract(&self.active, &given).is_empty()
            || !subtract(&self.draining, &given).is_empty()
            || (self.leads && !assignment.value.leader.is_given_to(uid));
        (!holds_more).then(|| Followed {
            assignment: assignment.uid.clone(),
            generation: assignment.value.generation,
        })
    }

    fn member_write(&self) -> Option<LeaseWrite> {
        // Without a watch, the Lease has to expire, since this replica works on nothing.
        let is_observing = self.now < self.observed_at + self.timing.renew_deadline;
        let is_due = self.now >= self.next_renewal && is_observing;
        let record = MemberRecord {
            renewal: self.renewal + 1,
            shard_by: self.shard_by,
            weights: self.weights.clone(),
            lease_duration: self.timing.lease_duration,
            follows: None,
            is_leaving: false,
        };
        let Some(own) = self.own() else {
            // What the lost Lease permitted has to end first.
            let may_join = is_due && self.is_idle() && !self.is_shutting_down();
            return may_join.then_some(LeaseWrite::Member(None, record));
        };
        let last = &own.stored.value;
        if last.is_leaving {
            return None;
        }
        let followed = self.followed();
        let is_awaited = followed.is_some() && self.is_awaited(last.follows.as_ref());
        let is_leaving = self.is_shutting_down() && self.is_idle() && !self.holds_lock();
        // The last report may be on its way.
        let is_reported = self.is_on_its_way(WriteKind::Member, own.stored.version);
        if !is_due && (is_reported || !(is_awaited || is_leaving)) {
            return None;
        }
        let record = MemberRecord {
            follows: followed.or_else(|| last.follows.clone()),
            is_leaving,
            ..record
        };
        Some(LeaseWrite::Member(
            Some(self.newest_version(WriteKind::Member, own)),
            record,
        ))
    }

    /// Whether the coordinator waits for this replica to follow the assignment. `last` is what it
    /// followed before.
    fn is_awaited(&self, last: Option<&Followed>) -> bool {
        let (Some(assignment), Some(uid)) = (&self.assignment, self.own_uid()) else {
            return false;
        };
        let Stored {
            uid: assignment,
            value,
            ..
        } = &assignment.stored;
        // A higher generation is that of an assignment that was damaged.
        let is_known = |last: &&Followed| {
            last.assignment == *assignment && last.generation <= value.generation
        };
        let Some(last) = last.filter(is_known) else {
            return true;
        };
        let is_withdrawn = |seat: &Seat| {
            seat.next.is_some()
                && seat.holder.as_ref() == Some(uid)
                && seat.withdrawn_at > last.generation
        };
        let is_unsettled = !value.is_settled && value.generation > last.generation;
        is_unsettled || value.seats().any(is_withdrawn)
    }

    fn newest_version<T>(&self, kind: WriteKind, seen: &Seen<T>) -> u64 {
        let written = self.written.get(&kind);
        written.map_or(seen.stored.version, |(version, _)| {
            seen.stored.version.max(*version)
        })
    }

    /// Whether the watch has yet to deliver the last write of an object, whose observed version is
    /// `version`. If it takes longer, the object may have been deleted since.
    fn is_on_its_way(&self, kind: WriteKind, version: u64) -> bool {
        self.written.get(&kind).is_some_and(|(written, at)| {
            *written > version && self.now < *at + self.timing.retry_period
        })
    }

    fn lock_write(&self) -> Option<LeaseWrite> {
        let uid = self.own_uid()?;
        let Some(lock) = &self.lock else {
            let record = LockRecord {
                holder: LockHolder::Member(uid.clone()),
                lease_duration: self.timing.lease_duration,
                is_sharded: true,
            };
            let is_due = self.now >= self.next_lock_renewal && !self.is_shutting_down();
            return is_due.then_some(LeaseWrite::Lock(None, record));
        };
        let record = LockRecord {
            holder: self.next_lock_holder(lock, uid)?,
            lease_duration: self.timing.lease_duration,
            is_sharded: true,
        };
        Some(LeaseWrite::Lock(
            Some(self.newest_version(WriteKind::Lock, lock)),
            record,
        ))
    }

    /// Returns the holder to write to the lock, or `None` if there is nothing to write.
    fn next_lock_holder(&self, lock: &Seen<LockRecord>, uid: &Uid) -> Option<LockHolder> {
        let is_due = self.now >= self.next_lock_renewal;
        if !is_due && self.is_on_its_way(WriteKind::Lock, lock.stored.version) {
            return None;
        }
        match &lock.stored.value.holder {
            LockHolder::Member(holder) if holder == uid => {
                if self.is_shutting_down() && self.is_idle() {
                    let successor = self.successor();
                    let is_replaced = self.next_assignment().is_none();
                    return is_replaced
                        .then(|| successor.map_or(LockHolder::Nobody, LockHolder::Member));
                }
                is_due.then(|| LockHolder::Member(uid.clone()))
            }
            _ if self.is_shutting_down() => None,
            LockHolder::Nobody => Some(LockHolder::Member(uid.clone())),
            LockHolder::Foreign => {
                let has_expired = self.has_passed(lock.at, lock.stored.value.lease_duration);
                has_expired.then(|| LockHolder::Member(uid.clone()))
            }
            LockHolder::Member(holder) => {
                let is_alive = self
                    .member(holder)
                    .is_some_and(|it| !it.stored.value.is_leaving && !self.is_expired(it));
                if !is_alive {
                    return Some(LockHolder::Member(uid.clone()));
                }
                // The holder may have died. Until its Lease has expired, the lock must not expire
                // for programs without sharding.
                let stale_at = self.lock_echo.map(|at| at + self.timing.retry_period * 2);
                let is_stale = stale_at.is_none_or(|at| self.echo.unwrap_or_default() >= at);
                (is_due && is_stale).then(|| LockHolder::Member(holder.clone()))
            }
        }
    }

    /// Returns the member that gets the lock of this one. One whose Lease has expired for this
    /// replica may have renewed it, and needs the lock as much.
    fn successor(&self) -> Option<Uid> {
        let alive = self.eligible().into_iter().next();
        alive.or_else(|| {
            self.members
                .iter()
                .filter(|(name, member)| **name != self.name && !member.stored.value.is_leaving)
                .map(|(_, member)| member.stored.uid.clone())
                .next()
        })
    }

    /// Returns the deletion of a Lease that has expired, or whose member has left.
    fn eviction(&self) -> Option<LeaseWrite> {
        let holders = self
            .assignment()
            .map(Assignment::holders)
            .unwrap_or_default();
        let is_over = |(name, member): &(&String, &Seen<MemberRecord>)| {
            if **name == self.name || self.evicted.contains(&member.stored.uid) {
                return false;
            }
            if member.stored.value.is_leaving {
                // Until its slots have other holders, the Lease tells that it has stopped.
                return !holders.contains(&member.stored.uid);
            }
            self.is_expired(member)
        };
        let (name, member) = self.members.iter().find(is_over)?;
        Some(LeaseWrite::DeleteMember(
            name.clone(),
            member.stored.version,
        ))
    }

    fn assignment_write(&self) -> Option<LeaseWrite> {
        if self.is_shutting_down() && !self.is_idle() {
            return None;
        }
        self.next_assignment()
    }

    fn next_assignment(&self) -> Option<LeaseWrite> {
        let Some(assignment) = &self.assignment else {
            let is_created = self.is_on_its_way(WriteKind::Assignment, 0);
            // The watch may be faster than the response that tells whether there has been another.
            let is_starting = self.starts && self.in_flight.contains(&WriteKind::Lock);
            return (!is_created && !is_starting && !self.is_shutting_down())
                .then(|| LeaseWrite::Assignment(None, self.first_assignment()));
        };
        let Stored {
            version,
            value: old,
            ..
        } = &assignment.stored;
        if self.is_on_its_way(WriteKind::Assignment, *version) {
            return None;
        }
        if !old.is_settled && !self.can_settle(&assignment.stored) {
            return None;
        }
        let mut new = Assignment {
            generation: old.generation + 1,
            is_settled: true,
            ..old.clone()
        };
        for seat in new.seats_mut() {
            if self.is_free(seat, &assignment.stored) {
                seat.holder = None;
            }
        }
        let mut members = self.eligible();
        if members.is_empty() && new.holders().is_empty() && !self.is_shutting_down() {
            new.shard_by = self.shard_by;
            members = self.alive(self.shard_by);
        }
        new.weigh(|slot| self.reported_weights(slot, &assignment.stored));
        self.distribute(&mut new, &members);
        if new.has_same_seats(old) {
            return None;
        }
        new.join_slots();
        Some(LeaseWrite::Assignment(Some(*version), new))
    }

    fn first_assignment(&self) -> Assignment {
        let mut assignment = Assignment {
            generation: 1,
            shard_by: self.shard_by,
            is_settled: self.may_start && !self.had_assignment,
            leader: Seat::default(),
            slots: self.first_slots(),
        };
        assignment.weigh(|_| Some(&self.weights));
        if assignment.is_settled {
            self.distribute(&mut assignment, &self.eligible());
        }
        assignment
    }

    /// Returns one slot, or equal ones if the program does not count its objects.
    fn first_slots(&self) -> Vec<HashSlot> {
        const UNCOUNTED_SLOTS: u64 = 64;
        let number = if self.weights.0.is_empty() {
            UNCOUNTED_SLOTS
        } else {
            1
        };
        let width = u64::MAX / number;
        let slots = (0..number).map(|index| HashSlot {
            first: index * width,
            weight: 1,
            ..HashSlot::default()
        });
        slots.collect()
    }

    /// Whether the holder of `seat` does not use it any more.
    fn is_free(&self, seat: &Seat, assignment: &Stored<Assignment>) -> bool {
        let Some(holder) = &seat.holder else {
            return true;
        };
        let is_released = |member: &Seen<MemberRecord>| {
            let followed = member.stored.value.follows.as_ref();
            followed.is_some_and(|it| {
                it.assignment == assignment.uid
                    && (seat.withdrawn_at..=assignment.value.generation).contains(&it.generation)
            })
        };
        self.is_dead(holder)
            || (self.is_shutting_down() && self.own_uid() == Some(holder))
            || (seat.next.is_some() && self.member(holder).is_some_and(is_released))
    }

    /// Returns the weights that the holder of a slot reports.
    fn reported_weights(
        &self,
        slot: &HashSlot,
        assignment: &Stored<Assignment>,
    ) -> Option<&Weights> {
        let member = &self.member(slot.seat.holder.as_ref()?)?.stored.value;
        let followed = member.follows.as_ref()?;
        (followed.assignment == assignment.uid).then_some(&member.weights)
    }

    /// Whether nobody works by an assignment that was deleted before this one was created.
    fn can_settle(&self, assignment: &Stored<Assignment>) -> bool {
        let follows = |member: &Seen<MemberRecord>| {
            let record = &member.stored.value;
            let followed = record.follows.as_ref().is_some_and(|it| {
                it.assignment == assignment.uid && it.generation == assignment.value.generation
            });
            followed || record.is_leaving
        };
        self.members.values().all(follows)
            && self
                .synced_at
                .is_some_and(|at| self.has_passed(at, self.timing.lease_duration))
            && self.missing.values().all(|it| self.has_stopped(*it))
    }

    /// Gives what has no holder to members, and withdraws what has to move.
    fn distribute(&self, assignment: &mut Assignment, members: &[Uid]) {
        let Some(first) = members.first() else {
            return;
        };
        let generation = assignment.generation;
        let leader = &mut assignment.leader;
        let candidates = [leader.next.as_ref(), leader.holder.as_ref(), self.own_uid()];
        let next = candidates
            .into_iter()
            .flatten()
            .find(|it| members.contains(it))
            .unwrap_or(first)
            .clone();
        leader.give_to(&next, generation);
        let load = |slot: &HashSlot| Load {
            weight: slot.weight,
            member: [&slot.seat.next, &slot.seat.holder]
                .into_iter()
                .flatten()
                .find_map(|uid| members.iter().position(|member| member == uid)),
        };
        let loads: Vec<_> = assignment.slots.iter().map(load).collect();
        let distribution = balance(&loads, members.len());
        for (slot, member) in assignment.slots.iter_mut().zip(distribution) {
            slot.seat.give_to(&members[member], generation);
        }
    }
}

fn is_same_version<T>(a: &Stored<T>, b: &Stored<T>) -> bool {
    a.uid == b.uid && a.version == b.version
}
