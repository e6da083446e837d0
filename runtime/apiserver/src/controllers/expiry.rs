//! Expiry of Events: each is deleted one hour after its last write.

use std::sync::Arc;
use std::time::Duration;

use super::work_queue::{ControllerTask, TaskOutcome, WorkQueue};
use crate::commit::commit;
use crate::controller_queue::{ControllerEvent, ObjectId};
use crate::state::ServerState;

/// Time after which Events are deleted (`--event-ttl` of kube-apiserver).
const EVENT_TTL: Duration = Duration::from_secs(60 * 60);

pub(super) fn enqueue_tasks(work: &mut WorkQueue, event: &ControllerEvent) {
    if event.concerns_event_object() && !event.is_deletion {
        let task = ControllerTask::Expire(event.object_id(), event.new.version());
        work.add_at(event.due + EVENT_TTL, task);
    }
}

/// Deletes an Event, even one with finalizers, if `version` is still its resource version.
pub(super) fn expire(server: &Arc<ServerState>, id: &ObjectId, version: u64) -> TaskOutcome {
    let ObjectId { resource, key, .. } = id;
    let live = server.store.get(resource, key);
    let live = live.filter(|live| live.version() == version);
    if let (Some(live), Some(kind)) = (live, server.kinds.preferred(resource)) {
        // An error means that the Event was changed or deleted meanwhile.
        let _ = commit(server, &kind, key, Some(&live), None);
    }
    TaskOutcome::Done
}
