//! What a queue reports about itself, for whatever collects metrics.

use std::sync::Arc;
use std::time::Duration;

use hashbrown::HashMap;
use tokio::time::Instant;

/// Receives the measurements of one queue: client-go's workqueue metrics.
///
/// Every method does nothing by default. They are called while the queue is locked: they have to be quick and must not
/// call the queue. The names in Prometheus that Kubernetes' dashboards expect stand beside each; histograms there have the
/// buckets 10 ns × 10ⁿ for n from 0 to 11.
///
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicU64, Ordering};
///
/// use genclient::workqueue::{Metrics, Queue};
///
/// #[derive(Default)]
/// struct Adds(AtomicU64);
///
/// impl Metrics for Adds {
///     fn add(&self) {
///         self.0.fetch_add(1, Ordering::Relaxed);
///     }
/// }
///
/// let adds = Arc::new(Adds::default());
/// let queue = Queue::builder().metrics(adds.clone()).build();
/// queue.add("default/train");
/// queue.add("default/train");
/// assert_eq!(adds.0.load(Ordering::Relaxed), 1);
/// ```
pub trait Metrics: Send + Sync {
    /// The number of keys that wait for a worker, after a change: gauge `workqueue_depth`.
    ///
    /// A key that was added again while a worker has it counts; a key that waits for its time does not.
    fn depth(&self, _keys: usize) {}

    /// A key was added that was not waiting yet: counter `workqueue_adds_total`.
    fn add(&self) {}

    /// How long a key waited for a worker: histogram `workqueue_queue_duration_seconds`.
    fn queue_duration(&self, _waited: Duration) {}

    /// How long a worker had a key: histogram `workqueue_work_duration_seconds`.
    fn work_duration(&self, _worked: Duration) {}

    /// How long the workers have had the keys that they have now, summed up: gauge `workqueue_unfinished_work_seconds`.
    ///
    /// Reported every 500 ms until shutdown. A sum that grows steadily means stuck workers, and its slope how many.
    fn unfinished_work(&self, _sum: Duration) {}

    /// The longest of these times: gauge `workqueue_longest_running_processor_seconds`. Reported every 500 ms.
    fn longest_running_processor(&self, _longest: Duration) {}

    /// A key was added with a delay or a rate limit: counter `workqueue_retries_total`.
    fn retry(&self) {}
}

/// Measures a queue for its [`Metrics`]. Keys are named by their slots.
pub(super) struct Meter {
    metrics: Arc<dyn Metrics>,
    /// When the keys that wait for a worker were added.
    added: HashMap<usize, Instant>,
    /// When the workers got the keys that they have.
    started: HashMap<usize, Instant>,
}

impl Meter {
    pub(super) fn new(metrics: Arc<dyn Metrics>) -> Self {
        Self {
            metrics,
            added: HashMap::new(),
            started: HashMap::new(),
        }
    }

    pub(super) fn added(&mut self, slot: usize, at: Instant) {
        self.added.insert(slot, at);
        self.metrics.add();
        self.metrics.depth(self.added.len());
    }

    pub(super) fn taken(&mut self, slot: usize) {
        let now = Instant::now();
        self.started.insert(slot, now);
        if let Some(added) = self.added.remove(&slot) {
            self.metrics.depth(self.added.len());
            self.metrics.queue_duration(now - added);
        }
    }

    pub(super) fn done(&mut self, slot: usize) {
        if let Some(started) = self.started.remove(&slot) {
            self.metrics.work_duration(started.elapsed());
        }
    }

    pub(super) fn retried(&self) {
        self.metrics.retry();
    }

    pub(super) fn report_unfinished_work(&self) {
        let now = Instant::now();
        let ages = || self.started.values().map(|&started| now - started);
        self.metrics.unfinished_work(ages().sum());
        self.metrics
            .longest_running_processor(ages().max().unwrap_or_default());
    }
}
