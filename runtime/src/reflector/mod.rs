//! Reflector: fills a cache by a list and a watch, as client-go's `Reflector` does.
//!
//! [`informer`](crate::informer#list-and-watch) documents how this reflector works. In client-go:
//!
//! - A paged list requests exactly the known version; here it requests that version or a newer one.
//! - A streamed list has no deadline, and is retried without a bound if it ends early.
//! - The reflector relists at once after 5xx on a watch, unless configured otherwise.
//! - Only HTTP/2 pings detect a silent connection.
//! - Each reflector has its own backoff. During an outage of some minutes, it grows to 60 s. After
//!   a 410, the reflector sleeps once more.

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
