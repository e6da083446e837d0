//! Leader election: of all replicas of a program, only the holder of a `Lease` works; the others
//! stand by.
//!
//! It implements client-go's `tools/leaderelection` with its rules and defaults, so that replicas
//! in Go and in Rust can compete for the same lease.
//!
//! # Guarantees
//!
//! - **The work ends before the lease does.** The work receives a token. The token is cancelled if
//!   the last successful renewal was *sent* more than
//!   [`renew_deadline`](LeaderElectorBuilder::renew_deadline) ago. If the work still runs when the
//!   lease expires, it is dropped. Other replicas count from when they observe the renewal, which
//!   is later.
//! - **The lease outlives the work.** It is renewed until the work has ended, even after a shutdown
//!   request, and only then released, also if the work panics.
//! - **No common clock.** Whether a lease has expired depends on the local time since its record
//!   was last observed to change, never on the timestamps in it.
//!
//! This is not fencing: a request that was sent before the lease expired may be applied later, and
//! a suspended program notices the loss only when it resumes. Clock rates may differ by up to the
//! ratio of [`lease_duration`](LeaderElectorBuilder::lease_duration) and
//! [`renew_deadline`](LeaderElectorBuilder::renew_deadline).
//!
//! Work that blocks its thread cannot be cancelled or dropped. Renewals run in a separate task, so
//! on a multi-threaded runtime blocking work does not lose the lease.
//!
//! # Rights
//!
//! `get`, `create` and `update` on `leases` of the group `coordination.k8s.io`; `create` and
//! `patch` on `events` for [`LeaseLock::recorder`].
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
mod meter;

pub use builder::LeaderElectorBuilder;
pub use config::LeaderElectionConfigError;
pub use elector::{LeaderElector, LeadershipLostError};
pub use leadership::{HealthzAdaptor, Leadership, NotRenewedError};
pub use lock::{LeaseLock, unique_identity};

#[cfg(test)]
mod tests;
