//! [`Listener`]: the task that calls one handler.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Weak};
use std::time::Duration;

use kube::Resource;
use tokio::sync::watch;
use tokio::time::Interval;
use tokio_util::sync::{CancellationToken, DropGuard};
use tracing::field::display;

use super::backlog::{Mark, Told};
use super::event::Event;
use super::handler::EventHandler;
use super::hub::Hub;
use super::queue::EventQueue;
use crate::scheme::Object;
use crate::time::every;

/// Pause after a panic of a handler.
const PAUSE_AFTER_PANIC: Duration = Duration::from_secs(1);
/// Number of events in a row after which other tasks of the thread get a turn.
const EVENTS_IN_A_ROW: usize = 64;

/// Handler with its queue and its stop signals.
pub(super) struct Listener<K: Resource> {
    /// Dropped before `done`.
    pub(super) handler: Box<dyn EventHandler<K>>,
    pub(super) id: u64,
    pub(super) queue: Arc<EventQueue<K>>,
    pub(super) resync: Option<Duration>,
    /// Weak, since the hub owns the listener until the informer starts (`HubState::waiting`).
    pub(super) hub: Weak<Hub<K>>,
    pub(super) synced: watch::Sender<bool>,
    /// Cancelled when the registration is dropped or the informer stops.
    pub(super) stop: CancellationToken,
    /// Notifies the registration, on drop, that the handler is gone.
    #[expect(dead_code, reason = "its drop is what it is for")]
    pub(super) done: DropGuard,
}

impl<K: Object> Listener<K> {
    pub(super) async fn run(self) {
        let mut resync = self.resync.map(every);
        let mut resyncing = false;
        loop {
            let told = tokio::select! {
                biased;
                () = self.stop.cancelled() => return,
                // A resync waits until the handler has processed the previous one.
                () = tick(&mut resync), if !resyncing => {
                    let hub = self.hub.upgrade();
                    resyncing = hub.is_some_and(|hub| hub.resync(self.id, &self.queue));
                    continue;
                }
                told = poll_fn(|ctx| self.queue.poll_pop(ctx)) => told,
            };
            match told {
                None => return,
                Some(told) => resyncing &= !self.tell_all(told).await,
            }
        }
    }

    /// Delivers `first` and the events after it, until other tasks get a turn. Returns whether a
    /// resync has been processed.
    async fn tell_all(&self, first: Told<K>) -> bool {
        let mut is_resynced = false;
        let mut first = Some(first);
        for _ in 0..EVENTS_IN_A_ROW {
            match first.take().or_else(|| self.queue.try_pop()) {
                Some(Told::Event(event)) => self.deliver(&event).await,
                Some(Told::Mark(Mark::Resynced)) => is_resynced = true,
                Some(Told::Mark(Mark::Synced)) => {
                    self.synced.send_replace(true);
                }
                None => return is_resynced,
            }
            if self.stop.is_cancelled() {
                return is_resynced;
            }
        }
        // Not if the queue is empty: yielding waits for the thread, which another handler may
        // block.
        if self.queue.depth() > 0 {
            tokio::task::yield_now().await;
        }
        is_resynced
    }

    async fn deliver(&self, event: &Event<K>) {
        let call = || dispatch(&*self.handler, event.clone());
        if catch_unwind(AssertUnwindSafe(call)).is_err() {
            let (hub, name) = (self.hub.upgrade(), event.name());
            let object = hub.as_ref().map(|hub| display(hub.object_ref(&name)));
            tracing::error!(
                "object.ref" = object,
                "handler panicked; the event is lost to it"
            );
            let pause = tokio::time::sleep(PAUSE_AFTER_PANIC);
            self.stop.run_until_cancelled(pause).await;
        }
    }
}

fn dispatch<K: 'static>(handler: &dyn EventHandler<K>, event: Event<K>) {
    match event {
        Event::Added { object, is_initial } => handler.on_add(object, is_initial),
        Event::Updated { old, new } => handler.on_update(old, new),
        Event::Deleted(deleted) => handler.on_delete(deleted),
    }
}

/// Waits for the next tick, or forever without an interval.
async fn tick(interval: &mut Option<Interval>) {
    match interval {
        Some(interval) => {
            interval.tick().await;
        }
        None => std::future::pending().await,
    }
}
