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
//! - One handler is called for one event at a time, in order. Handlers do not wait for each other: each has its own task, and a
//!   queue without a bound, so a handler that stays behind for good costs memory. Hand work over to a queue of keys.
//! - A handler runs on a thread of the runtime. While it does not return, that thread does nothing else, and a task that had yielded on
//!   it waits: never block in a handler for long.
//! - A handler that is added late first hears of everything in the cache, as additions, and misses nothing between that and the
//!   changes that follow.
//! - A handler that panics loses that event, is left alone for a second, and goes on.
//! - After [`shutdown`](SharedInformerFactory::shutdown) no task is left. Dropping the last handle of an informer stops it, too.
//!
//! # When a list takes the place of what was known
//!
//! After a connection was lost for long, the state is listed anew. Handlers then hear first of what has gone ([`Deleted::Unknown`]:
//! nobody saw its last state), then, in the order of the list, of what is new or has changed. An object whose resource version
//! is the same has not changed; as in client-go, only handlers that asked for a resync hear of it, as an update from itself to
//! itself.

mod builder;
mod changes;
mod event;
mod factory;
mod generic;
mod handler;
mod hint;
mod hub;
mod listener;
mod registration;
mod shared;
mod sync;

pub use builder::SharedInformerFactoryBuilder;
pub use event::{Deleted, Event};
pub use factory::SharedInformerFactory;
pub use generic::{GenericInformer, NoInformer};
pub use handler::{EventHandler, Filtered, Handlers};
pub use registration::{HandlerRegistration, HandlerStopped, Subscription};
pub use shared::{AlreadyStarted, SharedInformer, Stopped};
pub use sync::{SyncError, Synced};
