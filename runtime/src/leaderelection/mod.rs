//! Leader election: of all replicas of a program, only the holder of a `Lease` works. The others
//! wait.
//!
//! This module follows the rules and defaults of client-go's `tools/leaderelection`, so replicas in
//! Go and in Rust can compete for the same lease.
//!
//! # Guarantees
//!
//! - **The work ends before the lease expires.** The work receives a token, which is cancelled at
//!   the latest when [`renew_deadline`](LeaderElectorBuilder::renew_deadline) has passed since the
//!   last successful renewal was *sent*. If the work still runs when the lease expires, it is
//!   dropped. For other replicas, the lease expires later, since they count its duration from when
//!   they observe the renewal.
//! - **The work ends at once if another replica holds the lease.** Somebody may change the holder
//!   or delete the lease, and another replica then acquires it early. The leader notices this at
//!   its next renewal, cancels the token and drops the work.
//! - **The lease is held until the work has ended.** It is renewed even after a shutdown request,
//!   and by default released when the work has returned or panicked.
//! - **Clocks need not agree.** A replica takes over a lease if its record has not changed for the
//!   lease duration, by the replica's own clock. Timestamps in the record are not compared. The
//!   rates of clocks may differ, up to the ratio of
//!   [`lease_duration`](LeaderElectorBuilder::lease_duration) to
//!   [`renew_deadline`](LeaderElectorBuilder::renew_deadline).
//!
//! These guarantees do not include fencing. A request that was sent before the lease expired may be
//! applied later, and a suspended program notices the loss of the lease only when it resumes.
//!
//! Work that blocks its thread cannot be cancelled or dropped. Renewals run in their own task, so
//! on a multi-threaded runtime blocking work does not prevent them.
//!
//! # Permissions
//!
//! `get`, `create` and `update` on `leases` of the group `coordination.k8s.io`. For
//! [`LeaseLock::recorder`], also `create` and `patch` on `events`.
//!
//! # Example
//!
//! ```no_run
//! use genclient::leaderelection::{LeaderElector, LeaseLock, unique_identity};
//! use genclient::{config, signals};
//!
//! # async fn serve(stop: tokio_util::sync::CancellationToken) {}
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! let config = config::from_flags(None, None).await?;
//! let lock = LeaseLock::connect(config, "gpu-system", "gputask-controller", &unique_identity())?;
//! let mut elector = LeaderElector::builder(lock)
//!     .on_new_leader(|leader| println!("led by {leader:?}"))
//!     .build()?;
//!
//! elector
//!     .run(signals::shutdown()?, |leading| async move {
//!         serve(leading).await; // until `leading` is cancelled
//!     })
//!     .await?;
//! # Ok(())
//! # }
//! ```

mod builder;
mod candidate;
mod config;
mod elector;
mod leadership;
mod lock;
mod metrics;

pub use builder::LeaderElectorBuilder;
pub use config::LeaderElectionConfigError;
pub(crate) use config::{Timing, check_lease};
pub use elector::{LeaderElector, LeadershipLostError};
pub use leadership::{HealthzAdaptor, Leadership, NotRenewedError};
pub(crate) use lock::describe_refusal;
pub use lock::{LeaseLock, unique_identity};

#[cfg(test)]
mod tests;
