//! Metric definitions of the runtime. Metrics of client-go and controller-runtime keep their names,
//! labels and buckets.

use super::{Metric, MetricKind, exponential_buckets};

/// Buckets for the time that a key waits in a queue, and for the time that its processing takes:
/// 10 ns to 1000 s.
const QUEUE_SECONDS: &[f64] = &exponential_buckets::<12>(10e-9, 10.0);
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
/// Buckets of list durations, from lists of a few objects to lists of a whole cluster.
const LIST_SECONDS: &[f64] = &[
    0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 1.25, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 15.0, 20.0,
    30.0, 45.0, 60.0,
];
/// Buckets of watch durations. Watches are requested for 5 to 10 minutes.
const WATCH_SECONDS: &[f64] = &[
    0.05, 0.1, 0.5, 1.0, 2.5, 5.0, 10.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0,
];
/// Buckets of the number of objects in a list, or of events in a watch: 0 to 100,000.
const ITEMS: &[f64] = &[0.0, 1.0, 10.0, 100.0, 1000.0, 10_000.0, 100_000.0];
/// Buckets of the time for applying a change or a list to an informer's store.
const HANDLING_SECONDS: &[f64] = &[
    0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0,
];

/// Labels of the metrics of queues. The value of both is the name of the queue: `name` is
/// client-go's label, and `controller` is controller-runtime's.
const QUEUE: &[&str] = &["name", "controller"];
const RESOURCE: &[&str] = &["name", "group", "version", "resource"];
const GROUP: &[&str] = &["group"];
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
    // From client-go's util/workqueue, with the labels of controller-runtime. The label `priority`
    // is empty for queues without priorities.
    WORKQUEUE_DEPTH "workqueue_depth", MetricKind::Gauge, &["name", "controller", "priority"],
        "Current depth of workqueue by workqueue and priority.";
    WORKQUEUE_ADDS "workqueue_adds_total", MetricKind::Counter, QUEUE,
        "Total number of adds handled by workqueue.";
    WORKQUEUE_QUEUE_DURATION "workqueue_queue_duration_seconds", MetricKind::Histogram(QUEUE_SECONDS), QUEUE,
        "How long in seconds an item stays in workqueue before being requested.";
    WORKQUEUE_WORK_DURATION "workqueue_work_duration_seconds", MetricKind::Histogram(QUEUE_SECONDS), QUEUE,
        "How long in seconds processing an item from workqueue takes.";
    WORKQUEUE_UNFINISHED_WORK "workqueue_unfinished_work_seconds", MetricKind::Gauge, QUEUE,
        "How many seconds of work has been done that is in progress and hasn't been observed by work_duration. Large values indicate stuck threads. One can deduce the number of stuck threads by observing the rate at which this increases.";
    WORKQUEUE_LONGEST_RUNNING_PROCESSOR "workqueue_longest_running_processor_seconds", MetricKind::Gauge, QUEUE,
        "How many seconds has the longest running processor for workqueue been running.";
    WORKQUEUE_RETRIES "workqueue_retries_total", MetricKind::Counter, QUEUE,
        "Total number of retries handled by workqueue.";

    // From client-go's tools/cache/reflector.go. `name` is the name of the reflector.
    REFLECTOR_LISTS "reflector_lists_total", MetricKind::Counter, &["name"],
        "Total number of API lists done by the reflectors.";
    REFLECTOR_LIST_DURATION "reflector_list_duration_seconds", MetricKind::Histogram(LIST_SECONDS), &["name"],
        "How long an API list takes to return and decode for the reflectors.";
    REFLECTOR_ITEMS_PER_LIST "reflector_items_per_list", MetricKind::Histogram(ITEMS), &["name"],
        "How many items an API list returns to the reflectors.";
    REFLECTOR_WATCHES "reflector_watches_total", MetricKind::Counter, &["name"],
        "Total number of API watches done by the reflectors.";
    REFLECTOR_SHORT_WATCHES "reflector_short_watches_total", MetricKind::Counter, &["name"],
        "Total number of short API watches done by the reflectors.";
    REFLECTOR_WATCH_DURATION "reflector_watch_duration_seconds", MetricKind::Histogram(WATCH_SECONDS), &["name"],
        "How long an API watch takes to return and decode for the reflectors.";
    REFLECTOR_ITEMS_PER_WATCH "reflector_items_per_watch", MetricKind::Histogram(ITEMS), &["name"],
        "How many items an API watch returns to the reflectors.";
    REFLECTOR_LAST_RESOURCE_VERSION "reflector_last_resource_version", MetricKind::Gauge, &["name"],
        "Last resource version seen for the reflectors.";

    // From client-go's tools/cache: an informer's store, and the queues from the store to handlers.
    // client-go's `informer_queued_items` is left out. It is the length of the queue between
    // reflector and store (`RealFIFO`). Here, the reflector changes the store directly.
    INFORMER_PROCESSING_LATENCY "informer_processing_latency_seconds", MetricKind::Histogram(HANDLING_SECONDS), RESOURCE,
        "Time taken to process events after popping from the queue.";
    INFORMER_STORE_RESOURCE_VERSION "informer_store_resource_version", MetricKind::Gauge, RESOURCE,
        "The 15 least significant digits of the resource version of the store.";
    INFORMER_PENDING_NOTIFICATIONS "informer_pending_notifications", MetricKind::Gauge,
        &["name", "group", "version", "resource", "handler"],
        "Number of events pending for a handler.";

    // From client-go's tools/metrics: requests of a client.
    REST_CLIENT_REQUESTS "rest_client_requests_total", MetricKind::Counter, &["code", "method", "host"],
        "Number of HTTP requests, partitioned by status code, method, and host.";
    REST_CLIENT_REQUEST_RETRIES "rest_client_request_retries_total", MetricKind::Counter, &["code", "verb", "host"],
        "Number of request retries, partitioned by status code, verb, and host.";
    REST_CLIENT_REQUEST_DURATION "rest_client_request_duration_seconds", MetricKind::Histogram(REQUEST_SECONDS), VERB,
        "Request latency in seconds. Broken down by verb, and host.";
    REST_CLIENT_RATE_LIMITER_DURATION "rest_client_rate_limiter_duration_seconds", MetricKind::Histogram(REQUEST_SECONDS), VERB,
        "Client side rate limiter latency in seconds. Broken down by verb, and host.";
    REST_CLIENT_REQUEST_SIZE "rest_client_request_size_bytes", MetricKind::Histogram(BODY_BYTES), VERB,
        "Request size in bytes. Broken down by verb and host.";
    REST_CLIENT_RESPONSE_SIZE "rest_client_response_size_bytes", MetricKind::Histogram(BODY_BYTES), VERB,
        "Response size in bytes. Broken down by verb and host.";

    // Not from client-go, whose tools/record and tools/events have no metrics. `name` is the name
    // of the broadcaster. Every event has one outcome.
    EVENT_BROADCASTER_EVENTS "event_broadcaster_events_total", MetricKind::Counter, &["name", "outcome"],
        "Total number of recorded events, partitioned by outcome: written, filtered, refused, given_up or dropped.";

    // From client-go's tools/leaderelection. `name` is the name of the election; the default is the
    // name of the lease.
    LEADER_ELECTION_MASTER_STATUS "leader_election_master_status", MetricKind::Gauge, &["name"],
        "Gauge of if the reporting system is master of the relevant lease, 0 indicates backup, 1 indicates master. 'name' is the string used to identify the lease. Please make sure to group by name.";
    LEADER_ELECTION_SLOWPATH "leader_election_slowpath_total", MetricKind::Counter, &["name"],
        "Total number of slow path exercised in renewing leader leases. 'name' is the string used to identify the lease. Please make sure to group by name.";

    // Not from client-go, which has no sharding. `group` is the name of the group. The leader has
    // `leader_election_master_status`.
    SHARDING_MEMBERS "sharding_members", MetricKind::Gauge, GROUP,
        "Number of replicas in the group, as this replica observes it.";
    SHARDING_SLOTS "sharding_slots", MetricKind::Gauge, GROUP,
        "Number of ranges of hashes that the objects of the group are divided into.";
    SHARDING_HELD_SLOTS "sharding_held_slots", MetricKind::Gauge, GROUP,
        "Number of ranges of this replica.";
    SHARDING_UNREAD_SLOTS "sharding_unread_slots", MetricKind::Gauge, GROUP,
        "Number of ranges of this replica whose objects its caches do not have yet, so that it does not work on them.";
    SHARDING_UNHELD_SLOTS "sharding_unheld_slots", MetricKind::Gauge, GROUP,
        "Number of ranges whose objects no replica works on, as this replica observes it.";
    SHARDING_OBJECTS "sharding_objects", MetricKind::Gauge, GROUP,
        "Number of objects of the group, as last counted.";
    SHARDING_HELD_OBJECTS "sharding_held_objects", MetricKind::Gauge, GROUP,
        "Number of objects of this replica, as last counted.";
    SHARDING_MOVES "sharding_moves_total", MetricKind::Counter, GROUP,
        "Number of times that this replica got or lost objects.";
}
