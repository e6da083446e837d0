//! Handle to the objects of this replica, and permits to work on them.

use std::collections::BTreeMap;
use std::fmt;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use genclient_apimachinery::sharding::hash;
use parking_lot::Mutex;
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::assignment::{HashRanges, ShardBy};
use crate::time::FOR_EVER;

/// Handle to the objects of this replica. Cheap to clone.
#[derive(Clone)]
pub struct Shards(pub(super) Arc<Shared>);

pub(super) struct Shared {
    pub(super) shard_by: ShardBy,
    /// How long work may go on after it was told to stop.
    pub(super) drain_timeout: Duration,
    state: Mutex<ShardState>,
    /// Wakes the replica when work ends.
    pub(super) work_ended: Notify,
    /// Wakes those who wait for a change of `state`.
    changed: watch::Sender<()>,
}

/// Permissions of the replica, and the work that uses them.
#[derive(Default)]
struct ShardState {
    permissions: Permissions,
    running: BTreeMap<u64, Running>,
    /// Number of the last permit.
    last: u64,
    /// How often this replica has got hashes.
    gains: u64,
}

/// Permissions as of the last step of the protocol.
#[derive(Clone, Default, PartialEq)]
pub(super) struct Permissions {
    pub(super) active: HashRanges,
    pub(super) is_leading: bool,
    /// Whether any replica is the leader.
    pub(super) has_leader: bool,
    /// When no more work may begin.
    pub(super) deadline: Option<Instant>,
    /// When all work is dropped.
    pub(super) fence: Option<Instant>,
}

struct Running {
    work: Work,
    withdrawn: CancellationToken,
}

/// Work that a permit allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Work {
    /// A key with this hash.
    Key(u64),
    Leader,
}

impl Permissions {
    /// Whether work may begin.
    fn includes(&self, work: Work) -> bool {
        let is_in_time = self.deadline.is_some_and(|at| Instant::now() < at);
        is_in_time
            && match work {
                Work::Key(hash) => self.active.contains(&hash),
                Work::Leader => self.is_leading,
            }
    }
}

/// Error of [`Permit::run`]: the work was dropped, since this replica may not work on it any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the work was dropped, because another replica may work on it")]
#[non_exhaustive]
pub struct WorkDroppedError;

/// Permission to work on one object, or to do the leader's work. Until it is dropped, or the Lease
/// of this replica expires, no other replica gets it. Within the replica, it does not exclude
/// others.
///
/// Work only by [`run`](Self::run), which ends the work in time. A permit that is kept without it
/// delays the replica that is to continue.
#[must_use = "no other replica gets the permission until this is dropped"]
pub struct Permit {
    shared: Arc<Shared>,
    number: u64,
    work: Work,
    withdrawn: CancellationToken,
}

/// Gains of a replica, from [`Shards::gains`].
#[derive(Debug)]
pub struct Gains {
    shards: Shards,
    changed: watch::Receiver<()>,
    seen: u64,
}

impl Gains {
    /// Waits until this replica has got objects since the last call, or since [`Shards::gains`].
    ///
    /// # Cancel safety
    ///
    /// No gain is lost if the future is dropped.
    pub async fn next(&mut self) {
        while self.shards.0.state.lock().gains == self.seen {
            // The sender lives as long as `self`.
            let _ = self.changed.changed().await;
        }
        self.seen = self.shards.0.state.lock().gains;
    }
}

impl Shards {
    pub(super) fn new(shard_by: ShardBy, drain_timeout: Duration) -> Self {
        Self(Arc::new(Shared {
            shard_by,
            drain_timeout,
            state: Mutex::default(),
            work_ended: Notify::new(),
            changed: watch::channel(()).0,
        }))
    }

    /// Returns the shard key.
    #[must_use]
    pub fn shard_by(&self) -> ShardBy {
        self.0.shard_by
    }

