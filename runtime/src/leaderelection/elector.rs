//! Leader elector (client-go, `tools/leaderelection/leaderelection.go`): runs work while this
//! replica holds the lease.

use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, resume_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use futures::FutureExt;
use tokio::time::{Instant, sleep, sleep_until, timeout_at};
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use super::candidate::{Attempt, Candidate};
use super::config::JITTER_FACTOR;
use super::leadership::Leadership;
use crate::wait::jitter;

/// Candidate in a leader election. It runs work while it holds the lease.
pub struct LeaderElector {
    pub(super) candidate: Arc<Candidate>,
}

/// Error of [`LeaderElector::run`]: the lease was not renewed in time, or another replica holds it.
///
/// The output of the work is lost. The program should exit, or run the election again.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LeadershipLostError {
    /// The lease was lost, and the work ended before the lease expired.
    #[error("leader election lost")]
    WorkEnded,
    /// The work was dropped: another replica held the lease, or the work still ran when the lease
    /// expired. Another replica may already lead.
    #[error("leader election lost, and the work was dropped")]
    WorkDropped,
}

/// How the work ended.
enum WorkEnd<T> {
    /// The lease was not lost.
    Done(WorkResult<T>),
    /// The lease was lost, and the work ended before it had to be dropped.
    Lost {
        result: WorkResult<T>,
        work_deadline: Instant,
    },
    /// The lease was lost, and the work was dropped.
    Dropped,
}

/// Output of the work, or its panic.
type WorkResult<T> = Result<T, Box<dyn Any + Send>>;

/// Guard that records the end of the leadership as a metric and an event, even if the future of
/// `run` is dropped.
struct Leading<'a>(&'a Candidate);

impl Drop for Leading<'_> {
    fn drop(&mut self) {
        self.0.metrics.leader_off();
        self.0.lock.record_event("stopped leading");
    }
}

impl LeaderElector {
    /// Returns the status of the election, for health checks and logs.
    #[must_use]
    pub fn leadership(&self) -> Leadership {
        Leadership(Arc::clone(&self.candidate))
    }

    /// Acquires the lease, and runs the future that `lead` returns (the work) while this replica
    /// holds it. Returns the output of the work, or `None` if `cancel` was cancelled before this
    /// replica led.
    ///
    /// The token passed to `lead` is cancelled when `cancel` is cancelled or the lease is lost. The
    /// work then has to end. After `cancel`, the work may take any time, since the lease is still
    /// renewed. If the lease cannot be renewed, the work is dropped when the lease expires. If
    /// another replica holds the lease, the work is polled once more, and then dropped.
    ///
    /// If the work panics, the lease is released (unless disabled), and the panic is resumed.
    ///
    /// # Errors
    ///
    /// [`LeadershipLostError`] if the lease was lost. The error is returned once the work has ended
    /// or was dropped.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future drops the work and ends the renewals. The lease is not released, so it
    /// expires.
    ///
    /// # Panics
    ///
    /// Outside of a Tokio runtime, or if the work panics.
    pub async fn run<F, W>(
        &mut self,
        cancel: CancellationToken,
        lead: F,
    ) -> Result<Option<W::Output>, LeadershipLostError>
    where
        F: FnOnce(CancellationToken) -> W,
        W: Future,
    {
        let candidate = &self.candidate;
        let Some(sent) = cancel.run_until_cancelled(candidate.acquire()).await else {
            // The server may have applied a write that got no response, so this replica may hold
            // the lease.
            if candidate.unsettled.swap(false, Ordering::Relaxed) {
                candidate.release_if_configured(None).await;
            }
            return Ok(None);
        };
        let leading = Leading(candidate);
        let end = self.work(sent, cancel.child_token(), lead).await;
        match &end {
            WorkEnd::Done(_) => candidate.release_if_configured(None).await,
            WorkEnd::Lost { work_deadline, .. } => {
                candidate.release_if_configured(Some(*work_deadline)).await
            }
            WorkEnd::Dropped => {}
        }
        drop(leading);
        match end {
            WorkEnd::Done(result) => Ok(Some(resume_panic(result))),
            WorkEnd::Dropped => Err(LeadershipLostError::WorkDropped),
            WorkEnd::Lost { result, .. } => {
                resume_panic(result);
                Err(LeadershipLostError::WorkEnded)
            }
        }
    }

