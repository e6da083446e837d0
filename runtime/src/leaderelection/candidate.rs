//! Election candidate: the settings of a replica and its view of the lease.

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
    /// Held briefly, never during a request.
    pub(super) observed: Mutex<Observed>,
    /// The leader last passed to [`OnNewLeader`]; empty for none.
    pub(super) reported: Mutex<String>,
    /// Why the last attempt failed.
    pub(super) failure: Mutex<Option<String>>,
    /// Why the lease was lost.
    pub(super) loss: Mutex<Option<String>>,
    /// Whether the server may have applied a write whose response is missing.
    pub(super) unsettled: AtomicBool,
}

/// The record as last read or written.
#[derive(Clone, Debug, Default)]
pub(super) struct Observed {
    pub(super) record: Record,
    /// For a record of another replica, when this content was first observed. For a record of this
    /// replica, when the last successful write was sent. `None` for a record of this replica that
    /// it has read, but not written.
    pub(super) at: Option<Instant>,
}

impl Candidate {
    pub(super) fn observed(&self) -> Observed {
        self.observed.lock().clone()
    }

    /// Whether this replica is the holder in `record`.
    pub(super) fn is_ours(&self, record: &Record) -> bool {
        record.holder == self.lock.identity()
    }

    /// Stores a record that this replica has written.
    pub(super) fn set_observed(&self, record: Record, sent: Instant) {
        *self.failure.lock() = None;
        *self.observed.lock() = Observed {
            record,
            at: Some(sent),
        };
    }

    /// Stores a record that was read. Returns whether it changed.
    ///
    /// Reading a record of this replica proves that a write was stored, but not when. Other
    /// replicas count from the write, so reading it does not extend the lease here. client-go's
    /// `setObservedRecord` counts from the read.
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

    /// Calls [`OnNewLeader`] if the leader has changed.
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
        // A panic in the callback must not cost the lease.
        if catch_unwind(AssertUnwindSafe(|| on_new_leader(leader))).is_err() {
            tracing::error!(lock = %self.lock, "on_new_leader panicked");
        }
    }
}

impl Observed {
    /// Whether the lease has not expired.
    pub(super) fn is_valid(&self, now: Instant) -> bool {
        let seconds = u64::try_from(self.record.lease_seconds).unwrap_or_default();
        self.at
            .is_some_and(|at| at + Duration::from_secs(seconds) > now)
    }
}
