//! Events: what a controller tells people about an object, as `kubectl describe` shows it.
//!
//! It is client-go's `tools/record`, and writes `v1` events. An [`EventRecorder`] puts an event in a queue and returns at
//! once; the task of the [`EventBroadcaster`] writes it.
//!
//! # What happens to an event
//!
//! 1. It is dropped, and [counted](EventBroadcaster::dropped), if 1000 events wait already.
//! 2. **Aggregated**: the tenth different message for one object, type and reason, with no more than 10 minutes between
//!    one and the next, becomes `(combined from similar events): …`; so do those after it, all in one event.
//! 3. **Counted**: an event that was written before is not written again; its `count`, `lastTimestamp` and `message` are
//!    patched, or it is created again if it has expired on the server.
//! 4. **Filtered**: an object may have 25 events of a type at once, and then one in 5 minutes.
//! 5. **Written**, with up to 12 tries about 10 seconds apart if the server cannot be reached. What the server refuses is
//!    not tried again.
//!
//! [`CorrelatorOptions`] changes the numbers of 2 to 4.
//!
//! # Example
//!
//! ```no_run
//! use std::time::Duration;
//!
//! use genclient::record::{EventBroadcaster, EventRecorder, EventType};
//! use k8s_openapi::api::core::v1::Pod;
//!
//! # async fn example(client: genclient::kube::Client, pod: Pod) {
//! let broadcaster = EventBroadcaster::new(client);
//! let recorder: EventRecorder = broadcaster.recorder("gputask-controller");
//!
//! recorder.event(&pod, EventType::Normal, "Synced", "the pod has the GPU that it asked for");
//!
//! if let Err(error) = broadcaster.shut_down(Duration::from_secs(5)).await {
//!     eprintln!("{error}");
//! }
//! # }
//! ```
//!
//! A test gives a controller the recorder of a [`FakeRecorder`].

mod broadcaster;
mod correlator;
mod fake;
mod lru;
mod name;
mod recorder;
mod writer;

pub use broadcaster::{EventBroadcaster, Unwritten};
pub use correlator::CorrelatorOptions;
pub use fake::FakeRecorder;
pub use recorder::{EventRecorder, EventType};

#[cfg(test)]
mod tests;
