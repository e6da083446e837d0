//! Set of GPUTasks that are refused until they change.

use std::collections::HashMap;

use genclient::cache::ObjectName;
use parking_lot::Mutex;

use crate::apis::falldio::v1::GPUTask;

/// The refused tasks, each with its resource version. A resync keeps the version, so the task
/// stays refused. After a change, the task has another version and is tried again.
#[derive(Default)]
pub(super) struct Refused(Mutex<HashMap<ObjectName, Option<String>>>);

impl Refused {
    pub(super) fn insert(&self, task: &GPUTask) {
        let version = task.metadata.resource_version.clone();
        self.0.lock().insert(ObjectName::from_object(task), version);
    }

    /// Whether this version of the task was refused.
    pub(super) fn contains(&self, task: &GPUTask) -> bool {
        let refused = self.0.lock();
        let version = refused.get(&ObjectName::from_object(task));
        version == Some(&task.metadata.resource_version)
    }

    pub(super) fn forget(&self, name: &ObjectName) {
        self.0.lock().remove(name);
    }
}
