//! Tests of the Prometheus registry and its text format.

use std::thread;

use super::Registry;
use super::text::format_number;
use crate::metrics::{Metric, MetricKind, Provider, WORKQUEUE_ADDS, WORKQUEUE_QUEUE_DURATION};

static EVENTS: Metric = Metric {
    name: "events_total",
    help: "Events.",
    kind: MetricKind::Counter,
    labels: &["type", "reason"],
};
static LEVEL: Metric = Metric {
    name: "level",
    help: "A level,\nof \\ 2 lines.",
    kind: MetricKind::Gauge,
    labels: &[],
};
static SECONDS: Metric = Metric {
    name: "seconds",
    help: "Times.",
    kind: MetricKind::Histogram(&[0.5, 2.0]),
    labels: &["name"],
};
static BARE_SECONDS: Metric = Metric {
    name: "bare_seconds",
    labels: &[],
    ..SECONDS
};

#[track_caller]
fn check(measure: impl FnOnce(&Registry), expected: &str) {
    let registry = Registry::new();
    measure(&registry);
    assert_eq!(registry.encode(), expected);
}

#[test]
fn registry_without_series_encodes_to_nothing() {
    check(|_| {}, "");
}

#[test]
fn counts_are_those_of_a_counter_by_label_values() {
    let registry = Registry::new();
    registry.counter(&EVENTS, &["Warning", "Failed"]).add(2);
    registry.counter(&EVENTS, &["Normal", "Synced"]).inc();
    registry.gauge(&LEVEL, &[]).set(1.0);
    let counts: Vec<_> = registry
        .counts(&EVENTS)
        .into_iter()
        .map(|(labels, count)| (labels.join(" "), count))
        .collect();
    let expected = [("Normal Synced", 1), ("Warning Failed", 2)];
    assert_eq!(
        counts,
        expected.map(|(name, count)| (name.to_owned(), count))
    );
    for other in [&LEVEL, &WORKQUEUE_ADDS] {
        assert!(registry.counts(other).is_empty());
    }
}

#[test]
fn counters_keep_their_name_and_label_order() {
    check(
        |registry| {
            registry.counter(&EVENTS, &["Warning", "Failed"]).add(2);
            registry.counter(&EVENTS, &["Normal", "Synced"]).inc();
            registry.counter(&EVENTS, &["Warning", "Failed"]).inc();
        },
        "# HELP events_total Events.\n\
         # TYPE events_total counter\n\
         events_total{type=\"Normal\",reason=\"Synced\"} 1\n\
         events_total{type=\"Warning\",reason=\"Failed\"} 3\n",
    );
}

#[test]
fn gauges_can_be_set_and_added_to() {
    check(
        |registry| {
            let level = registry.gauge(&LEVEL, &[]);
            level.add(7.0);
            level.set(2.0);
            level.add(-2.75);
        },
        "# HELP level A level,\\nof \\\\ 2 lines.\n\
         # TYPE level gauge\n\
         level -0.75\n",
    );
}

#[test]
fn histogram_buckets_are_cumulative() {
    check(
        |registry| {
            let seconds = registry.histogram(&SECONDS, &["a"]);
            for value in [0.25, 0.5, 0.75, 2.0, 2.5] {
                seconds.observe(value);
            }
        },
        "# HELP seconds Times.\n\
         # TYPE seconds histogram\n\
         seconds_bucket{name=\"a\",le=\"0.5\"} 2\n\
         seconds_bucket{name=\"a\",le=\"2\"} 4\n\
         seconds_bucket{name=\"a\",le=\"+Inf\"} 5\n\
         seconds_sum{name=\"a\"} 6\n\
         seconds_count{name=\"a\"} 5\n",
    );
}

#[test]
fn unlabelled_histograms_have_only_le_labels() {
    check(
        |registry| registry.histogram(&BARE_SECONDS, &[]).observe(1.0),
        "# HELP bare_seconds Times.\n\
         # TYPE bare_seconds histogram\n\
         bare_seconds_bucket{le=\"0.5\"} 0\n\
         bare_seconds_bucket{le=\"2\"} 1\n\
         bare_seconds_bucket{le=\"+Inf\"} 1\n\
         bare_seconds_sum 1\n\
         bare_seconds_count 1\n",
    );
}