    /// Returns whether this replica is the leader. This may change right after the call: do the
    /// leader's work with a permit of [`lead`](Self::lead).
    #[must_use]
    pub fn is_leading(&self) -> bool {
        self.0.state.lock().permissions.includes(Work::Leader)
    }

    /// Returns whether this replica knows of a leader.
    #[must_use]
    pub fn has_leader(&self) -> bool {
        self.0.state.lock().permissions.has_leader
    }

    /// Returns the hash of an object, which decides about its replica.
    #[must_use]
    pub fn hash(&self, namespace: &str, name: &str) -> u64 {
        match self.0.shard_by {
            ShardBy::Namespace => hash(namespace),
            ShardBy::Name => hash(&format!("{namespace}/{name}")),
        }
    }

    /// Returns whether the object is this replica's. This may change right after the call:
    /// use [`enter`](Self::enter) to work on the object.
    #[must_use]
    pub fn holds(&self, namespace: &str, name: &str) -> bool {
        let work = Work::Key(self.hash(namespace, name));
        self.0.state.lock().permissions.includes(work)
    }

    /// Returns the future gains of this replica.
    #[must_use]
    pub fn gains(&self) -> Gains {
        Gains {
            changed: self.0.changed.subscribe(),
            seen: self.0.state.lock().gains,
            shards: self.clone(),
        }
    }

    /// Returns a permit to work on an object, or `None` if the object is another replica's, or this
    /// replica has not renewed its Lease in time.
    pub fn enter(&self, namespace: &str, name: &str) -> Option<Permit> {
        self.permit(Work::Key(self.hash(namespace, name)))
    }

    /// Waits until this replica is the leader. Returns a permit to do the leader's work.
    ///
    /// # Cancel safety
    ///
    /// Nothing is lost if the future is dropped.
    pub async fn lead(&self) -> Permit {
        let mut changed = self.0.changed.subscribe();
        loop {
            if let Some(permit) = self.permit(Work::Leader) {
                return permit;
            }
            // The sender lives as long as `self`.
            let _ = changed.changed().await;
        }
    }

    fn permit(&self, work: Work) -> Option<Permit> {
        let mut state = self.0.state.lock();
        let ShardState {
            permissions,
            running,
            last,
            ..
        } = &mut *state;
        if !permissions.includes(work) {
            return None;
        }
        *last += 1;
        let withdrawn = CancellationToken::new();
        let entry = Running {
            work,
            withdrawn: withdrawn.clone(),
        };
        running.insert(*last, entry);
        Some(Permit {
            shared: Arc::clone(&self.0),
            number: *last,
            work,
            withdrawn,
        })
    }
}

impl Shared {
    /// Sets the permissions. Tells work that is not permitted any more to stop.
    pub(super) fn set_permissions(&self, permissions: Permissions) {
        let mut state = self.state.lock();
        let running = state.running.values();
        let withdrawn: Vec<_> = running
            .filter(|running| !permissions.includes(running.work))
            .map(|running| running.withdrawn.clone())
            .collect();
        // After the deadline, objects were refused although they were held.
        let old = &state.permissions;
        let has_lapsed = old.deadline.is_none_or(|at| at <= Instant::now());
        let mut active = permissions.active.iter();
        let has_gained = active.any(|it| has_lapsed || old.active.gaps(it).next().is_some());
        state.gains += u64::from(has_gained);
        let is_changed = state.permissions != permissions;
        state.permissions = permissions;
        // Wakers run while a token is cancelled. They may drop a permit, which locks the state.
        drop(state);
        withdrawn.iter().for_each(CancellationToken::cancel);
        if is_changed {
            self.changed.send_replace(());
        }
    }

