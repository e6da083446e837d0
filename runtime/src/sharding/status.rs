//! [`ShardStatus`]: the state of a group, for probes, logs and metrics.

/// State of a group, as a replica observes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ShardStatus {
    /// Number of replicas in the group.
    pub members: usize,
    /// Number of slots. A slot is a range of hashes that one replica works on.
    pub slots: usize,
    /// Number of slots of this replica.
    pub held_slots: usize,
    /// Number of these slots whose objects the caches do not have yet. The replica works on them
    /// when it has read them from the API server.
    pub unread_slots: usize,
    /// Number of slots that no replica works on, for example while they move.
    pub unheld_slots: usize,
    /// Number of objects of the group, as last counted.
    pub objects: u64,
    /// Number of objects in the slots of this replica.
    pub held_objects: u64,
    /// Why this replica works on nothing. `None` if it does, or if other replicas hold all slots.
    pub obstacle: Option<ShardObstacle>,
}

/// Reason why a replica works on nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ShardObstacle {
    /// The replica is not in the group yet: the API server cannot be reached or refuses its Lease,
    /// or the replica has just started.
    #[error(
        "this replica is not in the group yet: its role needs list, watch, create, update and delete on leases"
    )]
    NotJoined,
    /// The Lease has not been renewed in time.
    #[error("this replica could not renew its lease in time")]
    Lapsed,
    /// A program without sharding has the Lease of the leader.
    #[error("a program with leader election has the lease of the leader")]
    LeaderElection,
    /// Nobody has assigned the objects yet, or the assignment was deleted.
    #[error("the leader has not assigned the objects yet")]
    Unassigned,
    /// The other replicas have another shard key.
    #[error("other replicas share the objects by another key, and have to end first")]
    OtherShardKey,
}
