//! Expiry of Events: each is deleted one hour after its last write.

use std::sync::Arc;
use std::time::Duration;

use super::work_queue::{ControllerTask, TaskOutcome, WorkQueue};
use crate::commit::commit;
use crate::controller_queue::{ControllerEvent, ObjectId};
use crate::state::ServerState;

/// Time after which Events are deleted (`--event-ttl` of kube-apiserver).
const LIFE: Duration = Duration::from_secs(60 * 60);

pub(super) fn observe(work: &mut WorkQueue, seen: &ControllerEvent) {
    if seen.is_event() && !seen.is_deletion {
        let task = ControllerTask::Expire(seen.identity(), seen.new.version());
        work.add_at(seen.due + LIFE, task);
    }
}

/// Deletes an Event, even one with finalizers, if `version` is still its resource version.
pub(super) fn expire(server: &Arc<ServerState>, identity: &ObjectId, version: u64) -> TaskOutcome {
    let ObjectId { resource, key, .. } = identity;
    let live = server.store.get(resource, key);
    let live = live.filter(|live| live.version() == version);
    if let (Some(live), Some(kind)) = (live, server.kinds.preferred(resource)) {
        // An error means that the Event was changed or deleted meanwhile.
        let _ = commit(server, &kind, key, Some(&live), None);
    }
    TaskOutcome::Done
}
