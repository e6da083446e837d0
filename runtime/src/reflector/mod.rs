//! Reflector: fills a cache from a list and keeps it current with watches, as client-go's
//! `Reflector` does.
//!
//! [`informer`](crate::informer#list-and-watch) documents how this reflector works. client-go's
//! reflector differs:
//!
//! - If it relists in pages, it requests exactly the last resource version that it has seen, not
//!   that version or a newer one.
//! - Its streamed list has no deadline, and is retried without a bound if it ends early.
//! - It relists at once after 5xx on a watch, unless configured otherwise.
//! - It detects a silent connection only by HTTP/2 pings.
//! - Each reflector has its own backoff, which grows to 60 s during an outage of some minutes, and
//!   which resets only after two minutes without a failure.
//! - After a 410, it sleeps for its backoff before it relists.

mod backoff;
mod decode;
mod error;
mod event;
mod gain;
mod items;
mod list;
mod list_and_watch;
mod members;
mod metrics;
mod outage;
mod request;
mod shards;
mod store;
mod trace;
mod watch;

pub(crate) use decode::Transform;
pub use error::ListWatchError;
pub use event::Skipped;
pub(crate) use event::WatchEvent;
pub(crate) use list::Collection;
pub(crate) use list_and_watch::{CONFIRM_AFTER, Reflector};
pub(crate) use metrics::ReflectorMetrics;
pub(crate) use outage::Outage;
pub(crate) use request::ReflectorOptions;
pub use request::Selectors;
pub(crate) use shards::{ReflectedShards, ShardFilter};
pub(crate) use store::{Listed, ReflectorStore};
