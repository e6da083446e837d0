//! Event correlation for `core/v1` (client-go, `tools/record/events_cache.go`): aggregation,
//! counting and spam filter. This module does no I/O, and its callers pass the current time.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use k8s_openapi::api::core::v1::{Event, EventSource};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use k8s_openapi::jiff::Timestamp;
use lru::LruCache;
use serde_json::{Value, json};

use super::key;
use super::recorded_event::event_name;

const AGGREGATE_PREFIX: &str = "(combined from similar events): ";

/// Limits for aggregating and filtering events of `core/v1`; the defaults are client-go's.
///
/// ```
/// use genclient::record::CorrelatorOptions;
///
/// let generous = CorrelatorOptions { burst: 100, ..CorrelatorOptions::default() };
/// assert_eq!(generous.max_events, 10);
/// ```
#[derive(Clone, Debug)]
pub struct CorrelatorOptions {
    /// Maximum number of entries in each LRU cache of past events, at least 1. Default: 4096.
    pub cache_size: usize,
    /// Number of events with the same [`spam_key`](Self::spam_key) that may be written at once.
    /// Default: 25.
    pub burst: u32,
    /// Rate at which `burst` refills, in events per second. Default: 1/300.
    pub qps: f64,
    /// Number of different messages for the same object, type and reason at which the aggregation
    /// starts. Default: 10.
    pub max_events: usize,
    /// If no event of the same object, type and reason arrives for this long, the messages are
    /// forgotten, and the aggregation ends. Default: 10 minutes.
    pub max_interval: Duration,
    /// Key of events that share `burst` and `qps`. Default: type, source and object of the event.
    /// If the function panics, the default key is used.
    pub spam_key: fn(&Event) -> String,
}

impl Default for CorrelatorOptions {
    fn default() -> Self {
        Self {
            cache_size: 4096,
            burst: 25,
            qps: 1.0 / 300.0,
            max_events: 10,
            max_interval: Duration::from_secs(600),
            spam_key,
        }
    }
}

/// State of the correlation: LRU caches of aggregates, last states of events, and token buckets.
pub(super) struct Correlator {
    options: CorrelatorOptions,
    aggregates: LruCache<String, Aggregate>,
    logs: LruCache<String, EventLog>,
    buckets: LruCache<String, Bucket>,
}

/// An event to write.
pub(super) struct Correlated {
    pub(super) event: Event,
    /// The patch, if `event` repeats an earlier event. If the server does not have the earlier
    /// event (because it was filtered or has expired), `event` is created instead.
    pub(super) patch: Option<Value>,
    /// Key of the event in `Correlator::logs`.
    key: String,
}

/// The different messages of similar events, fewer than `max_events`.
struct Aggregate {
    messages: BTreeSet<String>,
    last: Timestamp,
}

/// Last state of an event, from which the patch for its next repetition is made. As in client-go,
/// it is stored even if the event was filtered.
struct EventLog {
    count: i32,
    first_timestamp: Option<Time>,
    name: Option<String>,
    resource_version: Option<String>,
}

/// Token bucket of a spam key.
struct Bucket {
    tokens: f64,
    filled: Timestamp,
}

impl Correlator {
    pub(super) fn new(options: CorrelatorOptions) -> Self {
        let size = NonZeroUsize::new(options.cache_size).unwrap_or(NonZeroUsize::MIN);
        Self {
            options,
            aggregates: LruCache::new(size),
            logs: LruCache::new(size),
            buckets: LruCache::new(size),
        }
    }

    /// Returns the write for `event`, or `None` if it is filtered.
    pub(super) fn correlate(&mut self, event: Event, now: Timestamp) -> Option<Correlated> {
        let (event, key) = self.aggregate(event, now);
        let correlated = self.observe(event, key);
        self.accept(&correlated.event, now).then_some(correlated)
    }

    /// Stores an event as returned by the server.
    pub(super) fn written(&mut self, correlated: &Correlated, event: &Event) {
        self.logs
            .put(correlated.key.clone(), EventLog::from_event(event));
    }

