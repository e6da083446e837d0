//! Tests of the metric definitions and of [`NoMetrics`].

use std::collections::BTreeSet;

use super::{ALL, MetricKind, NoMetrics, Provider, WORKQUEUE_ADDS, exponential_buckets};

fn is_name(name: &str) -> bool {
    name.starts_with(|letter: char| letter.is_ascii_lowercase())
        && name
            .chars()
            .all(|letter| letter.is_ascii_lowercase() || letter == '_')
}

#[test]
fn names_follow_prometheus_rules() {
    for metric in ALL {
        let name = metric.name;
        assert!(is_name(name), "{name}");
        assert_eq!(
            name.ends_with("_total"),
            metric.kind == MetricKind::Counter,
            "{name}"
        );
        assert!(metric.help.ends_with('.'), "{name}");
        let labels: BTreeSet<_> = metric.labels.iter().collect();
        assert_eq!(labels.len(), metric.labels.len(), "{name}");
        assert!(
            labels
                .into_iter()
                .all(|label| is_name(label) && *label != "le"),
            "{name}"
        );
        if let MetricKind::Histogram(bounds) = metric.kind {
            assert!(bounds.is_sorted_by(|low, high| low < high), "{name}");
            assert!(bounds.iter().all(|bound| bound.is_finite()), "{name}");
        }
    }
}

#[test]
fn no_metric_is_listed_twice() {
    let names: BTreeSet<_> = ALL.iter().map(|metric| metric.name).collect();
    assert_eq!(names.len(), ALL.len());
}

#[test]
fn exponential_buckets_are_multiplied_iteratively() {
    assert_eq!(
        exponential_buckets::<4>(64.0, 4.0),
        [64.0, 256.0, 1024.0, 4096.0]
    );
    assert_eq!(
        exponential_buckets::<4>(10e-9, 10.0)[3],
        9.999999999999999e-6
    );
    assert!(exponential_buckets::<0>(1.0, 2.0).is_empty());
}

#[test]
fn no_metrics_accepts_any_instrument() {
    NoMetrics.counter(&WORKQUEUE_ADDS, &["a", "a"]).inc();
    NoMetrics.gauge(&WORKQUEUE_ADDS, &[]).set(1.0);
    NoMetrics.gauge(&WORKQUEUE_ADDS, &[]).add(1.0);
    NoMetrics.histogram(&WORKQUEUE_ADDS, &[]).observe(1.0);
}
