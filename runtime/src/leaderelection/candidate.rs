//! A replica that stands for a lease: what it knows, and what it was told to do.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicBool;

use parking_lot::Mutex;
use tokio::time::{Duration, Instant};

use super::config::Timing;
use super::lock::LeaseLock;
use super::meter::ElectionMeter;
use super::record::Record;

pub(super) type OnNewLeader = Box<dyn Fn(Option<&str>) + Send + Sync>;

pub(super) struct Candidate {
    pub(super) lock: LeaseLock,
    pub(super) timing: Timing,
    pub(super) release_on_cancel: bool,
    pub(super) name: String,
    pub(super) meter: ElectionMeter,
    pub(super) on_new_leader: Option<OnNewLeader>,
    /// Locked for moments only, never over a request.
    pub(super) observed: Mutex<Observed>,
    /// Whom [`OnNewLeader`] was told last; empty for nobody.
    pub(super) reported: Mutex<String>,
    /// Why the last attempt failed.
    pub(super) failure: Mutex<Option<String>>,
    /// Why the lease was lost.
    pub(super) loss: Mutex<Option<String>>,
    /// Whether a write may have been stored that was not answered, or not yet.
    pub(super) unsettled: AtomicBool,
}

/// The record as it was last seen, or written.
#[derive(Clone, Debug, Default)]
pub(super) struct Observed {
    pub(super) record: Record,
    /// When another's record was first seen so; when our own was sent by the last write that
    /// succeeded. `None` for one of our own that was written by nobody here.
    pub(super) at: Option<Instant>,
}

impl Candidate {
    pub(super) fn observed(&self) -> Observed {
        self.observed.lock().clone()
    }

    /// Whether `observed` is our own record.
    pub(super) fn is_ours(&self, record: &Record) -> bool {
        record.holder == self.lock.identity()
    }

    /// Notes what we have written.
    pub(super) fn set_observed(&self, record: Record, sent: Instant) {
        *self.failure.lock() = None;
        *self.observed.lock() = Observed {
            record,
            at: Some(sent),
        };
    }

    /// Notes what was read. Returns whether it is news.
    ///
    /// To read a record of our own proves that a write was stored, not when. Others count from
    /// then, so it renews nothing. client-go's `setObservedRecord` counts from when it was read.
    pub(super) fn observe(&self, record: &Record) -> bool {
        let mut observed = self.observed.lock();
        let changed = observed.record != *record;
        if changed {
            observed.at = match (self.is_ours(&observed.record), self.is_ours(record)) {
                (true, true) => observed.at,
                (false, true) => None,
                (_, false) => Some(Instant::now()),
            };
            observed.record.clone_from(record);
        }
        changed
    }

    /// Tells who leads, if that has changed.
    pub(super) fn report_transition(&self) {
        let leader = self.observed.lock().record.holder.clone();
        let mut reported = self.reported.lock();
        if *reported == leader {
            return;
        }
        reported.clone_from(&leader);
        drop(reported);
        let Some(on_new_leader) = &self.on_new_leader else {
            return;
        };
        let leader = Some(leader.as_str()).filter(|leader| !leader.is_empty());
        // A panic of the user's function must not cost the lease.
        if catch_unwind(AssertUnwindSafe(|| on_new_leader(leader))).is_err() {
            tracing::error!(lock = %self.lock, "on_new_leader panicked");
        }
    }
}

impl Observed {
    /// Whether its holder can still count on the lease.
    pub(super) fn is_valid(&self, now: Instant) -> bool {
        let seconds = u64::try_from(self.record.lease_seconds).unwrap_or_default();
        self.at
            .is_some_and(|at| at + Duration::from_secs(seconds) > now)
    }
}