    /// Returns the event to write, which may be an aggregate, and the key of its log.
    fn aggregate(&mut self, event: Event, now: Timestamp) -> (Event, String) {
        let key = aggregate_key(&event);
        let aggregate = self.aggregates.get_or_insert_mut_ref(&key, || Aggregate {
            messages: BTreeSet::new(),
            last: now,
        });
        if now.duration_since(aggregate.last).unsigned_abs() > self.options.max_interval {
            aggregate.messages.clear();
        }
        aggregate
            .messages
            .insert(event.message.clone().unwrap_or_default());
        aggregate.last = now;
        if aggregate.messages.len() < self.options.max_events {
            let key = event_key(&event);
            return (event, key);
        }
        // As in client-go's `EventAggregate` (`LocalKeys.PopAny`), so that the set does not grow.
        // It stays one message below the limit. A message that is not in the set continues the
        // aggregation; an event whose message is in the set is written by itself.
        aggregate.messages.pop_first();
        (build_aggregate(event, now), key)
    }

    /// Returns the write for `event`. If `event` repeats an earlier event, the write is a patch of
    /// the earlier one.
    fn observe(&mut self, mut event: Event, key: String) -> Correlated {
        let mut patch = None;
        if let Some(last) = self.logs.pop(&key) {
            event.metadata.name = last.name;
            event.metadata.resource_version = last.resource_version;
            event.first_timestamp = last.first_timestamp;
            event.count = Some(last.count.saturating_add(1));
            patch = Some(json!({
                "count": event.count,
                "lastTimestamp": event.last_timestamp,
                "message": event.message,
            }));
        }
        self.logs.put(key.clone(), EventLog::from_event(&event));
        Correlated { event, patch, key }
    }

    /// Takes a token from the bucket of the event's spam key. Returns `false` if the bucket is
    /// empty.
    fn accept(&mut self, event: &Event, now: Timestamp) -> bool {
        // If the user's function panics, the task that writes all events must continue.
        let own = catch_unwind(AssertUnwindSafe(|| (self.options.spam_key)(event)));
        let key = own.unwrap_or_else(|_| spam_key(event));
        let burst = f64::from(self.options.burst);
        let bucket = self.buckets.get_or_insert_mut(key, || Bucket {
            tokens: burst,
            filled: now,
        });
        let passed = now.duration_since(bucket.filled).as_secs_f64().max(0.0);
        bucket.tokens = (bucket.tokens + passed * self.options.qps).min(burst);
        bucket.filled = now;
        let accepted = bucket.tokens >= 1.0;
        if accepted {
            bucket.tokens -= 1.0;
        }
        accepted
    }
}

impl EventLog {
    fn from_event(event: &Event) -> Self {
        Self {
            count: event.count.unwrap_or(1),
            first_timestamp: event.first_timestamp.clone(),
            name: event.metadata.name.clone(),
            resource_version: event.metadata.resource_version.clone(),
        }
    }
}

/// Returns the aggregate event, which is written instead of `event`. Later similar events are
/// written as repetitions of the aggregate event.
fn build_aggregate(mut event: Event, now: Timestamp) -> Event {
    let object = event.involved_object.name.as_deref().unwrap_or_default();
    event.metadata.name = Some(event_name(object, now));
    event.metadata.annotations = None;
    event.message = Some(format!(
        "{AGGREGATE_PREFIX}{}",
        event.message.unwrap_or_default()
    ));
    event.count = Some(1);
    event.first_timestamp = Some(Time(now));
    event.last_timestamp = Some(Time(now));
    event
}

/// Key shared by repetitions of one event.
fn event_key(event: &Event) -> String {
    key::join_fields(
        source_fields(event)
            .into_iter()
            .chain(object_fields(event))
            .chain([
                &event.involved_object.field_path,
                &event.type_,
                &event.reason,
                &event.message,
            ]),
    )
}

/// Key shared by similar events: those with the same source, object, type, reason and reporter.
pub(super) fn aggregate_key(event: &Event) -> String {
    let reporter = [
        &event.type_,
        &event.reason,
        &event.reporting_component,
        &event.reporting_instance,
    ];
    key::join_fields(
        source_fields(event)
            .into_iter()
            .chain(object_fields(event))
            .chain(reporter),
    )
}

fn spam_key(event: &Event) -> String {
    key::join_fields(
        source_fields(event)
            .into_iter()
            .chain(object_fields(event))
            .chain([&event.type_]),
    )
}

fn source_fields(event: &Event) -> [&Option<String>; 2] {
    static NONE: EventSource = EventSource {
        component: None,
        host: None,
    };
    let source = event.source.as_ref().unwrap_or(&NONE);
    [&source.component, &source.host]
}

fn object_fields(event: &Event) -> [&Option<String>; 5] {
    key::object_fields(&event.involved_object)
}
