//! [`Enqueue`]: a handler that adds the names of objects to a work queue.

use std::sync::Arc;

use kube::Resource;

use super::event::Deleted;
use super::handler::EventHandler;
use crate::cache::ObjectName;
use crate::workqueue::Queue;

/// Handler that adds the name of the object to a work queue at every event. Most controllers write
/// it as three functions around client-go's `MetaNamespaceKeyFunc`.
///
/// ```no_run
/// use genclient::informer::{Enqueue, SharedInformer, StoppedError};
/// use genclient::workqueue::Queue;
/// use k8s_openapi::api::core::v1::Pod;
///
/// # fn run(pods: SharedInformer<Pod>) -> Result<(), StoppedError> {
/// let queue = Queue::new();
/// let registration = pods.add_handler(Enqueue::keys(&queue))?;
/// # drop(registration);
/// # Ok(())
/// # }
/// ```
///
/// To leave events out, wrap it in a [`Filtered`](super::Filtered).
#[must_use = "a handler does nothing until it is added to an informer"]
#[derive(Clone, Debug)]
pub struct Enqueue {
    queue: Queue<ObjectName>,
}

impl Enqueue {
    /// Returns a handler that adds the name of each object to `queue`, which may be a
    /// [`PriorityQueue`](crate::workqueue::PriorityQueue): names have priority 0 there.
    pub fn keys(queue: &Queue<ObjectName>) -> Self {
        let queue = queue.clone();
        Self { queue }
    }
}

impl<K: Resource + 'static> EventHandler<K> for Enqueue {
    fn on_add(&self, object: Arc<K>, _is_initial: bool) {
        self.queue.add(ObjectName::from_object(&*object));
    }

    fn on_update(&self, _old: Arc<K>, new: Arc<K>) {
        self.queue.add(ObjectName::from_object(&*new));
    }

    fn on_delete(&self, object: Deleted<K>) {
        self.queue.add(object.name());
    }
}
