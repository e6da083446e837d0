//! Shared informers: one cache per kind with event handlers, as in client-go.
//!
//! A [`SharedInformer`] keeps one kind in memory by one list and watch, for any number of listers
//! and handlers. A [`SharedInformerFactory`] owns the informers of a program: it starts them, waits
//! for them and stops them.
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
//! - The cache changes before handlers are notified. By the time a handler runs, the cache may have
//!   moved on.
//! - A handler is called for one event at a time, in order. Each handler has its own task and its
//!   own queue, and neither other handlers nor the reflector wait for it. Hand work over to a queue
//!   of keys.
//! - Each handler receives a sequence of events that could have happened, up to the final state of
//!   the cache. An object is added before it changes. The old state of an update is the one that
//!   the handler received last. No event arrives between a deletion and the next addition.
//! - A handler runs on a thread of the Tokio runtime. Until it returns, that thread does nothing
//!   else, and a task that has yielded on it waits: never block in a handler for long.
//! - A handler that is added late first receives every cached object as an addition. It misses no
//!   change between these and the events that follow.
//! - A handler that panics loses that event, and continues with the next one after a second.
//! - An informer that cannot continue, for example because a layer of its client panicked, stops:
//!   [`has_synced`](SharedInformer::has_synced) returns `false`, and
//!   [`stopped`](SharedInformer::stopped) resolves with the [cause](StopCause).
//! - After [`shutdown`](SharedInformerFactory::shutdown) no task is left. Dropping the last handle
//!   of an informer stops it, too.
//!
//! # Coalescing for slow handlers
//!
//! Up to 1024 pending events of a handler are delivered one by one. Events beyond that are
//! *coalesced*: of each object, the queue keeps as few events as describe its history truthfully,
//! at most an update, a deletion and an addition. Once the handler has received all of these, every
//! event is queued by itself again.
//!
//! | events of one object, beyond the bound | become |
//! |---|---|
//! | update, update | one update, from the last delivered state to the newest |
//! | addition, update | the addition of the newest state; it stays `is_initial` if it was |
//! | addition, deletion | nothing: the handler never sees the object |
//! | update, deletion | both: the handler sees the last state before the deletion |
//! | deletion, addition | both, whether or not the new object has another uid |
//! | deletion, addition, deletion | the first deletion |
//! | deletion of an uncached object | nothing |
//! | resync | nothing with other events, otherwise an update from itself to itself |
//!
//! Objects keep the position of their oldest pending event. [`HandlerRegistration::has_synced`]
//! keeps its meaning: the handler has received every initial object, except those that were deleted
//! before their turn.
//!
//! client-go delivers every event, however many are pending, and its buffers grow without a bound.
//! [`HandlerOptions::every_event`] does the same here, and [`HandlerRegistration::depth`] returns
//! the number of pending events.
//!
//! # List and watch
//!
//! A reflector fills the cache. A factory limited to namespaces runs one for each of them:
//!
//! 1. The initial state is *streamed*: a watch with `sendInitialEvents` (WatchList), which costs
//!    the API server least. If that fails, this round *lists* instead, in pages of 500 unless
//!    paging would keep the API server from answering from its watch cache.
//! 2. The list replaces the cache: deletions first, then the objects in the order of the list.
//! 3. The watch continues from there. When it ends, every 5 to 10 minutes, the next one starts at
//!    the last resource version.
//! 4. After `410 Gone` the round ends. The next round starts within half a second, or after a pause
//!    if no event has arrived since the last list.
//!
//! It follows these rules:
//!
//! - **An undecodable object does not wedge the watch.** Its event advances the resource version,
//!   the cached object stays as it was, and the object is reported as [`Skipped`]. Its deletion
//!   counts. This includes objects nested deeper than 250 levels, of which client-go reads 10,000.
//! - **No list is in memory as a whole.** Objects are decoded one by one while the body arrives. An
//!   object that is cached in the same resource version is not stored twice.
//! - **A streamed list has a deadline**: 5 minutes in all, and 30 s after the first event that
//!   follows the initial state, since an API server that ignores `sendInitialEvents` opens a plain
//!   watch. After 30 s without an event the stream is requested once more; if that is silent, too,
//!   the reflector lists. A pause precedes each of these, since a list is the last thing that an
//!   overloaded API server needs.
//! - **A list has a deadline**: 60 s of silence, and 10 minutes in all. A continue token that leads
//!   to the same page is an error. After a page without objects, the next page is requested a
//!   second later.
//! - **A silent connection is noticed.** Once the API server has sent a bookmark (about one a
//!   minute), 3 minutes of silence end the watch. Without bookmarks, it ends 30 s past its agreed
//!   timeout.
//! - **A failing API server gets time to recover.** Refused connections and 429 on a watch retry
//!   the watch without a list. Lost connections and 5xx do so for [30
//!   s](SharedInformerFactoryBuilder::max_internal_error_retry). Pauses double from 800 ms to 30 s,
//!   with jitter up to twofold. They are reset after 2 minutes without a pause, and by an outage. A
//!   longer `Retry-After` is honoured up to 5 minutes.
//! - **An outage ends for all reflectors at once.** While requests are not answered (refused or
//!   lost connections), the reflectors of a factory take turns, one attempt a second. 401, 403, 429
//!   and 5xx count as part of the outage for 30 s after the first answer, since an API server that
//!   starts up answers like that. Any other answer wakes all of them within half a second.
//! - **Partial permissions suffice.** `watch` without `list` is served by streamed lists, `list`
//!   without `watch` by lists in the pauses above.
//!
//! # Relists
//!
//! After a long loss of the connection, the reflector relists. Handlers are first notified of
//! deletions ([`Deleted::Unknown`]: nobody saw the last state). Additions and changes follow in the
//! order of the list. An object with the same resource version has not changed: as in client-go,
//! only handlers with a resync period receive it, as an update from itself to itself.

mod attach;
mod backlog;
mod builder;
mod changes;
mod error;
mod event;
mod factory;
mod generic;
mod handler;
mod hint;
mod hub;
mod meter;
mod queue;
mod reflectors;
mod registration;
mod settings;
mod shared;
mod status;
mod versions;

pub use attach::HandlerOptions;
pub use builder::SharedInformerFactoryBuilder;
pub use error::{
    AlreadyStartedError, HandlerStoppedError, ProgressError, StopCause, StoppedError, SyncError,
};
pub use event::{Deleted, Event};
pub use factory::SharedInformerFactory;
pub use generic::{GenericInformer, NoInformerError};
pub use handler::{Enqueue, EventHandler, Filtered, Handlers};
pub use registration::{HandlerRegistration, Subscription};
pub use shared::SharedInformer;
pub use status::Synced;

pub use crate::reflector::{ListWatchError, Selectors, Skipped};

// Not a child of `backlog`, which another test compiles on its own.
#[cfg(test)]
mod backlog_tests;
