//! Event recording: Kubernetes events about an object, as `kubectl describe` shows them.
//!
//! This module combines client-go's `tools/record` and `tools/events`. An [`EventRecorder`] queues
//! an event and returns immediately. The task of the [`EventBroadcaster`] writes the event. There
//! are two APIs for events, and [`EventBroadcasterBuilder::api`] selects one:
//!
//! | | [`core/v1`](EventsApi::CoreV1), the default | [`events.k8s.io/v1`](EventsApi::EventsV1) |
//! |---|---|---|
//! | repeated event | `count`, `lastTimestamp` | `series` |
//! | updated | each time | at the start of the series, every 30 minutes, at the end |
//! | repetitions may differ in | time | time and message |
//! | resolution of times | a second | a microsecond |
//! | too many events | aggregated, then filtered | no limit per object |
//! | concurrent writes | 1 | 8 |
//!
//! # Processing of an event
//!
//! If the queue already has 1000 events, the event is dropped and
//! [counted](EventBroadcaster::dropped). Otherwise, for `core/v1`:
//!
//! 1. **Aggregation**: once ten events of one object, type and reason had different messages, the
//!    tenth and all later ones are written as one event. Its message begins with
//!    `(combined from similar events)`. After 10 minutes without an event of this object, type and
//!    reason, the aggregation ends.
//! 2. **Counting**: if an event is repeated, `count`, `lastTimestamp` and `message` of the existing
//!    event are patched. If the existing event has expired on the server, the event is created
//!    again.
//! 3. **Filtering**: an object may have a burst of 25 events of a type, and then one every 5
//!    minutes. Further events are not written.
//!
//! [`CorrelatorOptions`] changes these limits. For `events.k8s.io/v1`:
//!
//! 1. Events are **isomorphic** if they have the same type, action, reason, component, instance and
//!    objects. The first one is created.
//! 2. The second one starts a **series** with count 2. The event is patched immediately, or created
//!    again if it has expired.
//! 3. Further isomorphic events are **counted**; the count is patched every 30 minutes.
//! 4. After at least 6 minutes without an isomorphic event, the series is **finished**: the final
//!    count is patched, and the next isomorphic event is created as a new one.
//!
//! In both APIs, an event is **written** with up to 12 tries, about 10 seconds apart, while the
//! server is unreachable. The patch of a series' count (steps 3 and 4) gets only one try: if it
//! fails, a later patch writes the count. If the server rejects an event, there are no further
//! tries.
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
//! [`EventBroadcaster::subscribe`] returns a stream of all recorded events. For tests,
//! [`FakeRecorder`] provides a recorder and collects its events.

mod broadcaster;
mod core_v1;
mod correlator;
mod events_v1;
mod fake;
mod key;
mod queue;
mod recorded_event;
mod recorder;
mod selector;
mod series;
mod subscription;
mod writer;

pub use broadcaster::{EventBroadcaster, EventBroadcasterBuilder, EventsApi, UnwrittenEventsError};
pub use correlator::CorrelatorOptions;
pub use fake::FakeRecorder;
pub use recorded_event::EventType;
pub use recorder::{EventBuilder, EventRecorder};
pub use selector::field_selector;
pub use subscription::EventSubscription;

#[cfg(test)]
mod tests;
