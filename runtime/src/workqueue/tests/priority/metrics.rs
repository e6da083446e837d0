//! What is measured when a key changes from one state to another.

use super::{Add, Advance, Done, Get, HOUR, Len, NOW, check_metrics, play, priority, queue};
use crate::metrics::WORKQUEUE_DEPTH;

#[tokio::test(start_paused = true)]
async fn item_that_gets_initially_added_with_after_and_then_without() {
    let add = [Add("foo", 0, HOUR), Len(0)];
    play(&add, [], 0, 1).await;
    let again = [Add("foo", 0, HOUR), Add("foo", 0, NOW), Len(1)];
    play(&again, [(0, 1)], 1, 1).await;
    let taken = [
        Add("foo", 0, HOUR),
        Add("foo", 0, NOW),
        Get("foo", 0),
        Len(0),
    ];
    play(&taken, [(0, 0)], 1, 1).await;
    let forgotten = [
        Add("foo", 0, HOUR),
        Add("foo", 0, NOW),
        Get("foo", 0),
        Done("foo"),
        Advance(HOUR),
        Len(0),
    ];
    play(&forgotten, [(0, 0)], 1, 1).await;
}

#[tokio::test(start_paused = true)]
async fn item_with_after_is_re_added_with_higher_priority_and_no_after() {
    let again = [Add("foo", 0, HOUR), Len(0), Add("foo", 1, NOW), Len(1)];
    play(&again, [(1, 1)], 1, 1).await;
    let taken = [
        Add("foo", 0, HOUR),
        Add("foo", 1, NOW),
        Get("foo", 1),
        Len(0),
    ];
    play(&taken, [(1, 0)], 1, 1).await;
}

#[tokio::test(start_paused = true)]
async fn items_are_included_in_len_and_metrics_once_they_are_ready() {
    let mut steps = Vec::new();
    // Twice, as what is remembered of the first time must not be in the way of the second.
    for _ in 0..2 {
        steps.extend([Add("foo", 0, HOUR), Add("baz", 0, NOW), Add("bar", 0, HOUR)]);
        steps.extend([Add("bal", 0, NOW), Len(2), Advance(HOUR), Len(4)]);
        for key in ["baz", "bal", "foo", "bar"] {
            steps.extend([Get(key, 0), Done(key)]);
        }
        steps.push(Len(0));
    }
    play(&steps, [(0, 0)], 8, 4).await;
    play(&steps[..7], [(0, 4)], 4, 2).await;
}

#[tokio::test(start_paused = true)]
async fn item_whose_requeue_after_expired_gets_added_again_without_requeue_after() {
    let steps = [
        Add("foo", 0, HOUR),
        Advance(HOUR),
        Len(1),
        Add("foo", 0, NOW),
        Len(1),
    ];
    play(&steps, [(0, 1)], 1, 1).await;
}

#[tokio::test(start_paused = true)]
async fn a_locked_item_moves_between_priorities() {
    let steps = [
        Add("foo", 0, NOW),
        Get("foo", 0),
        Add("foo", 0, NOW),
        Add("foo", 3, NOW),
        Len(1),
    ];
    play(&steps, [(0, 0), (3, 1)], 2, 0).await;
}

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
    queue.add_after("foo", NOW);
    check_metrics(&recorder, [(0, 1)], 1, 0);
}