#[test]
fn label_values_are_escaped() {
    check(
        |registry| registry.counter(&EVENTS, &["a\"b\\c\nd", ""]).inc(),
        "# HELP events_total Events.\n\
         # TYPE events_total counter\n\
         events_total{type=\"a\\\"b\\\\c\\nd\",reason=\"\"} 1\n",
    );
}

#[test]
fn instruments_of_the_wrong_kind_are_not_exported() {
    check(
        |registry| {
            registry.gauge(&EVENTS, &["Normal", "Synced"]).set(7.0);
            registry
                .histogram(&EVENTS, &["Normal", "Synced"])
                .observe(7.0);
            registry.counter(&LEVEL, &[]).add(7);
        },
        "# HELP events_total Events.\n\
         # TYPE events_total counter\n\
         events_total{type=\"Normal\",reason=\"Synced\"} 0\n\
         # HELP level A level,\\nof \\\\ 2 lines.\n\
         # TYPE level gauge\n\
         level 0\n",
    );
}

/// Expected values are those of Go's `strconv.FormatFloat(value, 'g', -1, 64)`.
#[test]
fn floats_are_formatted_as_in_go() {
    let cases = [
        (0.0, "0"),
        (1.5, "1.5"),
        (-0.25, "-0.25"),
        (1e-4, "0.0001"),
        (1e-5, "1e-05"),
        (1e-8, "1e-08"),
        (1e-100, "1e-100"),
        (100_000.0, "100000"),
        (999_999.0, "999999"),
        (1e6, "1e+06"),
        (4_194_304.0, "4.194304e+06"),
        (16_777_216.0, "1.6777216e+07"),
        (1e22, "1e+22"),
        (f64::INFINITY, "+Inf"),
        (f64::NEG_INFINITY, "-Inf"),
        (f64::NAN, "NaN"),
    ];
    for (value, expected) in cases {
        assert_eq!(format_number(value), expected);
    }
}

/// Expected buckets are those of kube-controller-manager.
#[test]
fn workqueue_buckets_match_client_go() {
    let registry = Registry::new();
    registry.histogram(&WORKQUEUE_QUEUE_DURATION, &["a", "a"]);
    let text = registry.encode();
    let bounds: Vec<_> = text
        .lines()
        .filter_map(|line| Some(line.split_once("le=\"")?.1.split_once('"')?.0))
        .collect();
    assert_eq!(
        bounds,
        [
            "1e-08",
            "1e-07",
            "1e-06",
            "9.999999999999999e-06",
            "9.999999999999999e-05",
            "0.001",
            "0.01",
            "0.1",
            "1",
            "10",
            "100",
            "1000",
            "+Inf",
        ]
    );
}

#[test]
fn concurrent_metric_updates_are_not_lost() {
    const THREADS: u32 = 4;
    const TIMES: u32 = 10_000;
    let registry = Registry::new();
    thread::scope(|scope| {
        for _ in 0..THREADS {
            let registry = registry.clone();
            scope.spawn(move || {
                let counter = registry.counter(&EVENTS, &["a", "b"]);
                let gauge = registry.gauge(&LEVEL, &[]);
                let histogram = registry.histogram(&BARE_SECONDS, &[]);
                for _ in 0..TIMES {
                    counter.inc();
                    gauge.add(1.0);
                    histogram.observe(1.0);
                }
            });
        }
    });
    let text = registry.encode();
    for line in [
        "events_total{type=\"a\",reason=\"b\"} 40000\n",
        "level 40000\n",
        "bare_seconds_bucket{le=\"0.5\"} 0\n",
        "bare_seconds_sum 40000\n",
        "bare_seconds_count 40000\n",
    ] {
        assert!(text.contains(line), "no {line} in {text}");
    }
}

#[test]
fn clones_share_one_registry() {
    let registry = Registry::new();
    registry.clone().counter(&WORKQUEUE_ADDS, &["a", "a"]).inc();
    assert_eq!(format!("{registry:?}"), "{\"workqueue_adds_total\"}");
}
