//! What a queue measures of itself.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use hashbrown::HashMap;
use tokio::time::Instant;

use super::ready::Discipline;
use crate::metrics::{
    Counter, Gauge, Histogram, Provider, WORKQUEUE_ADDS, WORKQUEUE_DEPTH,
    WORKQUEUE_LONGEST_RUNNING_PROCESSOR, WORKQUEUE_QUEUE_DURATION, WORKQUEUE_RETRIES,
    WORKQUEUE_UNFINISHED_WORK, WORKQUEUE_WORK_DURATION,
};

/// How many priorities have a series of their own. Controllers use two; a program that makes them up must not make series
/// without end.
const PRIORITIES: usize = 25;
/// The label of all others.
const MORE_PRIORITIES: &str = "exceeded_cardinality_limit";

/// Measures a queue. Keys are named by their slots.
pub(super) struct QueueMeter {
    depth: Depth,
    adds: Arc<dyn Counter>,
    queue_duration: Arc<dyn Histogram>,
    work_duration: Arc<dyn Histogram>,
    unfinished_work: Arc<dyn Gauge>,
    longest_running_processor: Arc<dyn Gauge>,
    retries: Arc<dyn Counter>,
    /// When the keys that wait for a worker were added.
    added: HashMap<usize, Instant>,
    /// When the workers got the keys that they have.
    started: HashMap<usize, Instant>,
}

/// How many keys wait for a worker. Gauges are moved and never set, so that queues of one name add up.
enum Depth {
    Whole(Arc<dyn Gauge>),
    ByPriority {
        name: String,
        provider: Arc<dyn Provider>,
        gauges: BTreeMap<i32, Arc<dyn Gauge>>,
        others: Option<Arc<dyn Gauge>>,
    },
}

impl QueueMeter {
    /// A meter for the queue `name`.
    pub(super) fn new(name: &str, provider: Arc<dyn Provider>, discipline: Discipline) -> Self {
        let labels = &[name, name];
        Self {
            adds: provider.counter(&WORKQUEUE_ADDS, labels),
            queue_duration: provider.histogram(&WORKQUEUE_QUEUE_DURATION, labels),
            work_duration: provider.histogram(&WORKQUEUE_WORK_DURATION, labels),
            unfinished_work: provider.gauge(&WORKQUEUE_UNFINISHED_WORK, labels),
            longest_running_processor: provider.gauge(&WORKQUEUE_LONGEST_RUNNING_PROCESSOR, labels),
            retries: provider.counter(&WORKQUEUE_RETRIES, labels),
            depth: Depth::new(name, provider, discipline),
            added: HashMap::new(),
            started: HashMap::new(),
        }
    }

    pub(super) fn added(&mut self, slot: usize, priority: i32, at: Instant) {
        self.added.insert(slot, at);
        self.adds.inc();
        self.depth.change(priority, 1.0);
    }

    /// A key that waits for a worker has got another priority.
    pub(super) fn moved(&mut self, from: i32, to: i32) {
        self.depth.change(from, -1.0);
        self.depth.change(to, 1.0);
    }

    pub(super) fn taken(&mut self, slot: usize, priority: i32) {
        let now = Instant::now();
        self.started.insert(slot, now);
        if let Some(added) = self.added.remove(&slot) {
            self.depth.change(priority, -1.0);
            self.queue_duration.observe((now - added).as_secs_f64());
        }
    }

    pub(super) fn done(&mut self, slot: usize) {
        if let Some(started) = self.started.remove(&slot) {
            self.work_duration.observe(started.elapsed().as_secs_f64());
        }
    }

    pub(super) fn retried(&self) {
        self.retries.inc();
    }

    pub(super) fn report_unfinished_work(&self) {
        let now = Instant::now();
        let ages = || self.started.values().map(|&started| now - started);
        let sum: Duration = ages().sum();
        self.unfinished_work.set(sum.as_secs_f64());
        let longest = ages().max().unwrap_or_default();
        self.longest_running_processor.set(longest.as_secs_f64());
    }
}

impl Depth {
    fn new(name: &str, provider: Arc<dyn Provider>, discipline: Discipline) -> Self {
        match discipline {
            Discipline::Fifo => Self::Whole(provider.gauge(&WORKQUEUE_DEPTH, &[name, name, ""])),
            Discipline::Priority => Self::ByPriority {
                name: name.to_owned(),
                provider,
                gauges: BTreeMap::new(),
                others: None,
            },
        }
    }

    fn change(&mut self, priority: i32, keys: f64) {
        match self {
            Self::Whole(gauge) => gauge.add(keys),
            Self::ByPriority {
                name,
                provider,
                gauges,
                others,
            } => {
                let name = name.as_str();
                let gauge = |label: &str| provider.gauge(&WORKQUEUE_DEPTH, &[name, name, label]);
                let known = gauges.contains_key(&priority);
                if known || gauges.len() < PRIORITIES {
                    let of_priority = gauges.entry(priority);
                    of_priority
                        .or_insert_with(|| gauge(&priority.to_string()))
                        .add(keys);
                } else {
                    others
                        .get_or_insert_with(|| gauge(MORE_PRIORITIES))
                        .add(keys);
                }
            }
        }
    }
}
