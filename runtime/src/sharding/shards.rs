//! Handle to the objects of this replica, permits to work on them, and the caches that hold them.

use std::collections::BTreeMap;
use std::fmt;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::key::ShardBy;
use super::ranges::{HashRanges, intersect, subtract};
use super::status::ShardStatus;
use crate::time::FOR_EVER;

/// How long objects that this replica has lost may stay in a cache. They are lost in several steps,
/// and each time, watches are opened again.
const LOSS_DELAY: Duration = Duration::from_secs(1);

/// Handle to the objects of this replica. Cheap to clone.
#[derive(Clone)]
pub struct Shards {
    pub(super) shared: Arc<Shared>,
    /// Numbers of the caches that have to hold an object before work on it may begin.
    caches: Arc<[u64]>,
}

pub(super) struct Shared {
    pub(super) shard_by: ShardBy,
    /// How long work may go on after it was told to stop.
    pub(super) drain_timeout: Duration,
    state: Mutex<ShardState>,
    status: Mutex<ShardStatus>,
    /// Wakes the replica when work ends, or when a cache holds more objects.
    pub(super) progress: Notify,
    /// Wakes those who wait for a change of `state`.
    changed: watch::Sender<()>,
}

/// Permissions of the replica, the work that uses them, and the caches.
#[derive(Default)]
struct ShardState {
    permissions: Permissions,
    running: BTreeMap<u64, Running>,
    caches: BTreeMap<u64, Preparation>,
    gains: BTreeMap<u64, PendingGain>,
    /// Number of the last permit, cache or [`Gains`].
    last: u64,
}

/// Permissions as of the last step of the protocol.
#[derive(Clone, Default, PartialEq)]
pub(super) struct Permissions {
    /// Hashes on which work may begin.
    pub(super) active: HashRanges,
    /// Hashes on which work may go on. No other replica has them.
    pub(super) held: HashRanges,
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

/// What a cache has of the held hashes.
#[derive(Default)]
struct Preparation {
    prepared: HashRanges,
    /// Being read from the API server, all the time since this replica holds them.
    preparing: HashRanges,
}

/// Gains that a [`Gains`] has not returned yet.
struct PendingGain {
    caches: Arc<[u64]>,
    /// Hashes on which work may begin.
    usable: HashRanges,
    gained: HashRanges,
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

impl ShardState {
    /// Whether work may begin, and all of `caches` hold its object.
    fn includes(&self, work: Work, caches: &[u64]) -> bool {
        let is_prepared = |number: &u64| match work {
            Work::Key(hash) => {
                let cache = self.caches.get(number);
                cache.is_some_and(|it| it.prepared.contains(&hash))
            }
            Work::Leader => true,
        };
        self.permissions.includes(work) && caches.iter().all(is_prepared)
    }

    /// Returns the active hashes that all of `caches` hold.
    fn usable(&self, caches: &[u64]) -> HashRanges {
        let mut usable = self.permissions.active.clone();
        for number in caches {
            usable = match self.caches.get(number) {
                Some(cache) => intersect(&usable, &cache.prepared),
                None => HashRanges::new(),
            };
        }
        usable
    }

    /// Caches that get a hash again have to read it again.
    fn forget_lost(&mut self) {
        let held = &self.permissions.held;
        for cache in self.caches.values_mut() {
            cache.prepared = intersect(&cache.prepared, held);
            cache.preparing = intersect(&cache.preparing, held);
        }
    }

