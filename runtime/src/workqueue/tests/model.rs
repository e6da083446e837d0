//! Model test: executes random operations on the queue and on a model of client-go's queue.

use std::collections::{HashSet, VecDeque};
use std::time::Duration;

use tokio::time::{Instant, advance};

use super::get;
use crate::workqueue::{Item, Queue};

/// client-go's `Typed` (a list and two sets) with its `waitingLoop`.
#[derive(Default)]
struct Model {
    order: VecDeque<u64>,
    dirty: HashSet<u64>,
    processing: HashSet<u64>,
    /// Keys with their due times, in the order in which they were added.
    delayed: Vec<(Instant, u64)>,
}

impl Model {
    fn add(&mut self, key: u64) {
        if self.dirty.insert(key) && !self.processing.contains(&key) {
            self.order.push_back(key);
        }
    }

    fn add_after(&mut self, key: u64, due: Instant) {
        let known = self.delayed.iter().position(|&(_, known)| known == key);
        match known {
            Some(at) if self.delayed[at].0 <= due => return,
            Some(at) => drop(self.delayed.remove(at)),
            None => {}
        }
        self.delayed.push((due, key));
    }

    fn advance(&mut self, now: Instant) {
        self.delayed.sort_by_key(|&(due, _)| due);
        let due = self.delayed.partition_point(|&(due, _)| due <= now);
        for (_, key) in self.delayed.drain(..due).collect::<Vec<_>>() {
            self.add(key);
        }
    }

    fn get(&mut self) -> Option<u64> {
        let key = self.order.pop_front()?;
        self.dirty.remove(&key);
        self.processing.insert(key);
        Some(key)
    }

    fn done(&mut self, key: u64) {
        self.processing.remove(&key);
        if self.dirty.contains(&key) {
            self.order.push_back(key);
        }
    }
}

/// Marsaglia's xorshift.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

/// Mix of random operations: the number of keys, and the percentages of steps that add a key, add a
/// key with a delay, advance the clock, or get a key. The remaining steps are `done`.
struct Load {
    keys: u64,
    add: u64,
    delay: u64,
    wait: u64,
    get: u64,
}

const LOADS: [Load; 6] = [
    load(3, [40, 0, 0, 30]),
    load(3, [20, 20, 5, 30]),
    load(100, [50, 0, 0, 25]),
    load(100, [17, 17, 5, 31]),
    load(5_000, [34, 1, 1, 33]),
    load(20_000, [60, 0, 0, 20]),
];

const fn load(keys: u64, [add, delay, wait, get]: [u64; 4]) -> Load {
    Load {
        keys,
        add,
        delay,
        wait,
        get,
    }
}

#[tokio::test(start_paused = true)]
async fn queue_matches_its_model() {
    for (number, load) in LOADS.iter().enumerate() {
        let mut random = Random(number as u64 + 1);
        let (queue, mut model) = (Queue::new(), Model::default());
        let mut held = Vec::new();
        for step in 0..30_000 {
            act(load, &mut random, &queue, &mut model, &mut held).await;
            // Not at every step: `len` makes due keys ready, which other operations have to do as
            // well.
            if step % 100 == 0 {
                assert_eq!(queue.len(), model.order.len(), "load {number}, step {step}");
            }
        }
    }
}

async fn act(
    load: &Load,
    random: &mut Random,
    queue: &Queue<u64>,
    model: &mut Model,
    held: &mut Vec<Item<u64>>,
) {
    let (step, key) = (random.below(100), random.below(load.keys));
    let delaying = load.add + load.delay;
    let waiting = delaying + load.wait;
    if step < load.add {
        model.add(key);
        queue.add(key);
    } else if step < delaying {
        let delay = Duration::from_millis(random.below(50) + 1);
        model.add_after(key, Instant::now() + delay);
        queue.add_after(key, delay);
    } else if step < waiting {
        advance(Duration::from_millis(random.below(10))).await;
        model.advance(Instant::now());
    } else if step < waiting + load.get {
        if let Some(expected) = model.get() {
            // Without a cooperative budget, which this number of gets would exceed.
            let item = tokio::task::unconstrained(async { get(queue) }).await;
            assert_eq!(*item, expected);
            held.push(item);
        }
    } else if !held.is_empty() {
        let item = held.swap_remove(random.below(held.len() as u64) as usize);
        model.done(*item);
    }
}
