//! Reflector: the list and watch that fill a cache, client-go's `Reflector`.
//!
//! [`informer`](crate::informer#list-and-watch) documents its rounds and its rules. client-go's
//! reflector differs from it:
//!
//! - A list in pages requests exactly the known version, not that or a newer one.
//! - A streamed list has no deadline. If it ends too soon, it is retried without a bound.
//! - After 5xx on a watch it lists at once, unless configured otherwise.
//! - It relies on HTTP/2 to notice silence.
//! - Each reflector sleeps through its own pause, which grows to 60 s during an outage of some
//!   minutes, and sleeps once more after a 410.

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
