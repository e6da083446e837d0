//! Event handlers: the trait [`EventHandler`], and three implementations. [`Handlers`] calls
//! closures, [`Filtered`] filters events, and [`Enqueue`] adds names to a work queue.

use std::fmt;
use std::sync::Arc;

use kube::Resource;

use super::event::{Deleted, Event};
use crate::cache::ObjectName;
use crate::workqueue::Queue;

/// Receiver of an informer's events: client-go's `ResourceEventHandler`.
///
/// Each handler has its own task, which calls it for one event at a time. A handler should pass the
/// work on and return. It must not block for long, since it runs on a thread of the Tokio runtime.
/// `on_add`, `on_update` and `on_delete` ignore their events unless they are implemented. An `Arc`
/// of a handler is a handler, so one handler can be added to several informers. The tasks of these
/// informers may call it at the same time.
///
/// A handler must not hold a handle of its informer, nor of the informer's factory. An informer
/// runs until its last handle is dropped, and keeps its registered handlers until then. If one
/// of them holds a handle, the informer does not stop by itself. To read the cache, hold a
/// [`Lister`](crate::lister::Lister) or an [`Indexer`](crate::cache::Indexer). If a handler does
/// hold its informer, [`SharedInformer::shutdown`](super::SharedInformer::shutdown) and
/// [`SharedInformerFactory::shutdown`](super::SharedInformerFactory::shutdown) stop the informer
/// and free it.
pub trait EventHandler<K>: Send + Sync + 'static {
    /// Called when an object is added. `is_initial` is true if the object was cached when the
    /// handler was added, or is part of the initial list.
    fn on_add(&self, object: Arc<K>, is_initial: bool) {
        let _ = (object, is_initial);
    }

    /// Called when an object changes from `old` to `new`. In a resync, it is called for every
    /// object, with the same object as `old` and `new`.
    fn on_update(&self, old: Arc<K>, new: Arc<K>) {
        let _ = (old, new);
    }

    /// Called when an object is deleted.
    fn on_delete(&self, object: Deleted<K>) {
        let _ = object;
    }

    /// Called for every event; informers call only this method. By default, it calls the method for
    /// the kind of the event.
    ///
    /// Implement it in place of the other three to treat all events alike. A handler that wraps
    /// another one passes events on by this method.
    fn on_event(&self, event: &Event<K>) {
        match event {
            Event::Added { object, is_initial } => self.on_add(Arc::clone(object), *is_initial),
            Event::Updated { old, new } => self.on_update(Arc::clone(old), Arc::clone(new)),
            Event::Deleted(deleted) => self.on_delete(deleted.clone()),
        }
    }
}

/// Handler built from closures: client-go's `ResourceEventHandlerFuncs`.
///
/// ```
/// use genclient::informer::Handlers;
/// use k8s_openapi::api::core::v1::Pod;
///
/// let (sender, receiver) = std::sync::mpsc::channel();
/// let deleted = sender.clone();
/// let handler = Handlers::<Pod>::new()
///     .on_add(move |pod, _| sender.send(pod.metadata.name.clone()).unwrap())
///     .on_delete(move |pod| deleted.send(Some(pod.name().name().to_owned())).unwrap());
/// # let _ = (handler, receiver);
/// ```
#[must_use = "a handler does nothing until it is added to an informer"]
pub struct Handlers<K> {
    on_add: Option<OnAdd<K>>,
    on_update: Option<OnUpdate<K>>,
    on_delete: Option<OnDelete<K>>,
}

type OnAdd<K> = Box<dyn Fn(Arc<K>, bool) + Send + Sync>;
type OnUpdate<K> = Box<dyn Fn(Arc<K>, Arc<K>) + Send + Sync>;
type OnDelete<K> = Box<dyn Fn(Deleted<K>) + Send + Sync>;

/// Handler that passes on the events of objects that match a predicate: client-go's
/// `FilteringResourceEventHandler`.
///
/// If an object starts to match, the inner handler receives an addition. If it no longer matches,
/// the inner handler receives a deletion. A deletion is passed on if the last known state matched,
/// or if no state is known.
///
/// ```
/// use genclient::informer::{Filtered, Handlers};
/// use k8s_openapi::api::core::v1::Pod;
///
/// let is_ours = |pod: &Pod| {
///     pod.metadata.labels.iter().flatten().any(|(label, _)| label == "gputask")
/// };
/// let handler = Filtered::new(
///     is_ours,
///     Handlers::new().on_delete(|pod| println!("{} is not ours any more", pod.name())),
/// );
/// # fn takes(_: impl genclient::informer::EventHandler<Pod>) {}
/// # takes(handler);
/// ```
#[must_use = "a handler does nothing until it is added to an informer"]
#[derive(Debug)]
pub struct Filtered<F, H> {
    filter: F,
    handler: H,
}

