//! Shared informers: one cache per kind with event handlers, as in client-go.
//!
//! A [`SharedInformer`] caches one kind, by one list and watch, for any number of listers and
//! handlers. A [`SharedInformerFactory`] owns the informers of a program: it starts them, waits
//! until they have synced, and shuts them down.
//!
//! ```no_run
//! use std::time::Duration;
//! use genclient::informer::{Handlers, SharedInformerFactory};
//! use genclient::lister::Selector;
//! use k8s_openapi::api::core::v1::Pod;
//!
//! # async fn run(client: kube::Client) -> Result<(), Box<dyn std::error::Error>> {
//! let factory = SharedInformerFactory::builder(client)
//!     .resync(Duration::from_secs(10 * 60))
//!     .build();
//! let pods = factory.informer_for::<Pod>();
//! let registration = pods.add_handler(
//!     Handlers::new().on_delete(|pod| println!("{} is gone", pod.name())),
//! )?;
//! factory.start();
//! factory.wait_for_cache_sync().await?;
//! println!("{} pods", pods.lister().list(&Selector::default()).len());
//! drop(registration); // the handler is removed
//! factory.shutdown().await;
//! # Ok(())
//! # }
//! ```
//!
//! # Guarantees
//!
//! - The cache changes before handlers are notified. When a handler runs, the cache may already
//!   have newer changes.
//! - A handler is called for one event at a time, in order. Each handler has its own task and its
//!   own queue; neither other handlers nor the reflector wait for it. A handler should only add
//!   keys to a work queue.
//! - Each handler receives a consistent sequence of events up to the final state of the cache. An
//!   object is added before it changes. The old state of an update is the state that the handler
//!   received last. After a deletion, the next event of the same name is an addition. The
//!   exception is a new object that cannot be decoded: the handler receives only its deletion.
//! - A handler must not block for long, since it occupies a thread of the Tokio runtime until it
//!   returns. Tasks that called `yield_now` on this thread wait as well, since no other thread can
//!   take them over.
//! - A handler that is added after the start first receives every cached object as an addition,
//!   then all later changes.
//! - A handler that panics loses the event. It continues with the next one after a second.
//! - An informer that cannot continue, for example because a layer of its client panicked, stops:
//!   [`has_synced`](SharedInformer::has_synced) returns `false`, and
//!   [`stopped`](SharedInformer::stopped) resolves with the [cause](StopCause).
//! - After [`shutdown`](SharedInformerFactory::shutdown) no task is left. Dropping the last handle
//!   of an informer stops it as well.
//!
//! # Coalescing for slow handlers
//!
//! As long as fewer than 1024 events of a handler are pending, new events are queued one by one,
//! and a new list is queued completely. Further events are *coalesced*: for each object, the queue
//! keeps at most an update, a deletion and an addition. From these the handler still learns the
//! object's final state. Once the handler has received all coalesced events, new events are queued
//! one by one again.
//!
//! | events of one object, above the bound | become |
//! |---|---|
//! | update, update | one update, from the last delivered state to the newest |
//! | addition, update | one addition with the newest state; `is_initial` is unchanged |
//! | addition, deletion | nothing: the handler never sees the object |
//! | update, deletion | both: the handler sees the last state before the deletion |
//! | deletion, addition | both, whether or not the new object has another uid |
//! | deletion, addition, deletion | the first deletion |
//! | deletion of an object that was never cached, since it could not be decoded | nothing |
//! | resync | nothing if other events are pending, otherwise an update without a change |
//!
//! An object's place in the queue is that of its oldest coalesced event.
//! [`HandlerRegistration::has_synced`] means that the handler has received every initial object,
//! except those that were deleted before their delivery.
//!
//! client-go delivers every event, however many are pending, and its buffers grow without a bound.
//! [`HandlerOptions::every_event`] does the same here, and [`HandlerRegistration::depth`] returns
//! the number of pending events.
//!
//! # List and watch
//!
//! A reflector fills the cache. If the factory is limited to namespaces, each namespace has its own
//! reflector. A reflector works in rounds:
//!
//! 1. The initial list is *streamed* by a watch with `sendInitialEvents` (WatchList), which costs
//!    the API server least. If streaming fails, the reflector *lists*, in pages of 500 objects.
//!    Usually the API server answers from its watch cache: it then ignores the page size and sends
//!    the whole list in one response.
//! 2. The list replaces the cache: deletions first, then the objects in the order of the list.
//! 3. The watch continues from the list. Every 5 to 10 minutes it ends, and the next watch starts
//!    at the last resource version.
//! 4. After `410 Gone` the round ends. The next round starts within half a second. If no event has
//!    arrived since the previous 410, it starts after a backoff instead.
//!
//! The reflector follows these rules:
//!
//! - **An undecodable object does not block the watch.** Its event advances the resource version,
//!   the cached object keeps its last state, and the object is reported as [`Skipped`]. If the
//!   object is deleted later, it is removed from the cache. Objects nested deeper than 250 levels
//!   are undecodable; client-go's limit is 10,000.
//! - **No response body is in memory as a whole.** Objects are decoded one by one while the body
//!   arrives. If the cache has an object in the same resource version, the cached object is kept.
//! - **A streamed list has a deadline**, since an API server that ignores `sendInitialEvents` opens
//!   a plain watch and never marks the end of the list. The list must end within 5 minutes, and
//!   within 30 s after the first event that is not an addition; otherwise the reflector requests a
//!   paged list. After 30 s without an event, the reflector streams once more. If that stream is
//!   also silent for 30 s, the reflector requests a paged list. The reflector pauses before the
//!   second stream and before this paged list, since the API server may be overloaded.
//! - **A list has deadlines**: 60 s of silence, and 10 minutes in all. If a page repeats the
//!   continue token of its request, the list fails. After a page without objects, the next page is
//!   requested a second later.
//! - **A silent connection is noticed.** Once the API server has sent a bookmark (about one a
//!   minute), 3 minutes of silence end the watch. Without bookmarks, the client ends the watch 30 s
//!   after the timeout that it requested.
//! - **A failing API server gets time to recover.** After a refused connection or 429 on a watch,
//!   the reflector watches again and does not list. After a lost connection or 5xx, it relists only
//!   if watches have failed for [30 s](SharedInformerFactoryBuilder::max_internal_error_retry).
//!   The first 12 s of failures have pauses of 800 ms. Then pauses double up to 30 s. Jitter makes
//!   them up to twice as long. They start at 800 ms again after an outage, and after a watch that
//!   stood for as long as the last pause, so that a server that fails at once after each success
//!   meets growing pauses. A longer `Retry-After` is honoured up to 5 minutes.
//! - **An outage ends for all reflectors at once.** While requests get no response (refused or lost
//!   connections), the reflectors of a factory take turns, one attempt a second. The responses 401,
//!   403, 429 and 5xx count as part of the outage for 30 s after the first response, since a
//!   starting API server sends them. After any other response, all reflectors try again within half
//!   a second. Without an outage, reflectors that fail take turns as well, in addition to their
//!   pauses. Those with a failure that is expected to last take their turns separately: a permanent
//!   one ([`SyncError::Refused`]), or any after 12 s. Once one of them watches again, the others do
//!   not wait for their turns.
//! - **Resource versions may go back** if etcd is restored from a backup without `--bump-revision`.
//!   The API server sends nothing to a watch from a version that it has not reached. So if a watch
//!   ended early and the next one is silent for 5 to 10 s, the reflector requests the latest
//!   version with a consistent list of one object. If it is lower, the reflector relists, and logs
//!   a warning. A lower bookmark leads to the same check. It proves nothing by itself, since
//!   another API server may lag behind.
//! - **Partial permissions suffice.** With `watch` but not `list`, the reflector uses streamed
//!   lists. With `list` but not `watch`, it lists again and again, with the pauses above.
//!
//! # Relists
//!
//! After a long loss of the connection, the reflector relists. Handlers first receive deletions, as
//! [`Deleted::Unknown`], since the final state is unknown. Additions and updates follow in the
//! order of the list. As in client-go, only handlers with a resync period receive objects with an
//! unchanged resource version, as updates from the object to itself.

mod event;
mod factory;
mod generic;
mod handler;
mod listener;
mod metrics;
mod processor;
mod progress;
mod shared;
mod status;
mod store;

pub use event::{Deleted, Event};
pub use factory::{Reachability, SharedInformerFactory, SharedInformerFactoryBuilder};
pub use generic::{GenericInformer, NoInformerError};
pub use handler::{Enqueue, EventHandler, Filtered, Handlers};
pub use listener::{HandlerOptions, HandlerRegistration, HandlerStoppedError, Subscription};
pub use progress::ProgressError;
pub use shared::{AlreadyStartedError, SharedInformer, StoppedError};
pub use status::{StopCause, SyncError, Synced};
#[cfg(test)]
pub(crate) use store::InformerStore;

pub use crate::reflector::{ListWatchError, Selectors, Skipped};

// Declared here, not in `processor.rs`: loom tests include that file by its path, without these
// unit tests.
#[cfg(test)]
mod processor_tests;
