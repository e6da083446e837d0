//! The first start of a group.

use std::time::Duration;

use crate::leaderelection::Timing;
use crate::sharding::key::ShardBy;
use crate::sharding::protocol::Protocol;
use crate::sharding::records::{Change, LeaseWrite, Snapshot, Stored, WriteKind};

/// The watch delivers the lock before the response of its creation.
#[test]
fn the_first_assignment_waits_for_the_response_that_the_lock_is_new() {
    let now = Duration::from_secs(1);
    let mut protocol = Protocol::new("one", Timing::default(), ShardBy::Namespace);
    protocol.list(now, Snapshot::default());
    let mut assignments = Vec::new();
    for _ in 0..4 {
        let mut late = Vec::new();
        for write in protocol.step(now) {
            match write {
                LeaseWrite::Member(_, record) => {
                    let member = Stored {
                        uid: "uid".to_owned(),
                        version: 1,
                        value: record,
                    };
                    protocol.watch(now, Change::Member("one".to_owned(), Some(member)));
                    protocol.answer(now, WriteKind::Member, Some(1));
                }
                LeaseWrite::Lock(_, record) => {
                    let lock = Stored {
                        uid: "lock".to_owned(),
                        version: 2,
                        value: record,
                    };
                    protocol.watch(now, Change::Lock(Some(lock)));
                    late.push(WriteKind::Lock);
                }
                LeaseWrite::Assignment(_, assignment) => assignments.push(assignment),
                LeaseWrite::DeleteMember(..) => unreachable!("there is no other member"),
            }
        }
        if !late.is_empty() {
            let early = protocol.step(now);
            assert!(
                early.iter().all(|it| it.kind() != WriteKind::Assignment),
                "{early:?}"
            );
        }
        late.into_iter()
            .for_each(|kind| protocol.answer(now, kind, Some(2)));
    }
    assert_eq!(assignments.len(), 1);
    assert!(assignments[0].is_settled, "{assignments:?}");
}
