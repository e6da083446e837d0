//! One of many: of all replicas of a program, the one that holds a `Lease` works, the others stand by.
//!
//! It is client-go's `tools/leaderelection` with its rules and defaults, so that replicas in Go and in Rust can stand for the
//! same lease.
//!
//! # Guarantees
//!
//! - **The work ends before the lease does.** The work gets a token. If the lease is not renewed
//!   for [`renew_deadline`](LeaderElectorBuilder::renew_deadline) since the last renewal that
//!   succeeded was *sent*, the token is cancelled; if the work goes on until the lease can be
//!   taken, it is dropped. Others begin to count when they see that renewal, which is later.
//! - **The lease outlives the work.** It is renewed until the work has ended, also after a shutdown was asked for, and given back
//!   only then, also if the work panics.
//! - **No common clock.** Whether a lease has ended is judged by the time that has passed here since its record was last seen
//!   to change, never by the times in it.
//!
//! This is no fence: a request that was sent before the lease ended may be carried out after it,
//! and a program that is stopped as a whole (a suspended machine) finds out only when it runs
//! again. Clocks may run at different speeds, up to the ratio of
//! [`lease_duration`](LeaderElectorBuilder::lease_duration) and
//! [`renew_deadline`](LeaderElectorBuilder::renew_deadline).
//!
//! A work that blocks its thread cannot be cancelled or dropped. Renewals are in a task of their own, so that on a
//! multi-threaded runtime it does not lose the lease for that.
//!
//! # Rights
//!
//! `get`, `create` and `update` on `leases` of the group `coordination.k8s.io`; `create` and `patch` on `events` for
//! [`LeaseLock::recorder`].
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

mod attempt;
mod builder;
mod candidate;
mod config;
mod elector;
mod healthz;
mod identity;
mod leadership;
mod lock;
mod meter;
mod record;

pub use builder::LeaderElectorBuilder;
pub use config::LeaderElectionConfigError;
pub use elector::{LeaderElector, LeadershipLostError};
pub use healthz::HealthzAdaptor;
pub use identity::unique_identity;
pub use leadership::{Leadership, NotRenewedError};
pub use lock::LeaseLock;

#[cfg(test)]
mod tests;
