//! Events: what a controller tells people about an object, as `kubectl describe` shows it.
//!
//! It is client-go's `tools/record` and `tools/events` in one: an [`EventRecorder`] puts an event
//! in a queue and returns at once; the task of the [`EventBroadcaster`] writes it, to the API that
//! was [chosen](EventBroadcasterBuilder::api):
//!
//! | | [`core/v1`](EventsApi::CoreV1), the default | [`events.k8s.io/v1`](EventsApi::EventsV1) |
//! |---|---|---|
//! | an event that repeats | `count`, `lastTimestamp` | `series` |
//! | is written again | each time | when the series begins, each 30 minutes, and when it is over |
//! | the same are | all but the time | all but the time and the message |
//! | times are precise to | a second | a microsecond |
//! | too many | are combined, then dropped | |
//! | writes at a time | 1 | 8 |
//!
//! # What happens to an event
//!
//! It is dropped, and [counted](EventBroadcaster::dropped), if 1000 events wait already. Then, for `core/v1`:
//!
//! 1. **Aggregated**: the tenth different message for one object, type and reason, with no more than 10 minutes between
//!    one and the next, becomes `(combined from similar events): …`; so do those after it, all in one event.
//! 2. **Counted**: an event that was written before is not written again; its `count`, `lastTimestamp` and `message` are
//!    patched, or it is created again if it has expired on the server.
//! 3. **Filtered**: an object may have 25 events of a type at once, and then one in 5 minutes.
//!
//! [`CorrelatorOptions`] changes these numbers. For `events.k8s.io/v1`:
//!
//! 1. **Isomorphic** events are those of one type, action, reason, component and instance about the same objects. The first
//!    of them is created.
//! 2. The second makes it a **series** of 2; that is patched at once, or created again if the event has expired.
//! 3. Those after it are **counted**, and the count is patched each 30 minutes.
//! 4. After 6 minutes without one, the series is **finished**: the count is patched for the last time, and the next such
//!    event is a new one.
//!
//! In both, an event is **written** with up to 12 tries about 10 seconds apart if the server cannot be reached. What the
//! server refuses is not tried again.
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
//! if let Err(error) = broadcaster.shutdown(Duration::from_secs(5)).await {
//!     eprintln!("{error}");
//! }
//! # }
//! ```
//!
//! [`EventBroadcaster::subscribe`] hears of every event beside the API server. A test gives a controller the recorder of a [`FakeRecorder`].

mod broadcaster;
mod core_v1;
mod correlator;
mod events_v1;
mod fake;
mod key;
mod lru;
mod meter;
mod name;
mod occurrence;
mod queue;
mod recorder;
mod selector;
mod series;
mod subscription;
mod writer;

pub use broadcaster::{EventBroadcaster, EventBroadcasterBuilder, EventsApi, UnwrittenEventsError};
pub use correlator::CorrelatorOptions;
pub use fake::FakeRecorder;
pub use occurrence::EventType;
pub use recorder::{EventBuilder, EventRecorder};
pub use selector::field_selector;
pub use subscription::EventSubscription;

#[cfg(test)]
mod tests;
