//! A cache that many share, and that tells them what changes: client-go's shared informers.
//!
//! A [`SharedInformer`] keeps one kind in memory by one list and watch, however many listers read it and handlers hear of it. A
//! [`SharedInformerFactory`] owns the informers of a program: it starts them, waits for them and stops them.
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
//! let registration = pods.add_handler(Handlers::new().on_delete(|pod| println!("{} is gone", pod.name())))?;
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
//! - The cache is changed before handlers hear of it. By the time one does, the cache may be further on.
//! - One handler is called for one event at a time, in order. Handlers do not wait for each other: each has its own task and its
//!   own queue, and nothing waits for either. Hand work over to a queue of keys.
//! - Every handler hears a sequence that could have happened, and of the state that the cache has in the end: an object is added
//!   before it changes, an update is from what the handler heard of last, and nothing is told of an object between its deletion
//!   and its next addition.
//! - A handler runs on a thread of the runtime. While it does not return, that thread does nothing else, and a task that had yielded on
//!   it waits: never block in a handler for long.
//! - A handler that is added late first hears of everything in the cache, as additions, and misses nothing between that and the
//!   changes that follow.
//! - A handler that panics loses that event, is left alone for a second, and goes on.
//! - An informer that cannot go on, say because a layer of its client panicked, stops:
//!   [`has_synced`](SharedInformer::has_synced) is false then, and
//!   [`stopped`](SharedInformer::stopped) resolves with the [cause](StopCause).
//! - After [`shutdown`](SharedInformerFactory::shutdown) no task is left. Dropping the last handle of an informer stops it, too.
//!
//! # What a handler that falls behind is told
//!
//! Up to 1024 events wait for a handler as they are, each of which it will be told. While as many wait, what comes on top is
//! *coalesced*: of each object only as many events are kept as tell the whole truth, at most an update, a deletion and an
//! addition. When the handler is through with all of these, every event is told again.
//!
//! | of one object, on top of what waits | becomes |
//! |---|---|
//! | update, update | one update, from what the handler heard of last to the newest state |
//! | addition, update | the addition of the newest state; it stays `is_initial` if it was |
//! | addition, deletion | nothing: the handler never hears of the object |
//! | update, deletion | both: the handler hears of the last state before it hears that it is gone |
//! | deletion, addition | both, whether or not the new object has another uid |
//! | deletion, addition, deletion | the first deletion |
//! | deletion of what was not cached | nothing |
//! | resync | nothing for an object of which something waits, an update from itself to itself for others |
//!
//! Objects come in the order in which the oldest of their events came. [`HandlerRegistration::has_synced`] means the same as ever:
//! the handler has heard of everything that was there at first, unless it was gone before the handler came to it.
//!
//! client-go delivers every event, however many wait, and its buffers grow without a bound. [`HandlerOptions::every_event`] is the
//! same here, and [`HandlerRegistration::depth`] tells how many wait.
//!
//! # List and watch
//!
//! A reflector fills the cache, one for each namespace that the factory is limited to:
//!
//! 1. The initial state is *streamed*: a watch with `sendInitialEvents` (WatchList), which costs
//!    the API server least. If that fails, this round *lists* instead, in pages of 500 unless
//!    paging would keep the API server from answering from its watch cache.
//! 2. The list replaces the cache: deletions first, then the objects in the order of the list.
//! 3. The watch continues from there. When it ends, every 5 to 10 minutes, the next one starts at
//!    the last resource version.
//! 4. After `410 Gone` the round ends. The next one begins at 1: within half a second, unless no
//!    event has come since the last list.
//!
//! It holds to these rules:
//!
//! - **An undecodable object does not wedge the watch.** Its event advances the resource version,
//!   the cached object stays as it was, and the object is reported as [`Skipped`]. Its deletion
//!   counts. This includes objects nested deeper than 250 levels, of which client-go reads 10,000.
//! - **No list is in memory as a whole.** Objects are decoded one by one while the body arrives. An
//!   object that is cached in the same resource version is not stored twice.
//! - **A streamed list has a deadline**: 5 minutes in all, and 30 s after the first event that
//!   follows the initial state, since an API server that ignores `sendInitialEvents` opens a plain
//!   watch. After 30 s without an event it is requested once more, and listed if that is silent,
//!   too, with a pause before each: an overloaded API server needs a list least.
//! - **A list has a deadline**: 60 s of silence, and 10 minutes in all. A continue token that leads
//!   to the same page is an error. A page without an object is followed by the next one a second
//!   later.
//! - **A silent connection is noticed.** Once the API server has sent a bookmark (about one a
//!   minute), 3 minutes of silence end the watch; without bookmarks, 30 s past its agreed timeout
//!   do.
//! - **An API server in trouble is left alone.** Refused connections and 429 on a watch retry the
//!   watch without a list; so do lost connections and 5xx, for [30
//!   s](SharedInformerFactoryBuilder::max_internal_error_retry). Pauses grow from 800 ms to 30 s,
//!   doubled and with jitter up to twofold, and are reset after 2 minutes without one, and by an
//!   outage. A longer `Retry-After` is honoured up to 5 minutes.
//! - **An outage ends for all reflectors at once.** While requests are not answered (refused or
//!   lost connections), the reflectors of a factory take turns, one attempt a second. 429 and 5xx
//!   count as part of the outage for 30 s after the first answer, since an API server that starts
//!   answers like that. Any other answer wakes all of them within half a second.
//! - **Partial rights suffice.** `watch` without `list` is served by streamed lists, `list` without
//!   `watch` by lists in the pauses above.
//!
//! # When a list takes the place of what was known
//!
//! After a connection was lost for long, the state is listed anew. Handlers then hear first of what has gone ([`Deleted::Unknown`]:
//! nobody saw its last state), then, in the order of the list, of what is new or has changed. An object whose resource version
//! is the same has not changed; as in client-go, only handlers that asked for a resync hear of it, as an update from itself to
//! itself.

mod attach;
mod backlog;
mod builder;
mod changes;
mod enqueue;
mod error;
mod event;
mod factory;
mod generic;
mod handler;
mod hint;
mod hub;
mod listener;
mod meter;
mod options;
mod pending;
mod queue;
mod reflectors;
mod registration;
mod registry;
mod settings;
mod shared;
mod status;
mod sync;
mod versions;

pub use builder::SharedInformerFactoryBuilder;
pub use enqueue::Enqueue;
pub use error::{
    AlreadyStartedError, HandlerStoppedError, ProgressError, StopCause, StoppedError, SyncError,
};
pub use event::{Deleted, Event};
pub use factory::SharedInformerFactory;
pub use generic::{GenericInformer, NoInformerError};
pub use handler::{EventHandler, Filtered, Handlers};
pub use options::HandlerOptions;
pub use registration::{HandlerRegistration, Subscription};
pub use shared::SharedInformer;
pub use sync::Synced;

pub use crate::reflector::{ListWatchError, Selectors, Skipped};

// Not below `backlog`, which a test compiles once more by itself.
#[cfg(test)]
mod backlog_tests;