    /// Runs the work until it ends or the lease expires. When this returns, neither the work nor
    /// the renewals run.
    async fn work<F, W>(
        &self,
        sent: Instant,
        leading: CancellationToken,
        lead: F,
    ) -> WorkEnd<W::Output>
    where
        F: FnOnce(CancellationToken) -> W,
        W: Future,
    {
        let _cancel_at_end = leading.clone().drop_guard();
        let renewals = Arc::clone(&self.candidate).renew(sent, leading.clone());
        let mut renewals = AbortOnDropHandle::new(tokio::spawn(renewals));
        let work = AssertUnwindSafe(async { lead(leading.clone()).await });
        let mut work = pin!(work.catch_unwind());
        let work_deadline = tokio::select! {
            biased;
            result = &mut work => {
                renewals.abort();
                return match renewals.await {
                    // The renewals may have lost the lease just before the work ended.
                    Ok(work_deadline) => WorkEnd::Lost { result, work_deadline },
                    Err(_) => WorkEnd::Done(result),
                };
            }
            work_deadline = &mut renewals => work_deadline,
        };
        // `renew` cancels the work when it returns, but not when it panics. After a panic, the work
        // must end as well, since the lease is no longer renewed.
        leading.cancel();
        let work_deadline = work_deadline.unwrap_or_else(|_| Instant::now());
        match timeout_at(work_deadline, work).await {
            Ok(result) => WorkEnd::Lost {
                result,
                work_deadline,
            },
            Err(_) => WorkEnd::Dropped,
        }
    }
}

impl Candidate {
    /// Tries until this replica holds the lease. Returns the time when the successful request was
    /// sent.
    async fn acquire(&self) -> Instant {
        tracing::info!(lock = %self.lock, "attempting to acquire leader lease");
        loop {
            let attempt = self.try_acquire_or_renew().await;
            self.report_transition();
            if let Attempt::Held { sent } = attempt {
                self.lock.record_event("became leader");
                self.metrics.leader_on();
                tracing::info!(lock = %self.lock, "successfully acquired lease");
                return sent;
            }
            sleep(jitter(self.timing.retry_period, JITTER_FACTOR)).await;
        }
    }

    /// Releases the lease, unless disabled. If the leadership was lost, the release is given up at
    /// `work_deadline`: the lease has then expired or has another holder, so a release would change
    /// nothing.
    async fn release_if_configured(&self, work_deadline: Option<Instant>) {
        let now = Instant::now();
        let until = now + self.timing.renew_deadline;
        let until = work_deadline.map_or(until, |end| end.min(until));
        if self.release_on_cancel && until > now {
            self.release(until).await;
            self.report_transition();
        }
    }

    /// Renews the lease until it is lost, then cancels the work. Returns the time until which the
    /// work may still run: until the lease expires, or not at all if another replica holds it.
    /// client-go leaves both to the program, which is expected to exit in `OnStoppedLeading`.
    ///
    /// The deadline counts from when the last successful renewal was sent, so the pause of
    /// `retry_period` before the next attempt counts from then, too. In client-go, the pause counts
    /// from the response (`wait.UntilWithContext`), and the deadline from the end of the pause.
    /// With client-go's pause, a slow response could leave no time for the next attempt here.
    async fn renew(self: Arc<Self>, mut sent: Instant, leading: CancellationToken) -> Instant {
        loop {
            let deadline = sent + self.timing.renew_deadline;
            let work_deadline = tokio::select! {
                // Checks the deadline first: it may have passed while the machine was suspended.
                biased;
                () = sleep_until(deadline) => sent + self.timing.lease_duration,
                renewed = self.renew_once() => match renewed {
                    Some(renewed) => {
                        sent = renewed;
                        sleep_until(sent + self.timing.retry_period).await;
                        continue;
                    }
                    None => Instant::now(),
                },
            };
            let failure = self.failure.lock().clone();
            let loss = failure.unwrap_or_else(|| "no response in time".to_owned());
            *self.loss.lock() = Some(loss);
            leading.cancel();
            self.metrics.leader_off();
            tracing::warn!(lock = %self.lock, "failed to renew lease");
            return work_deadline;
        }
    }

    /// Tries until the lease is renewed. Returns the time when the successful renewal was sent, or
    /// `None` if another replica holds the lease.
    async fn renew_once(&self) -> Option<Instant> {
        let mut has_failed = false;
        loop {
            let begun = Instant::now();
            let attempt = self.try_acquire_or_renew().await;
            self.report_transition();
            match attempt {
                Attempt::Held { sent } => {
                    if has_failed {
                        tracing::info!(lock = %self.lock, "successfully renewed lease");
                    }
                    return Some(sent);
                }
                Attempt::HeldByOther => return None,
                Attempt::Failed => {
                    has_failed = true;
                    sleep_until(begun + self.timing.retry_period).await;
                }
            }
        }
    }
}

fn resume_panic<T>(result: WorkResult<T>) -> T {
    result.unwrap_or_else(|panic| resume_unwind(panic))
}

impl fmt::Debug for LeaderElector {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("LeaderElector")
            .field("lock", &self.candidate.lock)
            .field("timing", &self.candidate.timing)
            .finish_non_exhaustive()
    }
}
