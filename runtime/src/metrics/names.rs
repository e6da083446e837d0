//! Metric definitions of the runtime, with the names, labels and buckets of client-go and
//! controller-runtime.

use super::{Metric, MetricKind, exponential_buckets};

/// Buckets of times in queues: 10 ns to 1000 s.
const QUEUE_SECONDS: &[f64] = &exponential_buckets::<12>(10e-9, 10.0);
/// Buckets of request durations.
const REQUEST_SECONDS: &[f64] = &[
    0.005, 0.025, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0, 60.0,
];
/// Buckets of body sizes: 64 bytes to 16 MiB.
const BODY_BYTES: &[f64] = &[
    64.0,
    256.0,
    512.0,
    1024.0,
    4096.0,
    16384.0,
    65536.0,
    262_144.0,
    1_048_576.0,
    4_194_304.0,
    16_777_216.0,
];
/// Buckets of list durations, from a few objects to all of a cluster.
const LIST_SECONDS: &[f64] = &[
    0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 1.25, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 15.0, 20.0,
    30.0, 45.0, 60.0,
];
/// Buckets of watch durations; watches request 5 to 10 minutes.
const WATCH_SECONDS: &[f64] = &[
    0.05, 0.1, 0.5, 1.0, 2.5, 5.0, 10.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0,
];
/// Buckets of object counts: none to a hundred thousand.
const ITEMS: &[f64] = &[0.0, 1.0, 10.0, 100.0, 1000.0, 10_000.0, 100_000.0];
/// Buckets of the handling time of a batch of events.
const HANDLING_SECONDS: &[f64] = &[
    0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0,
];

/// Both labels are the name of the queue; controller-runtime added the second.
const QUEUE: &[&str] = &["name", "controller"];
const RESOURCE: &[&str] = &["name", "group", "version", "resource"];
const VERB: &[&str] = &["verb", "host"];

/// Declares the metrics and collects them in [`ALL`].
macro_rules! metrics {
    ($($static:ident $name:literal, $kind:expr, $labels:expr, $help:literal;)*) => {
        $(
            #[doc = concat!("`", $name, "`: ", $help)]
            pub static $static: Metric = Metric { name: $name, help: $help, kind: $kind, labels: $labels };
        )*

        /// Every metric of the runtime.
        pub static ALL: &[&Metric] = &[$(&$static),*];
    };
}

