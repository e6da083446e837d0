//! Election candidate (client-go, `tools/leaderelection/leaderelection.go`): settings of a replica,
//! the lease as the replica last observed it, and attempts to acquire, renew or release the lease.

use std::error::Error;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use k8s_openapi::jiff::Timestamp;
use parking_lot::Mutex;
use tokio::time::{Duration, Instant, timeout, timeout_at};

use super::config::Timing;
use super::lock::{LeaseLock, LockError, Record};
use super::metrics::ElectionMetrics;

pub(super) type OnNewLeader = Box<dyn Fn(Option<&str>) + Send + Sync>;

/// State of one replica in an election, shared by its elector and its
/// [`Leadership`](super::Leadership) handles.
pub(super) struct Candidate {
    pub(super) lock: LeaseLock,
    pub(super) timing: Timing,
    pub(super) release_on_cancel: bool,
    pub(super) name: String,
    pub(super) metrics: ElectionMetrics,
    pub(super) on_new_leader: Option<OnNewLeader>,
    /// The last observed state of the lease. Locked briefly, never during a request.
    pub(super) observed: Mutex<Observed>,
    /// Leader that was last passed to [`OnNewLeader`]. Empty before the first call, and after a
    /// call with `None`.
    pub(super) reported: Mutex<String>,
    /// Reason why the last attempt failed; `None` after a success.
    pub(super) failure: Mutex<Option<String>>,
    /// Why the lease was lost.
    pub(super) loss: Mutex<Option<String>>,
    /// Whether the result of a write is unknown, because it got a 5xx or no response. The server
    /// may have applied that write.
    pub(super) unsettled: AtomicBool,
}

/// The lease's record, as last read or written.
#[derive(Clone, Debug, Default)]
pub(super) struct Observed {
    pub(super) record: Record,
    /// Time from which the lease duration counts. If another replica holds the lease: when this
    /// record was first read. If this replica holds the lease: when the last write with a
    /// successful response was sent, or `None` if the replica knows only from a read that it holds
    /// the lease.
    pub(super) at: Option<Instant>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Attempt {
    /// This replica holds the lease, by a write that was sent at `sent`. The lease duration counts
    /// from then, since no other replica can have observed the write earlier.
    Held { sent: Instant },
    /// Another replica holds the lease.
    HeldByOther,
    /// The request failed; the holder is unknown.
    Failed,
}

impl Candidate {
    pub(super) fn observed(&self) -> Observed {
        self.observed.lock().clone()
    }

    pub(super) fn is_ours(&self, record: &Record) -> bool {
        record.holder == self.lock.identity()
    }

    pub(super) fn set_observed(&self, record: Record, sent: Instant) {
        *self.failure.lock() = None;
        *self.observed.lock() = Observed {
            record,
            at: Some(sent),
        };
    }

    /// Stores a record that was read. Returns whether it has changed.
    ///
    /// A changed record may name this replica: the response of a successful write was lost, or an
    /// earlier process with the same identity wrote the record. Other replicas may have observed
    /// that write before this read. With the time of the read as `at`, as in client-go's
    /// `setObservedRecord`, this replica would hold the lease too long. So if the last observed
    /// record named this replica as well, `at` does not change. Otherwise `at` becomes `None`.
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
        // The lease must be renewed even if the callback panics.
        if catch_unwind(AssertUnwindSafe(|| on_new_leader(leader))).is_err() {
            tracing::error!(lock = %self.lock, "on_new_leader panicked");
        }
    }
}

/// Attempts to acquire, renew or release the lease.
impl Candidate {
    /// Acquires or renews the lease: client-go's `tryAcquireOrRenew`.
    pub(super) async fn try_acquire_or_renew(&self) -> Attempt {
        let observed = self.observed();
        if self.is_ours(&observed.record) && observed.is_valid(Instant::now()) {
            // Fast path: updates the lease without reading it. This succeeds if no other replica
            // has written it since the last renewal.
            match self.update(&self.renewed(&observed.record)).await {
                Ok(held) => return held,
                Err(error) => tracing::debug!(
                    lock = %self.lock, error = &error as &dyn Error, "failed to update lease optimistically, falling back to slow path"
                ),
            }
        }
        match self.request(self.lock.get()).await {
            Ok(record) => self.take_over(&record).await,
            Err(error) if error.is_not_found() => self.create().await,
            Err(error) => self.failed("error retrieving lease", &error),
        }
    }

    async fn create(&self) -> Attempt {
        let sent = Instant::now();
        match self.write(self.lock.create(&self.fresh(0))).await {
            Ok(record) => {
                self.set_observed(record, sent);
                Attempt::Held { sent }
            }
            Err(error) => {
                self.write_failed("error initially creating lease", &error)
                    .await
            }
        }
    }

