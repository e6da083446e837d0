//! The task behind one handler.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Weak};
use std::time::Duration;

use kube::Resource;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::watch;
use tokio::time::{Interval, MissedTickBehavior};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::event::Event;
use super::handler::{EventHandler, dispatch};
use super::hub::Hub;
use crate::scheme::Object;

/// How long a handler that panicked is left alone.
const PAUSE_AFTER_PANIC: Duration = Duration::from_secs(1);
/// After so many events of a batch, other tasks of the thread get their turn.
const EVENTS_IN_A_ROW: usize = 64;

/// What is in the queue of a handler.
pub(super) enum Message<K> {
    One(Event<K>),
    /// Shared by all handlers.
    Many(Arc<[Event<K>]>),
    /// What a resync of this handler says.
    Resync(Arc<[Event<K>]>),
    /// Everything that was there at first is before this.
    Synced,
}

/// A handler, its queue, and what ends it.
pub(super) struct Listener<K: Resource> {
    /// Dropped before `done`.
    pub(super) handler: Box<dyn EventHandler<K>>,
    pub(super) id: u64,
    pub(super) messages: UnboundedReceiver<Message<K>>,
    pub(super) resync: Option<Duration>,
    /// Weak: the handler may hold what the informer is held by.
    pub(super) hub: Weak<Hub<K>>,
    pub(super) synced: watch::Sender<bool>,
    /// Cancelled when the registration is dropped, or the informer stops.
    pub(super) stop: CancellationToken,
    /// Tells the registration that the handler is gone.
    #[expect(dead_code, reason = "its drop is what it is for")]
    pub(super) done: DropGuard,
}

impl<K: Object> Listener<K> {
    pub(super) async fn run(mut self) {
        let mut resync = self.resync.map(every);
        let mut resyncing = false;
        loop {
            tokio::select! {
                biased;
                () = self.stop.cancelled() => return,
                // A resync waits until the handler is through with the last one.
                () = tick(&mut resync), if !resyncing => {
                    resyncing = self.hub.upgrade().is_some_and(|hub| hub.resync(self.id));
                }
                message = self.messages.recv() => match message {
                    None => return,
                    Some(Message::One(event)) => self.deliver(&event).await,
                    Some(Message::Many(events)) => self.deliver_all(&events).await,
                    Some(Message::Resync(events)) => {
                        self.deliver_all(&events).await;
                        resyncing = false;
                    }
                    Some(Message::Synced) => {
                        self.synced.send_replace(true);
                    }
                },
            }
        }
    }

    async fn deliver_all(&self, events: &[Event<K>]) {
        for (at, event) in events.iter().enumerate() {
            if self.stop.is_cancelled() {
                return;
            }
            // Not after the last: who yields waits for its thread, which another handler may hold.
            if at > 0 && at.is_multiple_of(EVENTS_IN_A_ROW) {
                tokio::task::yield_now().await;
            }
            self.deliver(event).await;
        }
    }

    async fn deliver(&self, event: &Event<K>) {
        let call = || dispatch(&*self.handler, event.clone());
        if catch_unwind(AssertUnwindSafe(call)).is_err() {
            tracing::error!(object = %event.name(), "handler panicked; the event is lost to it");
            let pause = tokio::time::sleep(PAUSE_AFTER_PANIC);
            self.stop.run_until_cancelled(pause).await;
        }
    }
}

fn every(period: Duration) -> Interval {
    let mut interval = tokio::time::interval_at(tokio::time::Instant::now() + period, period);
    interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
    interval
}

/// Never, without an interval.
async fn tick(interval: &mut Option<Interval>) {
    match interval {
        Some(interval) => {
            interval.tick().await;
        }
        None => std::future::pending().await,
    }
}