metrics! {
    // util/workqueue, with the labels of controller-runtime. The label `priority` is empty for
    // queues without priorities.
    WORKQUEUE_DEPTH "workqueue_depth", MetricKind::Gauge, &["name", "controller", "priority"],
        "Keys that wait for a worker.";
    WORKQUEUE_ADDS "workqueue_adds_total", MetricKind::Counter, QUEUE,
        "Keys that were added and were not waiting yet.";
    WORKQUEUE_QUEUE_DURATION "workqueue_queue_duration_seconds", MetricKind::Histogram(QUEUE_SECONDS), QUEUE,
        "How long a key waited for a worker.";
    WORKQUEUE_WORK_DURATION "workqueue_work_duration_seconds", MetricKind::Histogram(QUEUE_SECONDS), QUEUE,
        "How long a worker had a key.";
    WORKQUEUE_UNFINISHED_WORK "workqueue_unfinished_work_seconds", MetricKind::Gauge, QUEUE,
        "How long the workers have had the keys that they have now, summed up; a sum that only grows means stuck workers.";
    WORKQUEUE_LONGEST_RUNNING_PROCESSOR "workqueue_longest_running_processor_seconds", MetricKind::Gauge, QUEUE,
        "The longest time that a worker has had the key that it has now.";
    WORKQUEUE_RETRIES "workqueue_retries_total", MetricKind::Counter, QUEUE,
        "Keys that were added with a delay or a rate limit.";

    // tools/cache/reflector.go. `name` is the name of the reflector.
    REFLECTOR_LISTS "reflector_lists_total", MetricKind::Counter, &["name"],
        "Lists that were begun.";
    REFLECTOR_LIST_DURATION "reflector_list_duration_seconds", MetricKind::Histogram(LIST_SECONDS), &["name"],
        "How long a list took, with decoding.";
    REFLECTOR_ITEMS_PER_LIST "reflector_items_per_list", MetricKind::Histogram(ITEMS), &["name"],
        "Objects in a list.";
    REFLECTOR_WATCHES "reflector_watches_total", MetricKind::Counter, &["name"],
        "Watches that were begun.";
    REFLECTOR_SHORT_WATCHES "reflector_short_watches_total", MetricKind::Counter, &["name"],
        "Watches that ended within a second without an event.";
    REFLECTOR_WATCH_DURATION "reflector_watch_duration_seconds", MetricKind::Histogram(WATCH_SECONDS), &["name"],
        "How long a watch lasted.";
    REFLECTOR_ITEMS_PER_WATCH "reflector_items_per_watch", MetricKind::Histogram(ITEMS), &["name"],
        "Events of a watch.";
    REFLECTOR_LAST_RESOURCE_VERSION "reflector_last_resource_version", MetricKind::Gauge, &["name"],
        "The resource version up to which the reflector knows the objects.";

    // tools/cache: the queues between a reflector and its handlers, and the store.
    INFORMER_QUEUED_ITEMS "informer_queued_items", MetricKind::Gauge, RESOURCE,
        "Events that wait to get into the store.";
    INFORMER_PROCESSING_LATENCY "informer_processing_latency_seconds", MetricKind::Histogram(HANDLING_SECONDS), RESOURCE,
        "How long a batch of events took to get into the store and to the handlers' queues.";
    INFORMER_STORE_RESOURCE_VERSION "informer_store_resource_version", MetricKind::Gauge, RESOURCE,
        "The last 15 digits of the resource version of the store.";
    INFORMER_PENDING_NOTIFICATIONS "informer_pending_notifications", MetricKind::Gauge,
        &["name", "group", "version", "resource", "handler"],
        "Events that wait for a handler.";

    // tools/metrics: what a client sends.
    REST_CLIENT_REQUESTS "rest_client_requests_total", MetricKind::Counter, &["code", "method", "host"],
        "Requests by their status code, or `<error>` without one.";
    REST_CLIENT_REQUEST_RETRIES "rest_client_request_retries_total", MetricKind::Counter, &["code", "verb", "host"],
        "Requests that were sent again.";
    REST_CLIENT_REQUEST_DURATION "rest_client_request_duration_seconds", MetricKind::Histogram(REQUEST_SECONDS), VERB,
        "How long a request took until the head of its answer was there.";
    REST_CLIENT_RATE_LIMITER_DURATION "rest_client_rate_limiter_duration_seconds", MetricKind::Histogram(REQUEST_SECONDS), VERB,
        "How long a request waited for the client's own rate limiter.";
    REST_CLIENT_REQUEST_SIZE "rest_client_request_size_bytes", MetricKind::Histogram(BODY_BYTES), VERB,
        "Bytes in the body of a request.";
    REST_CLIENT_RESPONSE_SIZE "rest_client_response_size_bytes", MetricKind::Histogram(BODY_BYTES), VERB,
        "Bytes in the body of an answer.";

    // tools/record and tools/events have no metrics. `name` is the name of the broadcaster. Every
    // event has exactly one outcome: `written`, `filtered`, `refused`, `given_up` or `dropped`.
    EVENT_BROADCASTER_EVENTS "event_broadcaster_events_total", MetricKind::Counter, &["name", "outcome"],
        "Events that were recorded, by what became of them: written, filtered, refused, given_up or dropped.";

    // tools/leaderelection. `name` is the name of the election, by default that of the lease.
    LEADER_ELECTION_MASTER_STATUS "leader_election_master_status", MetricKind::Gauge, &["name"],
        "1 while this process leads, 0 while it does not.";
    LEADER_ELECTION_SLOWPATH "leader_election_slowpath_total", MetricKind::Counter, &["name"],
        "Renewals for which the lease had to be read first.";
}