/// Handler that adds the object's name to a work queue at every event. In client-go, a controller
/// writes it as three functions around `MetaNamespaceKeyFunc`.
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
/// To filter events, wrap it in a [`Filtered`](super::Filtered).
#[must_use = "a handler does nothing until it is added to an informer"]
#[derive(Clone, Debug)]
pub struct Enqueue {
    queue: Queue<ObjectName>,
}

// === impl EventHandler ===

impl<K, H: EventHandler<K> + ?Sized> EventHandler<K> for Arc<H> {
    fn on_add(&self, object: Arc<K>, is_initial: bool) {
        (**self).on_add(object, is_initial);
    }

    fn on_update(&self, old: Arc<K>, new: Arc<K>) {
        (**self).on_update(old, new);
    }

    fn on_delete(&self, object: Deleted<K>) {
        (**self).on_delete(object);
    }

    fn on_event(&self, event: &Event<K>) {
        (**self).on_event(event);
    }
}

// === impl Handlers ===

impl<K> Handlers<K> {
    /// Returns a handler without closures, which ignores every event.
    pub fn new() -> Self {
        Self {
            on_add: None,
            on_update: None,
            on_delete: None,
        }
    }

    /// Sets the closure that is called for every addition; see [`EventHandler::on_add`].
    pub fn on_add(mut self, on_add: impl Fn(Arc<K>, bool) + Send + Sync + 'static) -> Self {
        self.on_add = Some(Box::new(on_add));
        self
    }

    /// Sets the closure that is called for every change; see [`EventHandler::on_update`].
    pub fn on_update(mut self, on_update: impl Fn(Arc<K>, Arc<K>) + Send + Sync + 'static) -> Self {
        self.on_update = Some(Box::new(on_update));
        self
    }

    /// Sets the closure that is called for every deletion; see [`EventHandler::on_delete`].
    pub fn on_delete(mut self, on_delete: impl Fn(Deleted<K>) + Send + Sync + 'static) -> Self {
        self.on_delete = Some(Box::new(on_delete));
        self
    }
}

impl<K: 'static> EventHandler<K> for Handlers<K> {
    fn on_add(&self, object: Arc<K>, is_initial: bool) {
        if let Some(on_add) = &self.on_add {
            on_add(object, is_initial);
        }
    }

    fn on_update(&self, old: Arc<K>, new: Arc<K>) {
        if let Some(on_update) = &self.on_update {
            on_update(old, new);
        }
    }

    fn on_delete(&self, object: Deleted<K>) {
        if let Some(on_delete) = &self.on_delete {
            on_delete(object);
        }
    }
}

impl<K> Default for Handlers<K> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K> fmt::Debug for Handlers<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handlers")
            .field("on_add", &self.on_add.is_some())
            .field("on_update", &self.on_update.is_some())
            .field("on_delete", &self.on_delete.is_some())
            .finish()
    }
}

// === impl Filtered ===

impl<F, H> Filtered<F, H> {
    /// Returns a handler that passes events of objects that match `filter` on to `handler`.
    pub fn new(filter: F, handler: H) -> Self {
        Self { filter, handler }
    }
}

impl<K, F, H> EventHandler<K> for Filtered<F, H>
where
    F: Fn(&K) -> bool + Send + Sync + 'static,
    H: EventHandler<K>,
{
    fn on_add(&self, object: Arc<K>, is_initial: bool) {
        self.on_event(&Event::Added { object, is_initial });
    }

    fn on_update(&self, old: Arc<K>, new: Arc<K>) {
        self.on_event(&Event::Updated { old, new });
    }

    fn on_delete(&self, object: Deleted<K>) {
        self.on_event(&Event::Deleted(object));
    }

    fn on_event(&self, event: &Event<K>) {
        let matches = |object: &Arc<K>| (self.filter)(object);
        match event {
            Event::Added { object, .. } if matches(object) => self.handler.on_event(event),
            Event::Updated { old, new } => match (matches(old), matches(new)) {
                (true, true) => self.handler.on_event(event),
                (false, true) => self.handler.on_event(&Event::Added {
                    object: Arc::clone(new),
                    is_initial: false,
                }),
                (true, false) => {
                    let deleted = Deleted::Known(Arc::clone(old));
                    self.handler.on_event(&Event::Deleted(deleted));
                }
                (false, false) => {}
            },
            Event::Deleted(deleted) if deleted.object().is_none_or(matches) => {
                self.handler.on_event(event);
            }
            Event::Added { .. } | Event::Deleted(_) => {}
        }
    }
}

// === impl Enqueue ===

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