    /// Notes what has been gained. `was_refused`: no work was allowed before.
    fn update_gains(&mut self, was_refused: bool) {
        let mut pending = std::mem::take(&mut self.gains);
        for gain in pending.values_mut() {
            let usable = self.usable(&gain.caches);
            let old = if was_refused {
                HashRanges::new()
            } else {
                intersect(&gain.usable, &usable)
            };
            gain.gained = intersect(&gain.gained, &usable);
            gain.gained.extend(subtract(&usable, &old));
            gain.usable = usable;
        }
        self.gains = pending;
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
pub struct Gains {
    shared: Arc<Shared>,
    number: u64,
    changed: watch::Receiver<()>,
}

/// Objects that a replica has got, from [`Gains::next`].
#[derive(Clone, Debug)]
pub struct Gained {
    shard_by: ShardBy,
    ranges: HashRanges,
}

impl Gains {
    /// Waits until this replica has got objects since the last call, or since [`Shards::gains`].
    /// Objects that it has lost again are not among them.
    ///
    /// # Cancel safety
    ///
    /// No gain is lost if the future is dropped.
    pub async fn next(&mut self) -> Gained {
        loop {
            self.changed.mark_unchanged();
            let ranges = self.take();
            if !ranges.is_empty() {
                let shard_by = self.shared.shard_by;
                return Gained { shard_by, ranges };
            }
            // The sender lives as long as `self`.
            let _ = self.changed.changed().await;
        }
    }

    fn take(&self) -> HashRanges {
        let mut state = self.shared.state.lock();
        let pending = state.gains.get_mut(&self.number);
        pending.map_or_else(HashRanges::new, |it| std::mem::take(&mut it.gained))
    }
}

impl Gained {
    /// Returns whether the object is among those that the replica has got.
    #[must_use]
    pub fn contains(&self, namespace: &str, name: &str) -> bool {
        let hash = self.shard_by.hash(namespace, name);
        self.ranges.contains(&hash)
    }
}

impl Drop for Gains {
    fn drop(&mut self) {
        self.shared.state.lock().gains.remove(&self.number);
    }
}

/// A cache of the objects of this replica: what it has to hold, and what it holds.
pub(crate) struct ShardCache {
    shared: Arc<Shared>,
    number: u64,
    changed: watch::Receiver<()>,
}

impl ShardCache {
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    pub(crate) fn shard_by(&self) -> ShardBy {
        self.shared.shard_by
    }

    /// Returns what the cache has to hold but does not, and assumes that it is being read from now
    /// on. Call [`prepared`](Self::prepared) when it has been read.
    pub(crate) fn prepare(&self) -> HashRanges {
        let mut state = self.shared.state.lock();
        let held = state.permissions.held.clone();
        let Some(cache) = state.caches.get_mut(&self.number) else {
            return HashRanges::new();
        };
        cache.preparing = subtract(&held, &cache.prepared);
        cache.preparing.clone()
    }

    /// Notes that what [`prepare`](Self::prepare) returned has been read, except what this replica
    /// has lost meanwhile.
    pub(crate) fn prepared(&self) {
        let mut state = self.shared.state.lock();
        if let Some(cache) = state.caches.get_mut(&self.number) {
            let read = std::mem::take(&mut cache.preparing);
            cache.prepared.extend(read);
        }
        state.update_gains(false);
        drop(state);
        self.shared.changed.send_replace(());
        self.shared.progress.notify_one();
    }

    /// Returns what the cache holds and has to hold.
    pub(crate) fn ranges(&self) -> HashRanges {
        let state = self.shared.state.lock();
        let cache = state.caches.get(&self.number);
        cache.map_or_else(HashRanges::new, |it| it.prepared.clone())
    }

    /// Waits until the cache has to hold something else than `ranges`: at once if this replica has
    /// got something, unless that is being read already; after [`LOSS_DELAY`] if it has lost
    /// something.
    ///
    /// # Cancel safety
    ///
    /// No change is lost if the future is dropped.
    pub(crate) fn changed(
        &self,
        ranges: &HashRanges,
        is_reading: bool,
    ) -> impl Future<Output = ()> + Send + use<> {
        let mut changed = self.changed.clone();
        let (shared, ranges, number) = (Arc::clone(&self.shared), ranges.clone(), self.number);
        async move {
            let mut lost_at = None;
            loop {
                changed.mark_unchanged();
                let change = shared.state.lock().change(number, &ranges);
                if change.has_gained && !is_reading {
                    return;
                }
                let lost = change.has_lost.then(Instant::now);
                lost_at = lost_at.or(lost);
                let settled = async {
                    match lost_at {
                        Some(at) => sleep_until(at + LOSS_DELAY).await,
                        None => std::future::pending().await,
                    }
                };
                // The sender lives as long as `shared`.
                tokio::select! {
                    () = settled => return,
                    _ = changed.changed() => {}
                }
            }
        }
    }
}

/// How a cache differs from what it has to hold.
struct CacheChange {
    has_gained: bool,
    has_lost: bool,
}

impl ShardState {
    /// Returns how cache `number`, which holds `ranges`, differs from what it has to hold.
    fn change(&self, number: u64, ranges: &HashRanges) -> CacheChange {
        let cache = self.caches.get(&number);
        CacheChange {
            has_gained: cache.is_some_and(|it| it.prepared != self.permissions.held),
            has_lost: cache.is_some_and(|it| it.prepared != *ranges),
        }
    }
}

impl Drop for ShardCache {
    fn drop(&mut self) {
        let mut state = self.shared.state.lock();
        state.caches.remove(&self.number);
        state.update_gains(false);
    }
}

impl Shards {
    pub(super) fn new(shard_by: ShardBy, drain_timeout: Duration) -> Self {
        let shared = Shared {
            shard_by,
            drain_timeout,
            state: Mutex::default(),
            status: Mutex::default(),
            progress: Notify::new(),
            changed: watch::channel(()).0,
        };
        Self {
            shared: Arc::new(shared),
            caches: Arc::new([]),
        }
    }

    /// Returns the handle of a replica that never gets objects.
    #[cfg(test)]
    pub(crate) fn of_nobody(shard_by: ShardBy) -> Self {
        Self::new(shard_by, Duration::ZERO)
    }

    /// Returns a handle by which work on an object begins only when these caches hold it:
    /// [`SharedInformer::shard_caches`](crate::informer::SharedInformer::shard_caches). What this
    /// replica has got is not held until it has been read from the API server, so that the caches
    /// have the last changes by the replica that had it before.
    #[must_use]
    pub fn with_caches(&self, numbers: impl IntoIterator<Item = u64>) -> Self {
        Self {
            shared: Arc::clone(&self.shared),
            caches: self.caches.iter().copied().chain(numbers).collect(),
        }
    }

    /// Adds a cache, which holds nothing yet.
    pub(crate) fn add_cache(&self) -> ShardCache {
        let mut state = self.shared.state.lock();
        let number = state.next_number();
        state.caches.insert(number, Preparation::default());
        drop(state);
        ShardCache {
            changed: self.shared.changed.subscribe(),
            shared: Arc::clone(&self.shared),
            number,
        }
    }

    /// Returns the shard key.
    #[must_use]
    pub fn shard_by(&self) -> ShardBy {
        self.shared.shard_by
    }

    /// Returns whether this replica is the leader. This may change right after the call: do the
    /// leader's work with a permit of [`lead`](Self::lead).
    #[must_use]
    pub fn is_leading(&self) -> bool {
        self.shared.state.lock().permissions.includes(Work::Leader)
    }

    /// Returns whether this replica knows of a leader.
    #[must_use]
    pub fn has_leader(&self) -> bool {
        self.shared.state.lock().permissions.has_leader
    }

    /// Returns the state of the group, as this replica observes it.
    #[must_use]
    pub fn status(&self) -> ShardStatus {
        self.shared.status.lock().clone()
    }

    /// Returns the hash of an object, which decides about its replica.
    #[must_use]
    pub fn hash(&self, namespace: &str, name: &str) -> u64 {
        self.shared.shard_by.hash(namespace, name)
    }

    /// Returns whether the object is this replica's. This may change right after the call:
    /// use [`enter`](Self::enter) to work on the object.
    #[must_use]
    pub fn holds(&self, namespace: &str, name: &str) -> bool {
        let work = Work::Key(self.hash(namespace, name));
        self.shared.state.lock().includes(work, &self.caches)
    }

    /// Returns whether the [caches](Self::with_caches) hold the object, if it exists. They hold it
    /// until work on it has ended.
    #[must_use]
    pub fn is_cached(&self, namespace: &str, name: &str) -> bool {
        let hash = self.hash(namespace, name);
        let state = self.shared.state.lock();
        let mut caches = self.caches.iter().map(|number| state.caches.get(number));
        caches.all(|cache| cache.is_some_and(|it| it.prepared.contains(&hash)))
    }

    /// Returns whether the [caches](Self::with_caches) hold the objects of some hashes.
    #[must_use]
    pub fn are_caches_used(&self) -> bool {
        let state = self.shared.state.lock();
        let mut caches = self.caches.iter().map(|number| state.caches.get(number));
        caches.all(|cache| cache.is_some_and(|it| !it.prepared.is_empty()))
    }

    /// Returns the future gains of this replica.
    #[must_use]
    pub fn gains(&self) -> Gains {
        let changed = self.shared.changed.subscribe();
        let mut state = self.shared.state.lock();
        let pending = PendingGain {
            caches: Arc::clone(&self.caches),
            usable: state.usable(&self.caches),
            gained: HashRanges::new(),
        };
        let number = state.next_number();
        state.gains.insert(number, pending);
        drop(state);
        Gains {
            shared: Arc::clone(&self.shared),
            number,
            changed,
        }
    }

    /// Returns a permit to work on an object, or `None` if the object is another replica's, if this
    /// replica has not renewed its Lease in time, or if a [cache](Self::with_caches) does not hold
    /// it yet.
    pub fn enter(&self, namespace: &str, name: &str) -> Option<Permit> {
        self.permit(Work::Key(self.hash(namespace, name)))
    }

    /// Waits until this replica is the leader. Returns a permit to do the leader's work.
    ///
    /// # Cancel safety
    ///
    /// Nothing is lost if the future is dropped.
    pub async fn lead(&self) -> Permit {
        let mut changed = self.shared.changed.subscribe();
        loop {
            if let Some(permit) = self.permit(Work::Leader) {
                return permit;
            }
            // The sender lives as long as `self`.
            let _ = changed.changed().await;
        }
    }

    fn permit(&self, work: Work) -> Option<Permit> {
        let mut state = self.shared.state.lock();
        if !state.includes(work, &self.caches) {
            return None;
        }
        let number = state.next_number();
        let withdrawn = CancellationToken::new();
        let entry = Running {
            work,
            withdrawn: withdrawn.clone(),
        };
        state.running.insert(number, entry);
        Some(Permit {
            shared: Arc::clone(&self.shared),
            number,
            work,
            withdrawn,
        })
    }
}

impl ShardState {
    fn next_number(&mut self) -> u64 {
        self.last += 1;
        self.last
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
        let was_refused = old.deadline.is_none_or(|at| at <= Instant::now());
        let is_changed = *old != permissions;
        let has_moved = old.active != permissions.active || old.held != permissions.held;
        state.permissions = permissions;
        if has_moved || was_refused {
            state.forget_lost();
            state.update_gains(was_refused);
        }
        // Wakers run while a token is cancelled. They may drop a permit, which locks the state.
        drop(state);
        withdrawn.iter().for_each(CancellationToken::cancel);
        if is_changed {
            self.changed.send_replace(());
        }
    }

    pub(super) fn set_status(&self, status: ShardStatus) {
        *self.status.lock() = status;
    }

    /// Returns the active hashes that all caches hold.
    pub(super) fn usable(&self) -> HashRanges {
        let state = self.state.lock();
        let numbers: Vec<_> = state.caches.keys().copied().collect();
        state.usable(&numbers)
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

/// Deadlines of running work.
struct Ends {
    /// When the token of the work is cancelled.
    stop_at: Instant,
    /// When the work is dropped.
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
            self.shared.progress.notify_one();
        }
    }
}

impl fmt::Debug for Shards {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let permissions = self.shared.state.lock().permissions.clone();
        formatter
            .debug_struct("Shards")
            .field("shard_by", &self.shared.shard_by)
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

impl fmt::Debug for Gains {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Gains").finish_non_exhaustive()
    }
}

impl fmt::Debug for ShardCache {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = formatter.debug_struct("ShardCache");
        debug
            .field("ranges", &self.ranges())
            .finish_non_exhaustive()
    }
}
