//! The queue beside the simplest thing that does what client-go's does.

use std::collections::{HashSet, VecDeque};

use super::get;
use crate::workqueue::{Item, Queue};

/// client-go's `Typed`: the order of keys, and two sets.
#[derive(Default)]
struct Model {
    order: VecDeque<u64>,
    dirty: HashSet<u64>,
    processing: HashSet<u64>,
}

impl Model {
    fn add(&mut self, key: u64) {
        if self.dirty.insert(key) && !self.processing.contains(&key) {
            self.order.push_back(key);
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

/// Random operations on a queue: the number of keys, and of 100 steps how many add and how many
/// get. The others are `done`.
struct Load {
    keys: u64,
    add: u64,
    get: u64,
}

const LOADS: [Load; 5] = [
    load(3, 40, 30),
    load(100, 50, 25),
    load(100, 34, 33),
    load(5_000, 34, 33),
    load(20_000, 60, 20),
];

const fn load(keys: u64, add: u64, get: u64) -> Load {
    Load { keys, add, get }
}

#[test]
fn queue_is_its_model() {
    for (number, load) in LOADS.iter().enumerate() {
        let mut random = Random(number as u64 + 1);
        let (queue, mut model) = (Queue::new(), Model::default());
        let mut held = Vec::new();
        for step in 0..30_000 {
            act(load, &mut random, &queue, &mut model, &mut held);
            assert_eq!(queue.len(), model.order.len(), "load {number}, step {step}");
        }
    }
}

fn act(
    load: &Load,
    random: &mut Random,
    queue: &Queue<u64>,
    model: &mut Model,
    held: &mut Vec<Item<u64>>,
) {
    let step = random.below(100);
    if step < load.add {
        let key = random.below(load.keys);
        model.add(key);
        queue.add(key);
    } else if step < load.add + load.get {
        if let Some(expected) = model.get() {
            let item = get(queue);
            assert_eq!(*item, expected);
            held.push(item);
        }
    } else if !held.is_empty() {
        let item = held.swap_remove(random.below(held.len() as u64) as usize);
        model.done(*item);
    }
}
