//! The list and watch that keep a cache true: client-go's reflector.
//!
//! # Expected flow
//!
//! 1. The first state is *streamed*: a watch with `sendInitialEvents` (WatchList), which costs the API server least. If that
//!    fails, this round *lists* instead, in pages of 500 where that does not keep the server from answering from memory.
//! 2. The cache is replaced: deletions first, then what is there, in the order of the list.
//! 3. The watch goes on from there. When it ends, as it does every 5 to 10 minutes, the next one starts where it ended.
//! 4. When that is impossible (`410 Gone`), the round ends, and the next one begins at 1: within
//!    half a second, unless no event has come since the last list.
//!
//! # Guarantees
//!
//! - **An object that cannot be read wedges nothing.** Its event advances the resource version, the cached object stays as it
//!   was, and the object is [reported](Skipped) with its name, its resource version and the cause. Only its deletion counts.
//!   An object nested deeper than 250 levels is one of these; client-go reads 10,000.
//! - **No list is ever in memory as a whole.** Its body is cut into objects while it arrives, each is decoded by itself, and one
//!   that has not changed since it was cached is not kept a second time.
//! - **A streamed list comes to its end, or is listed.** It is given up after five minutes in all,
//!   and 30 s after the first event that says that all there was has been sent (a change, or a
//!   bookmark): a server that ignores `sendInitialEvents` opens a plain watch, on which the end
//!   never comes however busy it is. After 30 s without an event it is asked for once more, and
//!   listed if that is silent, too, with a pause before each: a list is what a server with too much
//!   to do needs least.
//! - **A list comes to its end, or is given up.** It is given up after 60 s of silence, after 10
//!   minutes in all, and when a continue token leads to the same page. A page without an object is
//!   followed by another one second later.
//! - **A stream that dies in silence is noticed.** Once the API server has sent a bookmark (it sends one a minute), three minutes
//!   of silence end the watch; before that, half a minute past the end that was agreed on. A watch that is not even answered by
//!   then ends the round, with a warning.
//! - **A server in trouble is left alone.** Refused connections and 429 on a watch are waited out
//!   and the *watch* is tried again, without a list; so are lost connections and 5xx, for 30 s
//!   without a healthy watch before a list is tried. Pauses grow from 800 ms to 30 s, doubled each
//!   time, lengthened by chance up to twofold, and begin anew after two minutes without one, and
//!   with an outage. A longer `Retry-After`, up to five minutes, is granted.
//! - **An outage is over for all at once.** While requests are not answered (refused or lost
//!   connections), the reflectors of a factory take turns, one attempt a second. 429 and 5xx count
//!   as part of the outage for 30 s after the first answer, as a server that starts answers like
//!   that. The first other answer wakes all of them within half a second.
//! - **Rights are used as they are.** Who may watch and not list is served by streamed lists; who may list and not watch, by lists
//!   with the pauses above between them.
//!
//! client-go differs in these: where it lists in pages, it asks for the very version that it knows,
//! and not for that or a newer one; a streamed list may take as long as the server lets it, and is
//! tried again without a bound when it ends too soon; it lists at once after 5xx on a watch, unless
//! it is told otherwise; it relies on HTTP/2 to notice silence; each reflector sleeps through its
//! own pause, which has grown to 60 s after an outage of some minutes, and sleeps once more after a
//! 410.

mod backoff;
mod decode;
mod error;
mod failures;
mod first_state;
mod items;
mod lines;
mod list;
mod meter;
mod outage;
mod prune;
mod request;
mod run;
mod sink;
mod snapshot;
mod trace;
mod watch;
mod watch_list;

pub use error::Error;
pub use request::Selectors;
pub use snapshot::Skipped;

pub(crate) use decode::Transform;
pub(crate) use meter::Meter;
pub(crate) use outage::Outage;
pub(crate) use request::Options;
pub(crate) use run::Reflector;
pub(crate) use sink::{Change, Sink};
pub(crate) use snapshot::Listed;
