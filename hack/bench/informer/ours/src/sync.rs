//! Measurements of this project's informer.

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use genclient::cache::IndexFunc;
use genclient::informer::{HandlerRegistration, Handlers, SharedInformer, SharedInformerFactory};
use genclient::kube::Client;
use genclient::kube::core::Expression;
use genclient::lister::Selector;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::foo::{Foo, name, namespace};
use crate::process::{cost, synced};
use crate::update::now;

const GETS: usize = 1_000_000;
const LISTS: usize = 20;

/// Syncs, then reads from the cache.
pub async fn reads(client: Client, is_streamed: bool) -> anyhow::Result<Value> {
    let start = Instant::now();
    let factory = SharedInformerFactory::builder(client)
        .watch_list(is_streamed)
        .build();
    let foos = factory.informer_for::<Foo>();
    let added = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&added);
    let handlers = Handlers::new().on_add(move |_, _| {
        counter.fetch_add(1, Ordering::Relaxed);
    });
    let registration = foos.add_handler(handlers)?;
    start_and_wait(&factory, &registration).await?;
    let mut measured = synced(added.load(Ordering::Relaxed), start.elapsed().as_secs_f64())?;
    measured["get"] = time(GETS, get(&foos)).into();
    measured["label"] = time(LISTS, by_label(&foos)).into();
    measured["namespace"] = time(LISTS, by_namespace(&foos)).into();
    foos.add_indexers([("shard".to_owned(), Arc::new(shard) as IndexFunc<Foo>)])?;
    measured["index"] = time(LISTS, by_index(&foos)).into();
    Ok(measured)
}

/// Syncs, then records the time at which each update reached the handler.
pub async fn watch(client: Client, updates: usize) -> anyhow::Result<Value> {
    let factory = SharedInformerFactory::builder(client).build();
    let (sender, mut seen) = mpsc::unbounded_channel();
    let handlers = Handlers::new().on_update(move |_, new: Arc<Foo>| {
        let version = new.metadata.resource_version.clone();
        let _ = sender.send((version, now().unwrap_or_default()));
    });
    let registration = factory.informer_for::<Foo>().add_handler(handlers)?;
    start_and_wait(&factory, &registration).await?;
    println!("synced");
    let (before, _) = cost()?;
    let mut noted = Vec::with_capacity(updates);
    while noted.len() < updates {
        noted.extend(seen.recv().await);
    }
    let (after, _) = cost()?;
    Ok(json!({ "cpu": after - before, "seen": noted }))
}

async fn start_and_wait(
    factory: &SharedInformerFactory,
    registration: &HandlerRegistration,
) -> anyhow::Result<()> {
    factory.start();
    factory.wait_for_cache_sync().await?;
    registration.synced().await?;
    Ok(())
}

/// Returns the seconds that one of this number of calls takes.
fn time<T>(times: usize, mut read: impl FnMut() -> T) -> f64 {
    let start = Instant::now();
    for _ in 0..times {
        black_box(read());
    }
    start.elapsed().as_secs_f64() / times as f64
}

fn get(foos: &SharedInformer<Foo>) -> impl FnMut() -> Option<Arc<Foo>> {
    let lister = foos.lister().namespace(&namespace(123));
    let name = name(123);
    move || lister.get(black_box(&name))
}

fn by_label(foos: &SharedInformer<Foo>) -> impl FnMut() -> Vec<Arc<Foo>> {
    let lister = foos.lister();
    let selector = Selector::from_iter([Expression::Equal("shard".into(), "3".into())]);
    move || lister.list(&selector)
}

fn by_namespace(foos: &SharedInformer<Foo>) -> impl FnMut() -> Vec<Arc<Foo>> {
    let lister = foos.lister().namespace(&namespace(123));
    move || lister.list(&Selector::default())
}

fn by_index(foos: &SharedInformer<Foo>) -> impl FnMut() -> Vec<Arc<Foo>> {
    let indexer = foos.indexer();
    move || indexer.by_index("shard", "3").unwrap_or_default()
}

fn shard(object: &Foo) -> Vec<String> {
    let labels = object.metadata.labels.as_ref();
    labels
        .and_then(|labels| labels.get("shard"))
        .into_iter()
        .cloned()
        .collect()
}