    /// Returns the ranges of `draining` without running work, and whether no leader's work runs.
    pub(super) fn ended(&self, draining: &HashRanges) -> (HashRanges, bool) {
        let state = self.state.lock();
        let is_running = |hashes: &std::ops::RangeInclusive<u64>| {
            let mut running = state.running.values();
            running.any(|it| matches!(it.work, Work::Key(hash) if hashes.contains(&hash)))
        };
        let ended = draining
            .iter()
            .filter(|hashes| !is_running(hashes))
            .cloned()
            .collect();
        let leads = state.running.values().any(|it| it.work == Work::Leader);
        (ended, !leads)
    }
}

impl Permit {
    /// Runs the work. Its argument is the token that is cancelled when the work has to end: after
    /// two thirds of the [drain timeout](super::ShardMemberBuilder::drain_timeout), if another
    /// replica is to continue it; at once if this replica cannot renew its Lease; or together with
    /// `stop`.
    ///
    /// Work that does not end in time is dropped. It never runs after another replica may have got
    /// it, even if the process was suspended meanwhile.
    ///
    /// # Errors
    ///
    /// [`WorkDroppedError`] if the work was dropped.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future drops the work.
    pub async fn run<W: Future>(
        self,
        stop: &CancellationToken,
        work: impl FnOnce(CancellationToken) -> W,
    ) -> Result<W::Output, WorkDroppedError> {
        let must_end = stop.child_token();
        let mut running = pin!(work(must_end.clone()));
        let mut changed = self.shared.changed.subscribe();
        let mut drain = None;
        loop {
            if drain.is_none() && self.withdrawn.is_cancelled() {
                drain = Some(Drain::begin(self.shared.drain_timeout));
            }
            let ends = || self.ends(drain.as_ref());
            let Ends { stop_at, drop_at } = ends();
            if stop_at <= Instant::now() {
                must_end.cancel();
            }
            // A timer may fire late after a suspension, so each poll compares the time itself.
            let in_time = poll_fn(|context| {
                if ends().drop_at <= Instant::now() {
                    return Poll::Ready(None);
                }
                running.as_mut().poll(context).map(Some)
            });
            tokio::select! {
                biased;
                output = in_time => return output.ok_or(WorkDroppedError),
                () = sleep_until(drop_at) => {}
                () = sleep_until(stop_at), if !must_end.is_cancelled() => {}
                () = self.withdrawn.cancelled(), if drain.is_none() => {}
                // The deadline and the fence have moved.
                _ = changed.changed() => {}
            }
        }
    }

    /// Returns when the work has to end, unless a renewal succeeds before.
    fn ends(&self, drain: Option<&Drain>) -> Ends {
        let now = Instant::now();
        let state = self.shared.state.lock();
        let of_lease = Ends {
            stop_at: state.permissions.deadline.unwrap_or(now),
            drop_at: state.permissions.fence.unwrap_or(now),
        };
        match drain {
            None => of_lease,
            Some(Drain(of_drain)) => Ends {
                stop_at: of_lease.stop_at.min(of_drain.stop_at),
                drop_at: of_lease.drop_at.min(of_drain.drop_at),
            },
        }
    }
}

/// Times at which work is told to stop, and is dropped.
struct Ends {
    stop_at: Instant,
    drop_at: Instant,
}

/// End of work that another replica is to continue.
struct Drain(Ends);

impl Drain {
    fn begin(timeout: Duration) -> Self {
        let now = Instant::now();
        let limit = timeout.min(FOR_EVER);
        Self(Ends {
            stop_at: now + limit / 3 * 2,
            drop_at: now + limit,
        })
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.shared.state.lock().running.remove(&self.number);
        if self.withdrawn.is_cancelled() {
            self.shared.work_ended.notify_one();
        }
    }
}

impl fmt::Debug for Shards {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let permissions = self.0.state.lock().permissions.clone();
        formatter
            .debug_struct("Shards")
            .field("shard_by", &self.0.shard_by)
            .field("active", &permissions.active)
            .field("is_leading", &permissions.is_leading)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Permit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = formatter.debug_struct("Permit");
        debug.field("work", &self.work).finish_non_exhaustive()
    }
}
