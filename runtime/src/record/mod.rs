//! Event recording: the events about an object that `kubectl describe` shows.
//!
//! It combines client-go's `tools/record` and `tools/events`. An [`EventRecorder`] queues an event
//! and returns immediately. The task of the [`EventBroadcaster`] writes it, to one of two APIs
//! ([`EventBroadcasterBuilder::api`]):
//!
//! | | [`core/v1`](EventsApi::CoreV1), the default | [`events.k8s.io/v1`](EventsApi::EventsV1) |
//! |---|---|---|
//! | repeated event | `count`, `lastTimestamp` | `series` |
//! | updated | each time | at the start of the series, every 30 minutes, at the end |
//! | repetitions may differ in | time | time and message |
//! | resolution of times | a second | a microsecond |
//! | too many events | aggregated, then filtered | |
//! | concurrent writes | 1 | 8 |
//!
//! # Processing of an event
//!
//! If 1000 events are queued already, the event is dropped and
//! [counted](EventBroadcaster::dropped). Otherwise, for `core/v1`:
//!
//! 1. **Aggregation**: the tenth different message for one object, type and reason becomes
//!    `(combined from similar events): …`, if no two successive ones are more than 10 minutes
//!    apart. Further messages join the same event.
//! 2. **Counting**: for a repeated event, `count`, `lastTimestamp` and `message` of the existing
//!    event are patched. If that has expired on the server, it is created again.
//! 3. **Filtering**: an object may have a burst of 25 events of a type, and then one every 5
//!    minutes.
//!
//! [`CorrelatorOptions`] changes these limits. For `events.k8s.io/v1`:
//!
//! 1. **Isomorphic** events have the same type, action, reason, component, instance and objects.
//!    The first of them is created.
//! 2. The second starts a **series** with count 2. The event is patched immediately, or created
//!    again if it has expired.
//! 3. Further ones are **counted**, and the count is patched every 30 minutes.
//! 4. After 6 minutes without one, the series is **finished**: the final count is patched, and the
//!    next isomorphic event is a new one.
//!
//! In both APIs, an event is **written** with up to 12 tries, about 10 seconds apart, while the
//! server is unreachable. An event that the server rejects is not retried.
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
//! [`EventBroadcaster::subscribe`] returns a stream of all recorded events. In tests, a controller
//! gets the recorder of a [`FakeRecorder`].

mod broadcaster;
mod core_v1;
mod correlator;
mod events_v1;
mod fake;
mod key;
mod lru;
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
