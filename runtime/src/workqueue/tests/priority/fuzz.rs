//! Fuzz tests of the priority queue: random operations against a model, and invariants under
//! concurrent threads.
//!
//! A failure prints its seed; `QUEUE_SEED=… cargo test -p genclient --lib priority::fuzz` replays
//! it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::task::JoinSet;
use tokio::time::{Instant, advance};
use tokio_test::task;

use super::{AddOpts, Recorder, WORKQUEUE_DEPTH};
use crate::workqueue::{Item, PriorityQueue};

/// Random numbers, by SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (bits ^ (bits >> 31)) % end
    }
}

fn seeds(count: u64) -> Vec<u64> {
    match std::env::var("QUEUE_SEED") {
        Ok(seed) => vec![seed.parse().expect("QUEUE_SEED is a number")],
        Err(_) => (0..count).collect(),
    }
}

/// Priority and ticket. A delayed key also has its due time and a number that orders equal times.
type Entry = (i32, u64, Option<(Instant, u64)>);

/// Model of the queue, in the simplest form.
#[derive(Default)]
struct Model {
    keys: BTreeMap<u64, Entry>,
    locked: BTreeSet<u64>,
    tickets: u64,
}

impl Model {
    fn ticket(&mut self) -> u64 {
        self.tickets += 1;
        self.tickets
    }

    fn add(&mut self, key: u64, priority: i32, due: Option<Instant>) {
        let ticket = self.ticket();
        let due = due.map(|due| (due, ticket));
        let entry = self.keys.entry(key).or_insert((priority, ticket, due));
        if priority > entry.0 {
            (entry.0, entry.1) = (priority, ticket);
        }
        entry.2 = entry.2.zip(due).map(|(old, new)| old.min(new));
    }

    /// Makes due keys ready, in the order of their due times.
    fn promote(&mut self) {
        let now = Instant::now();
        loop {
            let due = self
                .keys
                .iter()
                .filter_map(|(&key, entry)| Some((entry.2?, key)));
            let Some((due, key)) = due.min() else { return };
            if due.0 > now {
                return;
            }
            let ticket = self.ticket();
            if let Some(entry) = self.keys.get_mut(&key) {
                (entry.1, entry.2) = (ticket, None);
            }
        }
    }

    fn len(&mut self) -> usize {
        self.promote();
        self.keys.values().filter(|entry| entry.2.is_none()).count()
    }

    fn take(&mut self) -> Option<(u64, i32)> {
        self.promote();
        let ready = self
            .keys
            .iter()
            .filter(|(key, entry)| entry.2.is_none() && !self.locked.contains(key));
        let (&key, &(priority, ..)) = ready.min_by_key(|(_, entry)| (-entry.0, entry.1))?;
        self.keys.remove(&key);
        self.locked.insert(key);
        Some((key, priority))
    }
}

/// The queue matches the model for random sequences of add, get and done.
#[tokio::test(start_paused = true)]
async fn priority_queue_matches_its_model() {
    for seed in seeds(300) {
        let mut random = Random(seed);
        let queue = PriorityQueue::new();
        let mut model = Model::default();
        let mut held = BTreeMap::<u64, Item<u64>>::new();
        for step in 0..400u64 {
            let at = format!("QUEUE_SEED={seed}, step {step}");
            match random.below(9) {
                0..=3 => {
                    let (key, priority) = (random.below(12), random.below(5) as i32 - 2);
                    let delay = Duration::from_millis(
                        random.below(2) * (random.below(20) * 401 + 1 + step),
                    );
                    let opts = AddOpts {
                        after: delay,
                        rate_limited: false,
                        priority,
                    };
                    queue.add_with_opts(opts, [key]);
                    model.promote();
                    let due = (!delay.is_zero()).then(|| Instant::now() + delay);
                    model.add(key, priority, due);
                }
                4..=5 => {
                    let mut worker = task::spawn(queue.get());
                    let got = match worker.poll() {
                        std::task::Poll::Ready(item) => item,
                        std::task::Poll::Pending => None,
                    };
                    let seen = got.as_ref().map(|item| (**item, item.priority()));
                    assert_eq!(seen, model.take(), "{at}");
                    if let Some(item) = got {
                        held.insert(*item, item);
                    }
                }
                6 => {
                    if let Some((key, item)) = held.pop_first() {
                        drop(item);
                        model.locked.remove(&key);
                    }
                }
                7 => advance(Duration::from_millis(random.below(400))).await,
                // Not at every step: `len` makes due keys ready, which other operations have to do
                // as well.
                _ => assert_eq!(queue.len(), model.len(), "{at}"),
            }
        }
    }
}

