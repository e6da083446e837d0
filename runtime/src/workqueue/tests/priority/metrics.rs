//! Tests of the metrics of the priority queue, as far as `scripts.rs` does not cover them.

use std::sync::Arc;
use std::time::Duration;

use super::{measured, priority, queue};
use crate::metrics::WORKQUEUE_DEPTH;
use crate::metrics::callback::{Callback, ends};
use crate::workqueue::PriorityQueue;

#[test]
fn priority_label_cardinality_is_limited() {
    let (queue, recorder) = queue();
    for number in 0..30 {
        queue.add_with_opts(priority(number), ["foo"]);
    }
    let depth = recorder.by_last_label(&WORKQUEUE_DEPTH);
    assert_eq!(depth.len(), 26, "{depth:?}");
    assert_eq!(depth["exceeded_cardinality_limit"], 1.0);
    assert_eq!(depth.values().sum::<f64>(), 1.0);
}

#[test]
fn zero_delay_is_not_counted_as_a_retry() {
    let (queue, recorder) = queue();
    queue.add_after("foo", Duration::ZERO);
    assert_eq!(measured(&recorder), "[0:1] 1 adds 0 retries");
}

#[test]
fn metrics_provider_may_use_the_queue() {
    let provider = Callback::default();
    let builder = PriorityQueue::builder().metrics("test", Arc::new(provider.clone()));
    let queue = builder.build_priority_queue();
    let asking = queue.clone();
    provider.set(move || assert!(asking.is_empty()));
    assert!(ends(move || {
        for number in 0..30 {
            queue.add_with_opts(priority(number), []);
        }
        queue.add_with_opts(priority(1), ["foo"]);
    }));
}
