//! Reflector: fills a cache from a list and keeps it current with watches, as client-go's
//! `Reflector` does.
//!
//! [`informer`](crate::informer#list-and-watch) documents how this reflector works. client-go's
//! differs:
//!
//! - Its paged list requests exactly the known resource version. This one accepts a newer one, too.
//! - Its streamed list has no deadline. If the stream ends early, it is retried without a bound.
//!   This one is retried once.
//! - It relists at once after 5xx on a watch, unless configured otherwise. This one first retries
//!   the watch for 30 s.
//! - It detects a silent connection only by HTTP/2 pings. This one also limits the silence of a
//!   watch.
//! - During an outage of some minutes, the backoff of each reflector grows to 60 s. Here the
//!   reflectors of a factory share attempts and resume together.
//! - It also sleeps for its backoff after a 410. This one relists within half a second.

mod backoff;
mod decode;
mod error;
mod failures;
mod initial_list;
mod items;
mod list;
mod meter;
mod outage;
mod prune;
mod request;
mod run;
mod trace;
mod watch;

pub use decode::Skipped;
pub(crate) use decode::Transform;
pub use error::ListWatchError;
pub(crate) use meter::ReflectorMeter;
pub(crate) use outage::Outage;
pub(crate) use request::Options;
pub use request::Selectors;
pub(crate) use run::{Change, Listed, Reflector, Sink};
