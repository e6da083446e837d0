//! Throughput benchmark of the work queue: `queue <u64|string|object> <workers> <keys>` prints the
//! seconds that it took.
//!
//! One task adds keys, more of them than the queue holds at a time, so that some are added while
//! they are pending. The others dequeue them, forget their failures and mark them done.
//! `golang/main.go` beside this package does the same with client-go.

use std::hash::Hash;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use genclient::cache::ObjectName;
use genclient::workqueue::{ItemExponentialFailureRateLimiter, Queue};
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use tokio::task::{JoinSet, coop};

/// Number of different keys, which are added in turns.
const DIFFERENT: usize = 100_000;
/// The producer waits while more keys than this are queued. It checks after this number of adds.
const HIGH_WATER: usize = 50_000;

#[tokio::main]
async fn main() {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let [kind, workers, keys] = arguments.as_slice() else {
        usage()
    };
    let (Ok(workers), Ok(keys)) = (workers.parse(), keys.parse()) else {
        usage()
    };
    let took = match kind.as_str() {
        "u64" => measure((0..DIFFERENT as u64).collect(), u64::clone, workers, keys).await,
        "string" => {
            let names = (0..DIFFERENT).map(|number| format!("namespace/name-{number}"));
            measure(names.collect(), String::clone, workers, keys).await
        }
        "object" => {
            let objects = (0..DIFFERENT).map(|number| ConfigMap {
                metadata: ObjectMeta {
                    namespace: Some("namespace".to_owned()),
                    name: Some(format!("name-{number}")),
                    ..ObjectMeta::default()
                },
                ..ConfigMap::default()
            });
            let name = ObjectName::from_object::<ConfigMap>;
            measure(objects.collect(), name, workers, keys).await
        }
        _ => usage(),
    };
    println!("{}", took.as_secs_f64());
}

fn usage() -> ! {
    eprintln!("usage: queue <u64|string|object> <workers> <keys>");
    std::process::exit(2)
}

/// Measures adds and gets. `key` returns the key of a changed object, for each add.
async fn measure<O, T>(
    changed: Vec<O>,
    key: impl Fn(&O) -> T + Send + 'static,
    workers: usize,
    keys: usize,
) -> Duration
where
    O: Send + Sync + 'static,
    T: Eq + Hash + Clone + Send + 'static,
{
    let limiter =
        ItemExponentialFailureRateLimiter::new(Duration::from_millis(5), Duration::from_secs(1000));
    let queue = Queue::builder().rate_limiter(limiter).build();
    let taken = Arc::new(AtomicUsize::new(0));
    let start = Instant::now();
    let mut tasks = JoinSet::new();
    for _ in 0..workers {
        tasks.spawn(work(queue.clone(), Arc::clone(&taken), keys));
    }
    tasks.spawn(produce(queue, changed, key));
    tasks.join_all().await;
    start.elapsed()
}

/// Dequeues keys until `keys` of them were taken, then shuts the queue down.
async fn work<T: Eq + Hash + Clone + Send + 'static>(
    queue: Queue<T>,
    taken: Arc<AtomicUsize>,
    keys: usize,
) {
    while let Some(key) = queue.get().await {
        queue.forget(&key);
        drop(key);
        if taken.fetch_add(1, Ordering::Relaxed) + 1 == keys {
            queue.shutdown();
        }
    }
}

async fn produce<O, T: Eq + Hash + Clone + Send + 'static>(
    queue: Queue<T>,
    changed: Vec<O>,
    key: impl Fn(&O) -> T,
) {
    let mut added = 0;
    for object in changed.iter().cycle() {
        queue.add(key(object));
        added += 1;
        if added % HIGH_WATER == 0 {
            if queue.is_shutting_down() {
                return;
            }
            while queue.len() > HIGH_WATER {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        }
        coop::consume_budget().await;
    }
}
