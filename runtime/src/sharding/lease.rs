//! Leases of the sharding protocol: conversion between objects and records.

use std::time::Duration;

use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use k8s_openapi::jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::assignment::{Assignment, HashSlot, Seat};
use super::key::ShardBy;
use super::records::{Change, LockHolder, LockRecord, MemberRecord, Snapshot, Stored};

/// Label of all Leases of a group, with the name of the group.
const GROUP: &str = "genclient/shard-group";
/// Annotation of a member's Lease with its [`MemberRecord`] in JSON.
const MEMBER: &str = "genclient/shard-member";
/// Annotation of the lock with its [`Holder`] in JSON.
const HOLDER: &str = "genclient/shard-holder";
/// Annotation of the [`Assignment`] in JSON.
const ASSIGNMENT: &str = "genclient/shard-assignment";

/// The names of a group's Leases.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// Name of the group and of its lock.
    pub(super) name: String,
}

/// Kind of the record in a Lease.
enum Role {
    Member,
    Lock,
    Assignment,
}

impl Group {
    /// Returns the name of the assignment's Lease.
    pub(super) fn assignment(&self) -> String {
        format!("{}-shards", self.name)
    }

    /// Returns the name of the Lease of the member with this unique suffix.
    pub(super) fn member(&self, suffix: &str) -> String {
        format!("{}-shard-{suffix}", self.name)
    }

    fn role(&self, lease: &Lease) -> Option<Role> {
        let name = lease.metadata.name.as_deref()?;
        if name == self.name {
            return Some(Role::Lock);
        }
        let labels = lease.metadata.labels.as_ref()?;
        if labels.get(GROUP) != Some(&self.name) {
            return None;
        }
        Some(if name == self.assignment() {
            Role::Assignment
        } else {
            Role::Member
        })
    }

    /// Returns the change that an event of the watch reports, or `None` if the Lease is not of this
    /// group.
    pub(super) fn change(&self, lease: &Lease, is_deleted: bool) -> Option<Change> {
        let exists = !is_deleted;
        Some(match self.role(lease)? {
            Role::Lock => Change::Lock(exists.then(|| stored(lease, read_lock(lease)))),
            Role::Assignment => {
                Change::Assignment(exists.then(|| stored(lease, read_assignment(lease))))
            }
            Role::Member => {
                let name = lease.metadata.name.clone()?;
                Change::Member(name, exists.then(|| stored(lease, read_member(lease))))
            }
        })
    }

    /// Returns the records of a list.
    pub(super) fn snapshot<'a>(&self, leases: impl IntoIterator<Item = &'a Lease>) -> Snapshot {
        let mut snapshot = Snapshot::default();
        for lease in leases {
            match self.change(lease, false) {
                Some(Change::Member(name, Some(member))) => {
                    snapshot.members.insert(name, member);
                }
                Some(Change::Lock(lock)) => snapshot.lock = lock,
                Some(Change::Assignment(assignment)) => snapshot.assignment = assignment,
                Some(Change::Member(_, None)) | None => {}
            }
        }
        snapshot
    }
}

fn stored<T>(lease: &Lease, value: T) -> Stored<T> {
    Stored {
        uid: lease.metadata.uid.clone().unwrap_or_default(),
        version: version(lease),
        value,
    }
}

/// Returns the resource version of a Lease as a number.
pub(super) fn version(lease: &Lease) -> u64 {
    let version = lease.metadata.resource_version.as_deref();
    version.and_then(|it| it.parse().ok()).unwrap_or_default()
}

fn annotation<'a>(lease: &'a Lease, key: &str) -> Option<&'a str> {
    lease
        .metadata
        .annotations
        .as_ref()?
        .get(key)
        .map(String::as_str)
}

/// Returns the holder of a Lease, if there is one.
pub(super) fn holder(lease: &Lease) -> Option<&str> {
    let holder = lease.spec.as_ref()?.holder_identity.as_deref();
    holder.filter(|holder| !holder.is_empty())
}

fn read_member(lease: &Lease) -> MemberRecord {
    let record = annotation(lease, MEMBER).and_then(|text| serde_json::from_str(text).ok());
    MemberRecord {
        lease_duration: lease_duration(lease),
        ..record.unwrap_or_default()
    }
}

fn lease_duration(lease: &Lease) -> Duration {
    let spec = lease.spec.as_ref();
    let seconds = spec.and_then(|spec| spec.lease_duration_seconds);
    Duration::from_secs(
        seconds
            .and_then(|it| it.try_into().ok())
            .unwrap_or_default(),
    )
}

/// The [`HOLDER`] annotation.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Holder {
    uid: String,
    /// The Lease's `renewTime`. If it is another one, a program without sharding has written the
    /// Lease since, even if it has the same identity.
    renew_time: MicroTime,
}

