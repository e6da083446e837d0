//! Benchmark of cache reads and writes with 1,000 to 100,000 objects:
//! `cargo bench -p genclient --bench cache`.
//!
//! Objects are spread over a hundred namespaces and a hundred values of an index, so a lookup by
//! namespace or index returns a hundredth of the objects. If a lookup visited the whole cache, it
//! would take a hundred times as long.

#![expect(clippy::unwrap_used, reason = "what is measured is known to be right")]

use std::sync::Arc;

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use genclient::cache::{Indexer, ObjectName, Store};
use k8s_openapi::api::core::v1::ConfigMap;

const SIZES: [usize; 3] = [1_000, 10_000, 100_000];
const PARTS: usize = 100;

fn main() {
    divan::main();
}

fn name(at: usize) -> ObjectName {
    ObjectName::new(format!("namespace-{}", at % PARTS), format!("object-{at}"))
}

fn objects(count: usize) -> Vec<Arc<ConfigMap>> {
    let objects = (0..count).map(|at| {
        let name = name(at);
        let mut object = ConfigMap::default();
        object.metadata.namespace = name.namespace().map(str::to_owned);
        object.metadata.name = Some(name.name().to_owned());
        object.metadata.labels = Some([("part".into(), format!("{}", at / PARTS % PARTS))].into());
        Arc::new(object)
    });
    objects.collect()
}

fn filled(count: usize) -> (Store<ConfigMap>, Indexer<ConfigMap>) {
    let mut store = Store::new();
    store.replace(None, objects(count));
    let cache = store.indexer();
    cache
        .add_indexer("part", |object: &ConfigMap| {
            object
                .metadata
                .labels
                .iter()
                .flatten()
                .map(|(_, value)| value.clone())
                .collect()
        })
        .unwrap();
    (store, cache)
}

/// Gets a thousand objects in an order that is unfavourable to memory caches.
#[divan::bench(args = SIZES)]
fn get_1000(bencher: Bencher<'_, '_>, size: usize) {
    let (_store, cache) = filled(size);
    let names: Vec<_> = (0..1_000).map(|at| name(at * 7_919 % size)).collect();
    bencher
        .counter(ItemsCount::new(names.len()))
        .bench_local(|| {
            for name in &names {
                black_box(cache.get(name).unwrap());
            }
        });
}

#[divan::bench(args = SIZES)]
fn list(bencher: Bencher<'_, '_>, size: usize) {
    let (_store, cache) = filled(size);
    let counter = ItemsCount::new(size);
    bencher.counter(counter).bench_local(|| cache.list());
}

#[divan::bench(args = SIZES)]
fn list_namespace(bencher: Bencher<'_, '_>, size: usize) {
    let (_store, cache) = filled(size);
    let counter = ItemsCount::new(size / PARTS);
    bencher
        .counter(counter)
        .bench_local(|| cache.list_namespace("namespace-7"));
}

#[divan::bench(args = SIZES)]
fn list_by_index(bencher: Bencher<'_, '_>, size: usize) {
    let (_store, cache) = filled(size);
    let found = cache.by_index("part", "7").unwrap().len();
    bencher
        .counter(ItemsCount::new(found))
        .bench_local(|| cache.by_index("part", "7").unwrap());
}

#[divan::bench(args = SIZES)]
fn upsert(bencher: Bencher<'_, '_>, size: usize) {
    let (mut store, _cache) = filled(size);
    let (objects, mut at) = (objects(size), 0);
    bencher.bench_local(move || {
        at = (at + 7_919) % size;
        store.upsert(Arc::clone(&objects[at]))
    });
}

#[divan::bench(args = SIZES)]
fn replace(bencher: Bencher<'_, '_>, size: usize) {
    let (mut store, _cache) = filled(size);
    let objects = objects(size);
    bencher
        .counter(ItemsCount::new(size))
        .with_inputs(|| objects.clone())
        .bench_local_values(|objects| store.replace(None, objects));
}
