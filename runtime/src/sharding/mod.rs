//! Sharding: the replicas of a program share the objects, and each works on its part.
//!
//! With [leader election](crate::leaderelection), one replica works and the others wait. With
//! sharding, all of them work. The hash of an object's namespace, or of its namespace and name,
//! decides which replica works on it, and caches it. No labels are set on objects, the number of
//! replicas may change at any time, and the replicas coordinate through Leases alone.
//!
//! # Guarantees
//!
//! - **At most one replica works on an object.** A replica gets an object only after the one that
//!   had it has stopped: it says so in its Lease, or its Lease has expired and was deleted.
//! - **Every object has a replica.** If a replica dies, others continue its work after the lease
//!   duration and a tenth of it. If it shuts down, they continue when its work has ended.
//! - **Few objects move.** If a replica comes or goes, as few objects move as balance needs.
//! - **Replicas hold equal numbers of objects**, if the program
//!   [counts](ShardMemberBuilder::counts) them. Objects with the same hash, such as those of one
//!   namespace, are not divided.
//! - **One replica is the leader**, for work that is not about one object.
//! - **A replica without sharding excludes all with it.** Both use the Lease with the group's name,
//!   so no two work at once during an upgrade.
//! - **Clocks need not agree.** Their rates may differ by 10 %.
//!
//! # Caches
//!
//! An informer of a factory with [`shards`](crate::informer::SharedInformerFactoryBuilder::shards)
//! caches the objects of this replica. Work by a handle [with its caches](Shards::with_caches)
//! begins when the cache has what the replica has got, as the last replica has left it: the objects
//! are listed after the other replica has stopped. What a replica loses stays in the cache until
//! work on it has ended.
//!
//! # Limits
//!
//! - As with leader election, a request that was sent before a replica lost an object may be
//!   applied later, and work that blocks its thread cannot be dropped. A replica that was suspended
//!   by a signal works on nothing that it has lost; the clock of a suspended virtual machine may
//!   stand still.
//! - Somebody may delete Leases by hand; objects then wait for at most the lease duration. But
//!   whoever deletes the Leases `GROUP` and `GROUP-shards` together, deletes `GROUP` while a
//!   program without sharding waits for it, or restores etcd from a backup, has to stop all
//!   replicas before.
//! - The identity of a replica has to be unique.
//! - With [`ShardBy::Namespace`], all cluster-scoped objects have one replica.
//!
//! # Permissions
//!
//! `list`, `watch`, `create`, `update` and `delete` on `leases` of the group `coordination.k8s.io`,
//! in the namespace of the Leases, and without names.
//!
//! # Example
//!
//! ```no_run
//! use genclient::sharding::ShardMember;
//! use genclient::{config, signals};
//!
//! # async fn reconcile(namespace: &str, name: &str) {}
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! let config = config::from_flags(None, None).await?;
//! let member = ShardMember::connect(config, "gpu-system", "gputasks")?.build()?;
//! let shards = member.shards();
//! let stop = signals::shutdown()?;
//! tokio::spawn(member.run(stop.clone()));
//!
//! // In a worker, for the object `train` in the namespace `default`:
//! if let Some(permit) = shards.enter("default", "train") {
//!     permit.run(&stop, |_| reconcile("default", "train")).await?;
//! }
//! # Ok(())
//! # }
//! ```

#[cfg(feature = "leader-election")]
mod assignment;
#[cfg(feature = "leader-election")]
mod balance;
mod key;
#[cfg(feature = "leader-election")]
mod lease;
#[cfg(feature = "leader-election")]
mod member;
#[cfg(feature = "leader-election")]
mod metrics;
#[cfg(feature = "leader-election")]
mod protocol;
mod ranges;
#[cfg(feature = "leader-election")]
mod records;
#[cfg_attr(
    not(feature = "leader-election"),
    allow(dead_code, reason = "only members change the ranges")
)]
mod shards;
mod status;
#[cfg(feature = "leader-election")]
mod weights;

pub use key::{ParseShardByError, ShardBy, ShardKey};
#[cfg(feature = "leader-election")]
pub use member::{ShardMember, ShardMemberBuilder};
pub(crate) use ranges::HashRanges;
pub(crate) use shards::ShardCache;
pub use shards::{Gained, Gains, Permit, Shards, WorkDroppedError};
pub use status::{ShardObstacle, ShardStatus};

#[cfg(test)]
#[cfg(feature = "leader-election")]
mod tests;