fn read_lock(lease: &Lease) -> LockRecord {
    let member: Option<Holder> =
        annotation(lease, HOLDER).and_then(|text| serde_json::from_str(text).ok());
    let renewed = lease
        .spec
        .as_ref()
        .and_then(|spec| spec.renew_time.as_ref());
    let holder = match (holder(lease), member) {
        (None, _) => LockHolder::Nobody,
        (Some(_), Some(member)) if renewed == Some(&member.renew_time) => {
            LockHolder::Member(member.uid)
        }
        _ => LockHolder::Foreign,
    };
    LockRecord {
        holder,
        lease_duration: lease_duration(lease),
        is_sharded: annotation(lease, HOLDER).is_some(),
    }
}

/// Reads an assignment. One that somebody has damaged counts as deleted: members stop, and the
/// coordinator assigns the slots again.
fn read_assignment(lease: &Lease) -> Assignment {
    let assignment = annotation(lease, ASSIGNMENT).and_then(|text| serde_json::from_str(text).ok());
    let is_whole = |it: &Assignment| {
        it.slots.first().is_some_and(|slot| slot.first == 0)
            && it.slots.is_sorted_by(|a, b| a.first < b.first)
    };
    assignment.filter(is_whole).unwrap_or_else(|| Assignment {
        // Higher than every generation that a member may have followed.
        generation: version(lease),
        shard_by: ShardBy::default(),
        is_settled: false,
        leader: Seat::default(),
        slots: vec![HashSlot::default()],
    })
}

/// Content of a Lease to write.
pub(super) struct Content {
    /// Identity of the holder; empty for none.
    holder: String,
    lease_seconds: Option<i32>,
    record: LeaseRecord,
}

enum LeaseRecord {
    Member(String),
    Assignment(String),
    /// Uid of the member that holds the lock; empty for none.
    Lock(String),
}

impl Content {
    /// The Lease of a member with this identity.
    pub(super) fn member(record: &MemberRecord, identity: &str, lease_seconds: i32) -> Self {
        let holder = if record.is_leaving { "" } else { identity };
        Self {
            holder: holder.to_owned(),
            lease_seconds: Some(lease_seconds),
            record: LeaseRecord::Member(to_json(record)),
        }
    }

    /// The lock, held by the member with this uid and identity.
    pub(super) fn lock(uid: &str, identity: &str, lease_seconds: i32) -> Self {
        Self {
            holder: identity.to_owned(),
            lease_seconds: Some(lease_seconds),
            record: LeaseRecord::Lock(uid.to_owned()),
        }
    }

    /// The lock without a holder. Programs without sharding may acquire it at once.
    pub(super) fn released_lock() -> Self {
        Self {
            holder: String::new(),
            lease_seconds: Some(1),
            record: LeaseRecord::Lock(String::new()),
        }
    }

    pub(super) fn assignment(assignment: &Assignment) -> Self {
        Self {
            holder: String::new(),
            lease_seconds: None,
            record: LeaseRecord::Assignment(to_json(assignment)),
        }
    }
}

impl LeaseRecord {
    /// Returns the annotation of a Lease that is written at `now`.
    fn annotation(self, now: &MicroTime) -> (&'static str, String) {
        match self {
            Self::Member(record) => (MEMBER, record),
            Self::Assignment(assignment) => (ASSIGNMENT, assignment),
            Self::Lock(uid) => {
                let renew_time = now.clone();
                (HOLDER, to_json(&Holder { uid, renew_time }))
            }
        }
    }
}

impl Group {
    /// Returns the Lease `name` with this content. It replaces the given version, and keeps those
    /// fields of `last` that this module does not know.
    pub(super) fn lease(
        &self,
        name: &str,
        content: Content,
        version: Option<u64>,
        last: Option<&Lease>,
    ) -> Lease {
        let mut lease = last
            .filter(|_| version.is_some())
            .cloned()
            .unwrap_or_default();
        let Lease { metadata, spec } = &mut lease;
        metadata.name = Some(name.to_owned());
        metadata.resource_version = version.map(|version| version.to_string());
        let labels = metadata.labels.get_or_insert_default();
        labels.insert(GROUP.to_owned(), self.name.clone());
        let now = now_in_microseconds();
        let (key, value) = content.record.annotation(&now);
        let annotations = metadata.annotations.get_or_insert_default();
        annotations.insert(key.to_owned(), value);
        let old = spec.take().unwrap_or_default();
        let is_same_holder = old.holder_identity.as_deref().unwrap_or_default() == content.holder;
        let acquired = old.acquire_time.filter(|_| is_same_holder);
        let transitions = old.lease_transitions.unwrap_or_default();
        *spec = Some(LeaseSpec {
            holder_identity: Some(content.holder).filter(|holder| !holder.is_empty()),
            lease_duration_seconds: content.lease_seconds,
            acquire_time: acquired.or_else(|| Some(now.clone())),
            renew_time: Some(now),
            lease_transitions: Some(transitions.saturating_add(i32::from(!is_same_holder))),
            ..LeaseSpec::default()
        });
        lease
    }
}

/// Returns the current time as the API server stores it.
fn now_in_microseconds() -> MicroTime {
    let now = Timestamp::now();
    MicroTime(Timestamp::from_microsecond(now.as_microsecond()).unwrap_or(now))
}

fn to_json<T: Serialize>(value: &T) -> String {
    // Structs with string keys can always be serialized.
    serde_json::to_string(value).unwrap_or_default()
}
