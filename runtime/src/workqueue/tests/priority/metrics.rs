//! What is measured, beside what the scripts show.

use std::time::Duration;

use super::{measured, priority, queue};
use crate::metrics::WORKQUEUE_DEPTH;

#[test]
fn priorities_without_end_make_no_series_without_end() {
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
fn a_zero_rate_limit_is_no_retry() {
    let (queue, recorder) = queue();
    queue.add_after("foo", Duration::ZERO);
    assert_eq!(measured(&recorder), "[0:1] 1 adds 0 retries");
}
