//! Tests of the basic queue: client-go's `queue_test.go`.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::task::JoinSet;
use tokio::time::sleep;
use tokio_test::{assert_pending, assert_ready, task};

use super::{assert_nothing_ready, get, process};
use crate::metrics::callback::ends;
use crate::workqueue::Queue;

const PRODUCERS: usize = 50;
const CONSUMERS: usize = 10;

#[derive(Clone, Copy, Debug)]
enum ShutDown {
    AtOnce,
    WithDrain,
}

impl ShutDown {
    async fn call(self, queue: &Queue<usize>) {
        match self {
            Self::AtOnce => queue.shutdown(),
            Self::WithDrain => queue.shutdown_with_drain().await,
        }
    }
}

/// The keys in processing, and how often each was processed.
#[derive(Default)]
struct Ledger {
    held: Mutex<HashMap<usize, bool>>,
    processed: Mutex<HashMap<usize, usize>>,
}

impl Ledger {
    fn begin(&self, key: usize) {
        assert_ne!(
            self.held.lock().insert(key, true),
            Some(true),
            "{key} is with two workers"
        );
        *self.processed.lock().entry(key).or_default() += 1;
    }

    fn end(&self, key: usize) {
        self.held.lock().insert(key, false);
    }
}

#[tokio::test(start_paused = true)]
async fn basic() {
    for shut_down in [ShutDown::AtOnce, ShutDown::WithDrain] {
        let queue = Queue::new();
        let ledger = Arc::new(Ledger::default());
        let mut producers = JoinSet::new();
        for key in 0..PRODUCERS {
            let queue = queue.clone();
            producers.spawn(async move {
                for _ in 0..50 {
                    queue.add(key);
                    sleep(Duration::from_millis(1)).await;
                }
            });
        }
        let mut consumers = JoinSet::new();
        for _ in 0..CONSUMERS {
            let (queue, ledger) = (queue.clone(), Arc::clone(&ledger));
            consumers.spawn(async move {
                while let Some(key) = queue.get().await {
                    ledger.begin(*key);
                    sleep(Duration::from_millis(3)).await;
                    ledger.end(*key);
                }
            });
        }
        producers.join_all().await;
        shut_down.call(&queue).await;
        queue.add(PRODUCERS + 1);
        consumers.join_all().await;
        assert_eq!(queue.len(), 0, "{shut_down:?}");
        let processed = ledger.processed.lock();
        assert_eq!(
            processed.len(),
            PRODUCERS,
            "every key, and none that was added after {shut_down:?}"
        );
        assert!(processed.values().all(|&times| times > 1), "{processed:?}");
    }
}

/// As in client-go's test, the workers are on several threads and do not pause.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn add_while_processing() {
    for shut_down in [ShutDown::AtOnce, ShutDown::WithDrain] {
        let queue = Queue::new();
        let ledger = Arc::new(Ledger::default());
        let mut producers = JoinSet::new();
        for key in 0..PRODUCERS {
            let queue = queue.clone();
            producers.spawn(async move { queue.add(key) });
        }
        let mut consumers = JoinSet::new();
        for _ in 0..CONSUMERS {
            let (queue, ledger) = (queue.clone(), Arc::clone(&ledger));
            consumers.spawn(async move {
                let mut seen = HashMap::<usize, usize>::new();
                while let Some(key) = queue.get().await {
                    ledger.begin(*key);
                    let times = seen.entry(*key).or_default();
                    *times += 1;
                    if *times < 2 {
                        queue.add(*key);
                    }
                    tokio::task::yield_now().await;
                    ledger.end(*key);
                }
            });
        }
        producers.join_all().await;
        // Each worker adds a key again when it gets the key for the first time. So each key is
        // processed at least twice, and at most twice by each worker.
        let twice = || {
            let processed = ledger.processed.lock();
            processed.len() == PRODUCERS && processed.values().all(|times| *times >= 2)
        };
        while !twice() {
            sleep(Duration::from_millis(1)).await;
        }
        shut_down.call(&queue).await;
        consumers.join_all().await;
        assert_eq!(queue.len(), 0, "{shut_down:?}");
        let processed = ledger.processed.lock();
        assert!(
            processed.values().all(|times| *times <= 2 * CONSUMERS),
            "{processed:?}"
        );
    }
}

#[test]
fn len() {
    let queue = Queue::new();
    for (key, expected) in [("foo", 1), ("bar", 2), ("foo", 2)] {
        queue.add(key);
        assert_eq!(queue.len(), expected);
    }
    let _foo = get(&queue);
    assert_eq!(queue.len(), 1);
}

#[test]
fn reinsert() {
    let queue = Queue::new();
    queue.add("foo");
    let item = get(&queue);
    queue.add("foo");
    drop(item);
    process(&queue, "foo");
    assert!(queue.is_empty());
}

#[test]
fn collapse() {
    let queue = Queue::new();
    queue.add("bar");
    queue.add("bar");
    process(&queue, "bar");
    assert!(queue.is_empty());
    assert_nothing_ready(&queue);
}

