//! Exploration: all orders in which requests, responses and batches of events may be processed
//! after a fault, up to a number of steps. One request may be lost, before or after it is applied.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use super::cluster::{ApiServer, Cluster, Fault};
use crate::sharding::key::ShardBy;
use crate::sharding::protocol::Protocol;
use crate::sharding::ranges::HashRanges;
use crate::sharding::records::{Change, LeaseWrite, WriteKind};

/// How much time passes at once.
const TICK: Duration = Duration::from_secs(5);

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    now: Duration,
    api: ApiServer,
    replicas: Vec<Replica>,
    /// How many requests may still be lost.
    losses: usize,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Replica {
    name: String,
    /// When its clock was at zero.
    started: Duration,
    protocol: Protocol,
    events: Vec<Change>,
    requests: Vec<LeaseWrite>,
    answers: Vec<(WriteKind, Option<u64>)>,
}

impl Replica {
    fn step(&mut self, now: Duration) {
        self.requests.extend(self.protocol.step(now - self.started));
    }

    fn is_fenced(&self, now: Duration) -> bool {
        self.protocol
            .fence()
            .is_none_or(|fence| now >= self.started + fence)
    }

    fn working(&self, now: Duration) -> HashRanges {
        if self.is_fenced(now) {
            return HashRanges::new();
        }
        let ranges = self
            .protocol
            .active()
            .iter()
            .chain(self.protocol.draining().iter());
        ranges.cloned().collect()
    }
}

impl State {
    /// The state of a cluster whose clocks agree.
    fn of(cluster: &Cluster) -> Self {
        let replicas = cluster.replicas.iter().enumerate();
        let running = replicas.filter_map(|(index, replica)| {
            let of = |(owner, write): (usize, &LeaseWrite)| (owner == index).then(|| write.clone());
            Some(Replica {
                name: replica.name.clone(),
                started: cluster.now - replica.local(cluster.now),
                protocol: replica.protocol.clone()?,
                events: replica
                    .undelivered()
                    .map(|it| cluster.api.log[it].clone())
                    .collect(),
                requests: cluster.requests().filter_map(of).collect(),
                answers: cluster
                    .answers()
                    .filter(|(owner, ..)| *owner == index)
                    .map(|(_, kind, version)| (kind, version))
                    .collect(),
            })
        });
        Self {
            now: cluster.now,
            replicas: running.collect(),
            api: cluster.api.without_log(),
            losses: 1,
        }
    }

    /// Returns the states that may follow.
    fn successors(&self) -> Vec<Self> {
        let mut successors = Vec::new();
        let mut add = |change: &dyn Fn(&mut Self)| {
            let mut next = self.clone();
            change(&mut next);
            if next != *self {
                successors.push(next);
            }
        };
        add(&|next| next.now += TICK);
        for index in 0..self.replicas.len() {
            add(&|next| next.deliver(index));
            add(&|next| next.answer(index));
            add(&|next| next.drain(index));
            add(&|next| next.replicas[index].step(next.now));
            for request in 0..self.replicas[index].requests.len() {
                add(&|next| next.apply(index, request));
                add(&|next| next.lose_response(index, request));
                add(&|next| next.lose(index, request));
            }
        }
        successors
    }

    /// The watch delivers all events.
    fn deliver(&mut self, index: usize) {
        let replica = &mut self.replicas[index];
        if replica.events.is_empty() {
            return;
        }
        for change in std::mem::take(&mut replica.events) {
            replica.protocol.watch(self.now - replica.started, change);
        }
        replica.step(self.now);
    }

    fn answer(&mut self, index: usize) {
        let replica = &mut self.replicas[index];
        if !replica.answers.is_empty() {
            let (kind, version) = replica.answers.remove(0);
            replica
                .protocol
                .answer(self.now - replica.started, kind, version);
            replica.step(self.now);
        }
    }

    fn drain(&mut self, index: usize) {
        let Replica {
            protocol, started, ..
        } = &mut self.replicas[index];
        let local = self.now - *started;
        let draining = protocol.draining().clone();
        protocol.drained(local, &draining);
        protocol.leader_work_ended(local);
    }

    fn apply(&mut self, index: usize, request: usize) {
        let Replica {
            name,
            requests,
            answers,
            ..
        } = &mut self.replicas[index];
        let write = requests.remove(request);
        answers.push((write.kind(), self.api.apply(name, &write)));
        let changes = std::mem::take(&mut self.api.log);
        for replica in &mut self.replicas {
            replica.events.extend(changes.iter().cloned());
        }
    }

    /// The request is applied, and its response is lost.
    fn lose_response(&mut self, index: usize, request: usize) {
        if self.losses > 0 {
            self.losses -= 1;
            self.apply(index, request);
            if let Some((_, version)) = self.replicas[index].answers.last_mut() {
                *version = None;
            }
        }
    }

    /// The request is lost.
    fn lose(&mut self, index: usize, request: usize) {
        if self.losses > 0 {
            self.losses -= 1;
            let replica = &mut self.replicas[index];
            let write = replica.requests.remove(request);
            replica.answers.push((write.kind(), None));
        }
    }

    fn check(&self) {
        let mut worked_on = HashRanges::new();
        let mut leaders = 0;
        for replica in &self.replicas {
            let working = replica.working(self.now);
            assert!(
                !working.iter().any(|range| worked_on.overlaps(range)),
                "two replicas"
            );
            let is_fenced = replica.is_fenced(self.now);
            leaders += usize::from(replica.protocol.leads() && !is_fenced);
            worked_on.extend(working);
        }
        assert!(leaders <= 1, "two leaders");
    }
}

/// Checks all states that can be reached from `state` in `steps` steps. Returns their number.
fn explore(state: State, steps: usize) -> usize {
    let hasher = RandomState::new();
    let mut seen = HashSet::from([hasher.hash_one(&state)]);
    let mut states = vec![state];
    for _ in 0..steps {
        let mut next = Vec::new();
        for successor in states.iter().flat_map(State::successors) {
            if seen.insert(hasher.hash_one(&successor)) {
                successor.check();
                next.push(successor);
            }
        }
        states = next;
    }
    seen.len()
}

#[test]
fn no_order_gives_a_hash_to_two_replicas() {
    let second = Duration::from_secs(1);
    // The last column is the number of steps. There are more orders after some faults.
    for (fault, after, steps) in [
        // The coordinator dies, and its Lease expires.
        (Fault::Kill(0), 14 * second, 9),
        // A member dies.
        (Fault::Kill(2), 14 * second, 9),
        (Fault::ShutDown(0), Duration::from_millis(1), 6),
        // A member joins.
        (Fault::Start(3), Duration::from_millis(1), 6),
        (Fault::DeleteMember(1), Duration::ZERO, 6),
        (Fault::DeleteLock, Duration::ZERO, 6),
        (Fault::DeleteAssignment, Duration::ZERO, 6),
    ] {
        let mut cluster = Cluster::new(7, &[(1000, ShardBy::Namespace); 4]);
        cluster.objects = (0..4).map(|hash| (hash << 62, 1)).collect();
        cluster.calm_down();
        cluster.plan(second, Fault::ShutDown(3));
        cluster.run(60 * second, Cluster::check_exclusion).unwrap();
        cluster.plan(60 * second, fault.clone());
        cluster
            .run(60 * second + after, Cluster::check_exclusion)
            .unwrap();
        let states = explore(State::of(&cluster), steps);
        println!("{fault:?}: {states} states");
        assert!(states > 1_000, "{fault:?}");
    }
}
