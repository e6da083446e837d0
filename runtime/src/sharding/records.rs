//! Records of the sharding protocol: the contents of its Leases, and changes of them.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::assignment::{Assignment, Uid};
use super::key::ShardBy;
use super::weights::Weights;

/// An object as the API server has stored it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Stored<T> {
    pub(super) uid: Uid,
    /// Resource version, which is a number (KEP-5504). The versions of two Leases can be compared,
    /// because they are of the same resource.
    pub(super) version: u64,
    pub(super) value: T,
}

/// A member's Lease.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct MemberRecord {
    /// Number of the renewal.
    pub(super) renewal: u64,
    pub(super) shard_by: ShardBy,
    /// The objects of the slots that the member holds.
    pub(super) weights: Weights,
    /// How long others respect the Lease after a renewal.
    #[serde(skip)]
    pub(super) lease_duration: Duration,
    /// The member holds nothing except what this generation gives it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) follows: Option<Followed>,
    /// Whether the member has stopped for good.
    pub(super) is_leaving: bool,
}

/// A generation of an assignment.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct Followed {
    pub(super) assignment: Uid,
    pub(super) generation: u64,
}

/// The lock.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct LockRecord {
    pub(super) holder: LockHolder,
    /// How long others respect the lock after a renewal.
    pub(super) lease_duration: Duration,
    /// Whether a member has ever held the lock. Otherwise there has never been an assignment.
    pub(super) is_sharded: bool,
}

/// Holder of the lock.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum LockHolder {
    Nobody,
    /// The coordinator.
    Member(Uid),
    /// A program without sharding.
    Foreign,
}

/// An event of the watch. `None` if the object was deleted.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Change {
    Member(String, Option<Stored<MemberRecord>>),
    Lock(Option<Stored<LockRecord>>),
    Assignment(Option<Stored<Assignment>>),
}

/// The result of a list: all objects at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Snapshot {
    /// Leases of members by name.
    pub(super) members: BTreeMap<String, Stored<MemberRecord>>,
    pub(super) lock: Option<Stored<LockRecord>>,
    pub(super) assignment: Option<Stored<Assignment>>,
}

/// A request. It creates the object if it names no version. Otherwise it fails unless the object
/// has this version.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum LeaseWrite {
    /// Writes this replica's Lease.
    Member(Option<u64>, MemberRecord),
    /// Deletes the Lease of this name.
    DeleteMember(String, u64),
    Lock(Option<u64>, LockRecord),
    Assignment(Option<u64>, Assignment),
}

/// Kind of a write. At most one request of a kind is in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum WriteKind {
    Member,
    DeleteMember,
    Lock,
    Assignment,
}

impl LeaseWrite {
    pub(super) fn kind(&self) -> WriteKind {
        match self {
            Self::Member(..) => WriteKind::Member,
            Self::DeleteMember(..) => WriteKind::DeleteMember,
            Self::Lock(..) => WriteKind::Lock,
            Self::Assignment(..) => WriteKind::Assignment,
        }
    }
}