#[test]
fn collapse_while_processing() {
    let queue = Queue::new();
    queue.add("foo");
    let first = get(&queue);
    queue.add("foo");
    queue.add("foo");

    let mut other = task::spawn(queue.get());
    assert_pending!(other.poll(), "the key is with a worker");
    drop(first);
    assert!(other.is_woken());
    let again = assert_ready!(other.poll());
    assert_eq!(again.as_deref(), Some(&"foo"));
    drop(again);
    assert_nothing_ready(&queue);
}

#[test]
fn keys_come_out_in_the_order_of_their_first_add() {
    let queue = Queue::new();
    for key in ["c", "a", "b", "a", "c"] {
        queue.add(key);
    }
    let c = get(&queue);
    queue.add("c");
    queue.add("d");
    process(&queue, "a");
    drop(c);
    for expected in ["b", "d", "c"] {
        process(&queue, expected);
    }
}

#[test]
fn an_item_is_displayed_as_its_key() {
    let queue = Queue::new();
    queue.add("default/train");
    let item = get(&queue);
    assert_eq!(
        format!("{item:>14}|{item:?}"),
        r#" default/train|Item("default/train")"#
    );
}

#[derive(Clone, Debug)]
struct Shared(Arc<str>);

impl PartialEq for Shared {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl Eq for Shared {}

impl Hash for Shared {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

#[test]
fn garbage_collection() {
    let queue = Queue::new();
    let key: Arc<str> = "hello".into();
    for _ in 0..1000 {
        queue.add(Shared(Arc::clone(&key)));
        assert_eq!(Arc::strong_count(&key), 2, "one for the queue");
    }
    assert_eq!(queue.len(), 1);
    let item = get(&queue);
    queue.add_after(Shared(Arc::clone(&key)), Duration::from_secs(1));
    drop(item);
    assert_eq!(Arc::strong_count(&key), 2, "it still waits for its time");
    queue.shutdown();
    assert_eq!(Arc::strong_count(&key), 1);
}

#[test]
fn panicking_worker_releases_its_key() {
    let queue = Queue::new();
    queue.add("foo");
    let worker = queue.clone();
    let panicked = std::thread::spawn(move || {
        let _item = get(&worker);
        worker.add("foo");
        panic!("this panic is part of the test");
    });
    assert!(panicked.join().is_err());
    process(&queue, "foo");
    assert_nothing_ready(&queue);
}

/// Runs on several threads, since the guarantees have to hold for every interleaving.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn keys_are_not_lost_duplicated_or_shared_under_load() {
    const KEYS: usize = 64;
    const ADDS: usize = 20_000;
    let queue = Queue::new();
    let ledger = Arc::new(Ledger::default());
    // Every add has a higher number; a worker has to see the last one.
    let wanted: Arc<[Mutex<usize>; KEYS]> = Arc::new(std::array::from_fn(|_| Mutex::new(0)));
    let seen: Arc<[Mutex<usize>; KEYS]> = Arc::new(std::array::from_fn(|_| Mutex::new(0)));
    let mut consumers = JoinSet::new();
    for _ in 0..CONSUMERS {
        let (queue, ledger, wanted, seen) =
            (queue.clone(), ledger.clone(), wanted.clone(), seen.clone());
        consumers.spawn(async move {
            while let Some(key) = queue.get().await {
                ledger.begin(*key);
                *seen[*key].lock() = *wanted[*key].lock();
                tokio::task::yield_now().await;
                ledger.end(*key);
            }
        });
    }
    let mut producers = JoinSet::new();
    for producer in 0..4 {
        let (queue, wanted) = (queue.clone(), wanted.clone());
        producers.spawn(async move {
            for round in 0..ADDS {
                let key = (round * 7 + producer * 13) % KEYS;
                *wanted[key].lock() += 1;
                queue.add(key);
                if round % 64 == 0 {
                    tokio::task::yield_now().await;
                }
            }
        });
    }
    producers.join_all().await;
    queue.shutdown_with_drain().await;
    consumers.join_all().await;
    for key in 0..KEYS {
        assert_eq!(
            *seen[key].lock(),
            *wanted[key].lock(),
            "the last add of {key} was lost"
        );
    }
    let handed_out: usize = ledger.processed.lock().values().sum();
    assert!(
        handed_out <= 4 * ADDS,
        "{handed_out} keys came out of {} adds",
        4 * ADDS
    );
}

/// A key that uses its queue when it is dropped.
#[derive(Clone, Debug)]
struct Asking(Arc<OnceLock<Queue<Asking>>>);

impl PartialEq for Asking {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

impl Eq for Asking {}

impl Hash for Asking {
    fn hash<H: Hasher>(&self, _state: &mut H) {}
}

impl Drop for Asking {
    fn drop(&mut self) {
        assert!(self.0.get().is_none_or(|queue| queue.len() < 2));
    }
}

#[test]
fn keys_are_dropped_outside_of_the_lock() {
    assert!(ends(|| {
        let key = Asking(Arc::default());
        let queue = key.0.get_or_init(Queue::new);
        queue.add(key.clone());
        queue.add(key.clone());
        drop(get(queue));
        queue.add_after(key.clone(), Duration::from_secs(1));
        queue.shutdown();
        queue.add(key.clone());
    }));
}
