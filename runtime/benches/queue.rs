//! Benchmark of the cost per key of a work queue: `cargo bench -p genclient --bench queue`.
//!
//! It measures the queue itself, on one thread without waiting. `cargo xtask bench workqueue`
//! measures concurrent producers and workers.

#![expect(clippy::unwrap_used, reason = "what is measured is known to be right")]

use std::hash::Hash;
use std::time::Duration;

use divan::Bencher;
use divan::counter::ItemsCount;
use genclient::workqueue::{AddOpts, PriorityQueue, Queue};
use tokio::runtime::{Builder, Runtime};

/// Number of keys that are handed out before the first is added again.
const KEYS: usize = 100;

fn main() {
    divan::main();
}

fn numbers() -> Vec<u64> {
    (0..KEYS as u64).collect()
}

fn names() -> Vec<String> {
    (0..KEYS)
        .map(|number| format!("namespace/name-{number}"))
        .collect()
}

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_time().build().unwrap()
}

/// Adds all keys, then gets each and marks it as done.
fn pass<T>(bencher: Bencher, queue: &Queue<T>, keys: &[T], add: impl Fn(&T))
where
    T: Eq + Hash + Clone + Send + Sync + 'static,
{
    let runtime = runtime();
    bencher
        .counter(ItemsCount::new(keys.len()))
        .bench_local(|| {
            keys.iter().for_each(&add);
            runtime.block_on(async {
                for _ in keys {
                    drop(queue.get().await);
                }
            });
        });
}

#[divan::bench]
fn numbers_one_after_the_other(bencher: Bencher) {
    let queue = Queue::new();
    pass(bencher, &queue, &numbers(), |key| queue.add(*key));
}

#[divan::bench]
fn names_one_after_the_other(bencher: Bencher) {
    let queue = Queue::new();
    pass(bencher, &queue, &names(), |key| queue.add(key.clone()));
}

#[divan::bench]
fn names_by_priority(bencher: Bencher) {
    let queue = PriorityQueue::new();
    pass(bencher, &queue, &names(), |key| {
        let opts = AddOpts {
            priority: key.len() as i32,
            ..AddOpts::default()
        };
        queue.add_with_opts(opts, [key.clone()]);
    });
}

#[divan::bench]
fn names_after_a_nanosecond(bencher: Bencher) {
    let queue = Queue::new();
    pass(bencher, &queue, &names(), |key| {
        queue.add_after(key.clone(), Duration::from_nanos(1));
    });
}

/// Most adds are of keys that wait already, as with frequent changes and slow workers.
#[divan::bench]
fn names_that_wait_already(bencher: Bencher) {
    let queue = Queue::new();
    let names = names();
    names.iter().for_each(|key| queue.add(key.clone()));
    bencher
        .counter(ItemsCount::new(names.len()))
        .bench_local(|| names.iter().for_each(|key| queue.add(key.clone())));
}
