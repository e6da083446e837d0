//! Metrics of a work queue.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use hashbrown::HashMap;
use tokio::time::Instant;

use super::order::Discipline;
use crate::metrics::{
    Counter, Gauge, Histogram, Provider, WORKQUEUE_ADDS, WORKQUEUE_DEPTH,
    WORKQUEUE_LONGEST_RUNNING_PROCESSOR, WORKQUEUE_QUEUE_DURATION, WORKQUEUE_RETRIES,
    WORKQUEUE_UNFINISHED_WORK, WORKQUEUE_WORK_DURATION,
};

/// Maximum number of priorities with a time series of their own. Controllers use two; the limit is
/// for programs that use many.
const PRIORITIES: usize = 25;
/// Value of the label `priority` for all further priorities.
const MORE_PRIORITIES: &str = "exceeded_cardinality_limit";

/// Metrics of one queue. A key is identified by the index of its slot in
/// [`QueueState`](super::state::QueueState).
pub(super) struct QueueMetrics {
    name: String,
    provider: Arc<dyn Provider>,
    depth: Depth,
    adds: Arc<dyn Counter>,
    queue_duration: Arc<dyn Histogram>,
    work_duration: Arc<dyn Histogram>,
    unfinished_work: Arc<dyn Gauge>,
    longest_running_processor: Arc<dyn Gauge>,
    retries: Arc<dyn Counter>,
    /// Time at which each waiting key was added, by slot.
    added: HashMap<usize, Instant>,
    /// Time at which each key in processing was handed out, by slot.
    started: HashMap<usize, Instant>,
}

/// Gauges of the number of waiting keys, by priority. They are increased and decreased but never
/// set, so that a gauge shows the sum of all queues of the same name.
struct Depth(BTreeMap<Series, Arc<dyn Gauge>>);

/// A priority, or `None` for all priorities beyond the first [`PRIORITIES`].
type Series = Option<i32>;

/// Description of a gauge to create. The caller creates the gauge without the queue's lock, because
/// the provider is user code.
pub(super) struct MissingGauge {
    priority: i32,
    series: Series,
    name: String,
    provider: Arc<dyn Provider>,
}

impl QueueMetrics {
    /// Returns the metrics of the queue `name`, with the gauge of priority 0.
    pub(super) fn new(name: String, provider: Arc<dyn Provider>, discipline: Discipline) -> Self {
        let labels: &[&str] = &[&name, &name];
        let label = match discipline {
            Discipline::Fifo => "",
            Discipline::Priority => "0",
        };
        let depth = provider.gauge(&WORKQUEUE_DEPTH, &[&name, &name, label]);
        Self {
            depth: Depth(BTreeMap::from([(Some(0), depth)])),
            adds: provider.counter(&WORKQUEUE_ADDS, labels),
            queue_duration: provider.histogram(&WORKQUEUE_QUEUE_DURATION, labels),
            work_duration: provider.histogram(&WORKQUEUE_WORK_DURATION, labels),
            unfinished_work: provider.gauge(&WORKQUEUE_UNFINISHED_WORK, labels),
            longest_running_processor: provider.gauge(&WORKQUEUE_LONGEST_RUNNING_PROCESSOR, labels),
            retries: provider.counter(&WORKQUEUE_RETRIES, labels),
            added: HashMap::new(),
            started: HashMap::new(),
            name,
            provider,
        }
    }

    /// Returns the gauge to be created before a key gets this priority, or `None` if it exists.
    pub(super) fn missing(&self, priority: i32) -> Option<MissingGauge> {
        let series = self.depth.series(priority);
        (!self.depth.0.contains_key(&series)).then(|| MissingGauge {
            priority,
            series,
            name: self.name.clone(),
            provider: Arc::clone(&self.provider),
        })
    }

    pub(super) fn insert(&mut self, missing: &MissingGauge, gauge: Arc<dyn Gauge>) {
        // Since the call of `missing()`, another thread may have reached the limit of `PRIORITIES`.
        // This gauge is then dropped, and the caller calls `missing()` again.
        if self.depth.series(missing.priority) == missing.series {
            self.depth.0.entry(missing.series).or_insert(gauge);
        }
    }

    pub(super) fn added(&mut self, slot: usize, priority: i32, at: Instant) {
        self.added.insert(slot, at);
        self.adds.inc();
        self.depth.change(priority, 1.0);
    }

    /// Records that the priority of a waiting key has changed.
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
    fn series(&self, priority: i32) -> Series {
        let has_own = self.0.contains_key(&Some(priority)) || self.0.len() < PRIORITIES;
        has_own.then_some(priority)
    }

    fn change(&self, priority: i32, keys: f64) {
        if let Some(gauge) = self.0.get(&self.series(priority)) {
            gauge.add(keys);
        }
    }
}

impl MissingGauge {
    pub(super) fn make(&self) -> Arc<dyn Gauge> {
        let label = self.series.map(|priority| priority.to_string());
        let label = label.as_deref().unwrap_or(MORE_PRIORITIES);
        self.provider
            .gauge(&WORKQUEUE_DEPTH, &[&self.name, &self.name, label])
    }
}