    /// Updates `record`, which was just read, unless another replica holds an unexpired lease.
    async fn take_over(&self, record: &Record) -> Attempt {
        let changed = self.observe(record);
        let ours = self.is_ours(record);
        if !ours && !record.holder.is_empty() {
            // A holder whose record is new to this replica counts as alive. `is_valid` would not
            // suffice: with a lease duration of 0, it is false.
            let alive = changed || self.observed().is_valid(Instant::now());
            if alive {
                return self.held_by_other(record);
            }
        }
        let desired = if ours {
            self.metrics.slowpath_exercised();
            self.renewed(record)
        } else {
            self.fresh(record.transitions.saturating_add(1))
        };
        match self.update(&desired).await {
            Ok(held) => held,
            Err(error) => self.write_failed("failed to update lease", &error).await,
        }
    }

    /// Reports a failed write. If another client has written the lease, reads it at once, because
    /// another replica may have taken it since the last read. In client-go, a leader then works on
    /// until the next attempt.
    async fn write_failed(&self, what: &str, error: &LockError) -> Attempt {
        let failed = self.failed(what, error);
        if !error.is_preempted() {
            return failed;
        }
        match self.request(self.lock.get()).await {
            Ok(record) if !self.is_ours(&record) && !record.holder.is_empty() => {
                self.observe(&record);
                self.held_by_other(&record)
            }
            _ => failed,
        }
    }

    async fn update(&self, record: &Record) -> Result<Attempt, LockError> {
        let sent = Instant::now();
        let record = self.write(self.lock.update(record)).await?;
        self.set_observed(record, sent);
        Ok(Attempt::Held { sent })
    }

    /// Releases the lease if this replica holds it. Tries until `until` at most.
    ///
    /// An update may still be in flight although its future was dropped. If the server applies that
    /// update first, the release conflicts and is retried. client-go only checks the holder that it
    /// observed earlier, and could release the lease of another replica.
    pub(super) async fn release(&self, until: Instant) {
        // If the release fails or times out, the lease expires by itself.
        let _ = timeout_at(until, self.try_release()).await;
    }

    async fn try_release(&self) {
        loop {
            let record = match self.request(self.lock.get()).await {
                Ok(record) => record,
                Err(error) if error.is_not_found() => {
                    return tracing::info!(lock = %self.lock, "lease not found");
                }
                Err(error) => {
                    return tracing::warn!(lock = %self.lock, error = &error as &dyn Error, "error retrieving lease");
                }
            };
            if !self.is_ours(&record) {
                self.observe(&record);
                return;
            }
            let released = Record {
                holder: String::new(),
                lease_seconds: 1,
                ..self.fresh(record.transitions)
            };
            match self.update(&released).await {
                Ok(_) => return,
                Err(error) if error.is_conflict() => {
                    tracing::debug!(lock = %self.lock, "conflict when releasing lease, retrying");
                }
                Err(error) => {
                    return tracing::warn!(lock = %self.lock, error = &error as &dyn Error, "failed to release lease");
                }
            }
        }
    }

    /// Returns the record with which this replica becomes the leader.
    fn fresh(&self, transitions: i32) -> Record {
        let now = MicroTime(Timestamp::now());
        Record {
            holder: self.lock.identity().to_owned(),
            lease_seconds: self.timing.lease_seconds(),
            transitions,
            acquire_time: Some(now.clone()),
            renew_time: Some(now),
        }
    }

    /// Returns the record with which this replica renews the lease.
    fn renewed(&self, record: &Record) -> Record {
        Record {
            acquire_time: record.acquire_time.clone(),
            ..self.fresh(record.transitions)
        }
    }

    async fn write(
        &self,
        request: impl Future<Output = Result<Record, LockError>>,
    ) -> Result<Record, LockError> {
        let was_unsettled = self.unsettled.swap(true, Ordering::Relaxed);
        let result = self.request(request).await;
        let is_unsettled = match &result {
            Ok(_) => false,
            Err(error) => was_unsettled || !error.is_refusal(),
        };
        self.unsettled.store(is_unsettled, Ordering::Relaxed);
        result
    }

    /// Awaits `request` up to the request timeout. By default, kube's client waits for a response
    /// without a limit, and the lease must not be lost because one request hangs.
    async fn request(
        &self,
        request: impl Future<Output = Result<Record, LockError>>,
    ) -> Result<Record, LockError> {
        let limit = self.timing.request_timeout();
        let result = timeout(limit, request).await;
        result.unwrap_or(Err(LockError::TimedOut(limit)))
    }

    fn held_by_other(&self, record: &Record) -> Attempt {
        tracing::debug!(lock = %self.lock, holder = record.holder, "lease is held and has not yet expired");
        *self.failure.lock() = Some(format!("the lease is held by `{}`", record.holder));
        Attempt::HeldByOther
    }

    fn failed(&self, what: &str, error: &LockError) -> Attempt {
        tracing::warn!(lock = %self.lock, error = error as &dyn Error, "{what}");
        *self.failure.lock() = Some(format!("{what}: {error}"));
        Attempt::Failed
    }
}

impl Observed {
    pub(super) fn is_valid(&self, now: Instant) -> bool {
        let seconds = u64::try_from(self.record.lease_seconds).unwrap_or_default();
        self.at
            .is_some_and(|at| at + Duration::from_secs(seconds) > now)
    }
}