/// State that workers and producers check on their threads.
#[derive(Default)]
struct Watched {
    /// Expected priority of each queued key. Locked during every add and get, so that it matches
    /// the queue.
    queued: Mutex<BTreeMap<u64, i32>>,
    handed_out: Mutex<BTreeSet<u64>>,
}

/// The invariants of controller-runtime's `TestFuzzPriorityQueue`. Two workers never process the
/// same key. A key is queued once, with its highest priority. Depths are never negative, and no key
/// is stuck.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn fuzz_priority_queue() {
    for seed in seeds(3) {
        let recorder = Recorder::default();
        let builder = PriorityQueue::builder().metrics("test", Arc::new(recorder.clone()));
        let queue = builder.build_priority_queue();
        let watched = Arc::new(Watched::default());
        let mut producers = JoinSet::new();
        for producer in 0..10 {
            producers.spawn(produce(
                queue.clone(),
                Arc::clone(&watched),
                Random(seed * 10 + producer),
            ));
        }
        let mut workers = JoinSet::new();
        for _ in 0..16 {
            workers.spawn(work(queue.clone(), Arc::clone(&watched), seed));
        }
        producers.join_all().await;
        // Delays are at most 10 ms, and delayed keys are dropped at shutdown.
        while !watched.queued.lock().is_empty() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        queue.shutdown_with_drain().await;
        workers.join_all().await;
        let depths = recorder.by_last_label(&WORKQUEUE_DEPTH);
        assert!(
            depths.values().all(|&depth| depth == 0.0),
            "QUEUE_SEED={seed}: {depths:?}"
        );
    }
}

async fn produce(queue: PriorityQueue<u64>, watched: Arc<Watched>, mut random: Random) {
    for _ in 0..1000 {
        let (key, priority) = (random.below(200), random.below(40) as i32 - 20);
        let after = Duration::from_millis(random.below(2) * random.below(10));
        {
            let mut queued = watched.queued.lock();
            let opts = AddOpts {
                after,
                rate_limited: false,
                priority,
            };
            queue.add_with_opts(opts, [key]);
            let highest = queued.entry(key).or_insert(priority);
            *highest = priority.max(*highest);
        }
        tokio::task::yield_now().await;
    }
}

async fn work(queue: PriorityQueue<u64>, watched: Arc<Watched>, seed: u64) {
    loop {
        let mut get = task::spawn(queue.get());
        // Both under the lock, so that no key is added between the get and its check.
        let item = {
            let mut queued = watched.queued.lock();
            match get.poll() {
                std::task::Poll::Ready(Some(item)) => {
                    let expected = queued.remove(&item);
                    assert_eq!(
                        Some(item.priority()),
                        expected,
                        "QUEUE_SEED={seed}, key {}",
                        *item
                    );
                    Some(item)
                }
                std::task::Poll::Ready(None) => return,
                std::task::Poll::Pending => None,
            }
        };
        drop(get);
        if let Some(item) = item {
            assert!(
                watched.handed_out.lock().insert(*item),
                "QUEUE_SEED={seed}: {} twice",
                *item
            );
            tokio::task::yield_now().await;
            watched.handed_out.lock().remove(&*item);
        }
        tokio::task::yield_now().await;
    }
}
