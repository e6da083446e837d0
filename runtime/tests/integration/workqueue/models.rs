use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use loom::future::block_on;
use loom::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use loom::thread;

use super::{AddOpts, PriorityQueue, Queue};

const KEYS: usize = 2;

/// Runs `model` for every interleaving of its threads with at most two preemptions, unless the
/// environment sets another bound.
fn explore(model: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = builder.preemption_bound.or(Some(2));
    builder.check(model);
}

/// What adders and workers record about the keys.
#[derive(Default)]
struct Ledger {
    held: [AtomicBool; KEYS],
    /// Incremented before each add.
    added: [AtomicUsize; KEYS],
    /// The value of `added` when a worker last processed the key.
    seen: [AtomicUsize; KEYS],
}

impl Ledger {
    fn add(&self, queue: &Queue<usize>, key: usize) {
        self.added[key].fetch_add(1, Ordering::SeqCst);
        queue.add(key);
    }

    /// Processes keys until the queue is shut down and empty.
    fn work(&self, queue: &Queue<usize>) {
        while let Some(key) = block_on(queue.get()) {
            let held = self.held[*key].swap(true, Ordering::SeqCst);
            assert!(!held, "{} is with two workers", *key);
            let added = self.added[*key].load(Ordering::SeqCst);
            self.seen[*key].store(added, Ordering::SeqCst);
            self.held[*key].store(false, Ordering::SeqCst);
        }
    }

    fn assert_everything_was_seen(&self) {
        for (added, seen) in self.added.iter().zip(&self.seen) {
            assert_eq!(seen.load(Ordering::SeqCst), added.load(Ordering::SeqCst));
        }
    }
}

fn worker(queue: &Queue<usize>, ledger: &Arc<Ledger>) -> thread::JoinHandle<()> {
    let (queue, ledger) = (queue.clone(), Arc::clone(ledger));
    thread::spawn(move || ledger.work(&queue))
}

/// Two workers, keys that are added again during processing, and a drain.
fn explore_work(queue: impl Fn() -> Queue<usize> + Sync + Send + 'static) {
    explore(move || {
        let (queue, ledger) = (queue(), Arc::new(Ledger::default()));
        let workers = [worker(&queue, &ledger), worker(&queue, &ledger)];
        for key in [0, 1, 0] {
            ledger.add(&queue, key);
        }
        block_on(queue.shutdown_with_drain());
        ledger.assert_everything_was_seen();
        for worker in workers {
            worker.join().unwrap();
        }
    });
}

#[test]
fn queue_hands_each_key_to_one_worker() {
    explore_work(Queue::new);
}

#[test]
fn priority_queue_hands_each_key_to_one_worker() {
    explore_work(|| Queue::clone(&PriorityQueue::new()));
}

/// Polls a get once, then drops it.
fn impatient(queue: &Queue<usize>) -> Option<usize> {
    block_on(async {
        let mut get = pin!(queue.get());
        match poll_fn(|ctx| Poll::Ready(get.as_mut().poll(ctx))).await {
            Poll::Ready(item) => item.map(|item| *item),
            Poll::Pending => None,
        }
    })
}

/// Starts a worker that leaves if no key is ready, and one that waits for a key.
fn leaving_and_staying(queue: &Queue<usize>) -> (Getting, Getting) {
    let (leaving, staying) = (queue.clone(), queue.clone());
    (
        thread::spawn(move || impatient(&leaving)),
        thread::spawn(move || block_on(staying.get()).map(|item| *item)),
    )
}

/// Handle of a worker; returns the key it got.
type Getting = thread::JoinHandle<Option<usize>>;

/// A woken worker that leaves passes its turn on.
#[test]
fn dropped_get_leaves_its_key_to_another() {
    explore(|| {
        let queue = Queue::new();
        let (leaving, staying) = leaving_and_staying(&queue);
        queue.add(0);
        queue.add(1);
        let mut got: Vec<_> = [leaving.join().unwrap(), staying.join().unwrap()]
            .into_iter()
            .flatten()
            .collect();
        got.extend(impatient(&queue));
        got.sort_unstable();
        assert_eq!(got, [0, 1]);
    });
}

/// With one key, no other wake-up compensates for a lost one.
#[test]
fn dropped_get_passes_its_wake_up_on() {
    explore(|| {
        let queue = Queue::new();
        let (leaving, staying) = leaving_and_staying(&queue);
        queue.add(0);
        let key = match leaving.join().unwrap() {
            None => 0,
            Some(_) => {
                queue.add(1);
                1
            }
        };
        assert_eq!(staying.join().unwrap(), Some(key));
    });
}

#[test]
fn shutdown_ends_every_worker() {
    explore(|| {
        let (queue, ledger) = (Queue::new(), Arc::default());
        let workers = [worker(&queue, &ledger), worker(&queue, &ledger)];
        queue.add(0);
        queue.shutdown();
        queue.add(1);
        for worker in workers {
            worker.join().unwrap();
        }
        assert!(queue.is_empty());
    });
}

/// A worker keeps a key, so that the drain would wait forever.
#[test]
fn shut_down_ends_a_drain() {
    explore(|| {
        let queue = Queue::new();
        queue.add(0);
        let kept = block_on(queue.get());
        let draining = queue.clone();
        let draining = thread::spawn(move || block_on(draining.shutdown_with_drain()));
        // Checks both states: a drain that starts after the shutdown waits for the key again.
        if queue.is_shutting_down() {
            queue.shutdown();
            draining.join().unwrap();
            drop(kept);
        } else {
            drop(kept);
            draining.join().unwrap();
        }
    });
}

#[test]
fn drains_end_with_the_last_key() {
    explore(|| {
        let (queue, ledger) = (Queue::new(), Arc::default());
        queue.add(0);
        let draining = queue.clone();
        let draining = thread::spawn(move || block_on(draining.shutdown_with_drain()));
        let worker = worker(&queue, &ledger);
        block_on(queue.shutdown_with_drain());
        assert!(queue.is_empty());
        draining.join().unwrap();
        worker.join().unwrap();
    });
}

/// Workers that alternate between add and get during a shutdown: controller-runtime's queue once
/// deadlocked here.
#[test]
fn priority_queue_does_not_deadlock_on_shutdown_while_handing_out_items() {
    explore(|| {
        let queue = PriorityQueue::new();
        let workers = [0, 1].map(|number: i32| {
            let queue = queue.clone();
            thread::spawn(move || {
                for _ in 0..2 {
                    let priority = number;
                    let opts = AddOpts {
                        priority,
                        ..AddOpts::default()
                    };
                    queue.add_with_opts(opts, [number]);
                    if block_on(queue.get()).is_none() {
                        return;
                    }
                }
            })
        });
        queue.shutdown();
        for worker in workers {
            worker.join().unwrap();
        }
    });
}
