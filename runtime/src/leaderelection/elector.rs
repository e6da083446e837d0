//! [`LeaderElector`]: waits for the lease, works while it holds.

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

use super::attempt::Attempt;
use super::candidate::Candidate;
use super::config::JITTER_FACTOR;
use super::leadership::Leadership;
use crate::wait::jitter;

/// Stands for a lease, and works while it holds it.
pub struct LeaderElector {
    pub(super) candidate: Arc<Candidate>,
}

/// The lease was not renewed in time, or somebody else holds it.
///
/// What the work returned after that is dropped. A program should end, or run again from the start.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LeadershipLostError {
    /// The work ended when it was told to, before the lease did.
    #[error("leader election lost")]
    WorkEnded,
    /// The work did not end before the lease did, and was dropped where it stood. Others may have begun.
    #[error("leader election lost, and the work did not end before the lease did")]
    WorkDropped,
}

/// How the work came to its end.
enum End<T> {
    /// By itself, or as it was asked to.
    Done(WorkResult<T>),
    /// After the lease was lost, before it ended.
    Lost {
        result: WorkResult<T>,
        lease_end: Instant,
    },
    /// With the lease.
    Dropped,
}

/// What the work returned, or what it panicked with.
type WorkResult<T> = Result<T, Box<dyn Any + Send>>;

/// Says that it is over, also if the run is dropped.
struct Leading<'a>(&'a Candidate);

impl Drop for Leading<'_> {
    fn drop(&mut self) {
        self.0.meter.leader_off();
        self.0.lock.record_event("stopped leading");
    }
}

impl LeaderElector {
    /// For health checks and logs.
    #[must_use]
    pub fn leadership(&self) -> Leadership {
        Leadership(Arc::clone(&self.candidate))
    }

    /// Waits for the lease, and does the work that `lead` returns while it holds. Returns what the work returned, or `None` if
    /// `cancel` was cancelled before this replica led.
    ///
    /// The token that `lead` gets is cancelled with `cancel`, and when the lease is lost. The work has to end then. After
    /// `cancel` it has as long as it takes, and the lease goes on being renewed; what is lost has an end: then the work is dropped.
    ///
    /// A panic of the work goes on after the lease was given back.
    ///
    /// # Errors
    ///
    /// [`LeadershipLostError`], once the work has ended or was dropped.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future drops the work and ends the renewals. The lease is not given back; it ends by itself.
    ///
    /// # Panics
    ///
    /// Outside of a Tokio runtime, or if the work does.
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
            // The write that was dropped may have made us the leader.
            if candidate.unsettled.swap(false, Ordering::Relaxed) {
                candidate.give_back(None).await;
            }
            return Ok(None);
        };
        let leading = Leading(candidate);
        let end = self.work(sent, cancel.child_token(), lead).await;
        match &end {
            End::Done(_) => candidate.give_back(None).await,
            End::Lost { lease_end, .. } => candidate.give_back(Some(*lease_end)).await,
            End::Dropped => {}
        }
        drop(leading);
        match end {
            End::Done(result) => Ok(Some(unwind(result))),
            End::Dropped => Err(LeadershipLostError::WorkDropped),
            End::Lost { result, .. } => {
                unwind(result);
                Err(LeadershipLostError::WorkEnded)
            }
        }
    }

    /// Works until the work or the lease ends. Nothing of either is left then.
    async fn work<F, W>(&self, sent: Instant, leading: CancellationToken, lead: F) -> End<W::Output>
    where
        F: FnOnce(CancellationToken) -> W,
        W: Future,
    {
        let _cancel_at_end = leading.clone().drop_guard();
        let renewals = Arc::clone(&self.candidate).renew(sent, leading.clone());
        let mut renewals = AbortOnDropHandle::new(tokio::spawn(renewals));
        let work = AssertUnwindSafe(async { lead(leading.clone()).await });
        let mut work = pin!(work.catch_unwind());
        let lease_end = tokio::select! {
            biased;
            result = &mut work => {
                renewals.abort();
                return match renewals.await {
                    // A work that is quick has ended before we have heard of the loss.
                    Ok(lease_end) => End::Lost { result, lease_end },
                    Err(_) => End::Done(result),
                };
            }
            lease_end = &mut renewals => lease_end,
        };
        // The task does not panic; if it did, nobody would renew the lease any more.
        leading.cancel();
        let lease_end = lease_end.unwrap_or_else(|_| Instant::now());
        match timeout_at(lease_end, work).await {
            Ok(result) => End::Lost { result, lease_end },
            Err(_) => End::Dropped,
        }
    }
}

impl Candidate {
    /// Tries until the lease is ours. Returns since when.
    async fn acquire(&self) -> Instant {
        tracing::info!(lock = %self.lock, "attempting to acquire leader lease");
        loop {
            let attempt = self.try_acquire_or_renew().await;
            self.report_transition();
            if let Attempt::Held { sent } = attempt {
                self.lock.record_event("became leader");
                self.meter.leader_on();
                tracing::info!(lock = %self.lock, "successfully acquired lease");
                return sent;
            }
            sleep(jitter(self.timing.retry_period, JITTER_FACTOR)).await;
        }
    }

    /// Gives the lease back, unless the settings say not to. What is lost ends at `lease_end`, and needs not be given back then.
    async fn give_back(&self, lease_end: Option<Instant>) {
        if self.release_on_cancel {
            let until = Instant::now() + self.timing.renew_deadline;
            self.release(lease_end.map_or(until, |end| end.min(until)))
                .await;
            self.report_transition();
        }
    }

    /// Renews the lease for as long as that succeeds, and then tells the work to end. Returns until
    /// when it may take.
    ///
    /// An attempt begins `retry_period` after the last one did. client-go waits as long after a
    /// renewal was answered (`wait.UntilWithContext`). Here, the deadline counts from when that was
    /// sent, so that slow answers would leave no time for the next one.
    async fn renew(self: Arc<Self>, mut sent: Instant, leading: CancellationToken) -> Instant {
        loop {
            let deadline = sent + self.timing.renew_deadline;
            let renewed = tokio::select! {
                // First, for a machine that has slept.
                biased;
                () = sleep_until(deadline) => None,
                renewed = self.renew_once() => renewed,
            };
            let Some(renewed) = renewed else {
                let failure = self.failure.lock().clone();
                let loss = failure.unwrap_or_else(|| "no answer in time".to_owned());
                *self.loss.lock() = Some(loss);
                leading.cancel();
                self.meter.leader_off();
                tracing::warn!(lock = %self.lock, "failed to renew lease");
                return sent + self.timing.lease_duration;
            };
            sent = renewed;
            sleep_until(sent + self.timing.retry_period).await;
        }
    }

    /// Tries until the lease is renewed, or somebody else's: `None`.
    async fn renew_once(&self) -> Option<Instant> {
        let mut has_failed = false;
        loop {
            let begun = Instant::now();
            let attempt = self.try_acquire_or_renew().await;
            self.report_transition();
            match attempt {
                Attempt::Held { sent } => {
                    if has_failed {
                        tracing::info!(lock = %self.lock, "lease renewed again");
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

fn unwind<T>(result: WorkResult<T>) -> T {
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
