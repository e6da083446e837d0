//! Tests of the work queue: client-go's tests under their original names, and tests of the
//! differences.

mod delaying;
mod metrics;
mod model;
mod parallelizer;
mod priority;
mod queue;
mod rate_limiting;
mod shut_down;
mod waiting;

use std::fmt::Debug;
use std::hash::Hash;

use tokio_test::{assert_pending, assert_ready, task};

use super::{Item, Queue};

/// Gets a key that is ready now.
#[track_caller]
fn get<T: Eq + Hash + Clone + Debug + Send + 'static>(queue: &Queue<T>) -> Item<T> {
    match assert_ready!(task::spawn(queue.get()).poll()) {
        Some(item) => item,
        None => panic!("the queue is shut down"),
    }
}

/// Gets a key, checks that it is `expected`, and marks it as done.
#[track_caller]
fn process<T: Eq + Hash + Clone + Debug + Send + 'static>(queue: &Queue<T>, expected: T) {
    assert_eq!(*get(queue), expected);
}

#[track_caller]
fn assert_nothing_ready<T: Eq + Hash + Clone + Debug + Send + 'static>(queue: &Queue<T>) {
    assert_pending!(task::spawn(queue.get()).poll());
}

#[track_caller]
fn assert_shut_down<T: Eq + Hash + Clone + Debug + Send + 'static>(queue: &Queue<T>) {
    assert!(assert_ready!(task::spawn(queue.get()).poll()).is_none());
}
