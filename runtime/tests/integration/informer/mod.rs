//! Tests of informers on a paused clock: with scripted responses, and through outages of an API
//! server.

mod dialogue;
mod enqueue;
mod factory;
mod fallback;
mod handlers;
mod lifecycle;
mod lists;
mod loopback;
mod metadata;
mod metrics;
mod model;
mod namespaces;
mod own_writes;
mod pages;
mod patience;
mod queue;
mod recovery;
mod reentrancy;
mod reflector;
mod relists;
mod restores;
mod resyncs;
pub(crate) mod scripted;
mod shared_informer;
mod skipped;
mod stopped;
mod subscriptions;
mod sync;
mod watch_list;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use genclient::cache::{Indexer, ObjectName};
use genclient::informer::{
    Deleted, Event, EventHandler, SharedInformer, SharedInformerFactory,
    SharedInformerFactoryBuilder,
};
use k8s_openapi::api::core::v1::ConfigMap;

use scripted::Api;

/// Returns a factory over `api`, and its informer of ConfigMaps.
fn informer(api: &Api) -> (SharedInformerFactory, SharedInformer<ConfigMap>) {
    informer_with(api, |builder| builder)
}

fn informer_with(
    api: &Api,
    options: impl FnOnce(SharedInformerFactoryBuilder) -> SharedInformerFactoryBuilder,
) -> (SharedInformerFactory, SharedInformer<ConfigMap>) {
    let factory = options(SharedInformerFactory::builder(api.client())).build();
    let informer = factory.informer_for::<ConfigMap>();
    (factory, informer)
}

/// Returns the cached objects, sorted: `namespace/name@resourceVersion`.
fn cached(informer: &SharedInformer<ConfigMap>) -> Vec<String> {
    listed(&informer.indexer())
}

fn listed(cache: &Indexer<ConfigMap>) -> Vec<String> {
    let objects = cache.list();
    let mut listed: Vec<_> = objects.iter().map(|object| describe(object)).collect();
    listed.sort();
    listed
}

fn describe(object: &ConfigMap) -> String {
    format!("{}@{}", ObjectName::from_object(object), version(object))
}

fn version(object: &ConfigMap) -> &str {
    object.metadata.resource_version.as_deref().unwrap()
}

/// Returns an event of a subscription as its type and the new or last state of the object.
fn short(event: Event<ConfigMap>) -> (&'static str, Arc<ConfigMap>) {
    match event {
        Event::Added { object, .. } => ("add", object),
        Event::Updated { new, .. } => ("update", new),
        Event::Deleted(deleted) => {
            let verb = if deleted.is_final() { "delete" } else { "lose" };
            (verb, Arc::clone(deleted.object().unwrap()))
        }
    }
}

/// A handler that records its notifications. Clones write to the same list.
#[derive(Clone, Default)]
struct Recorder {
    told: Arc<Mutex<Vec<String>>>,
}

impl Recorder {
    /// Returns the notifications since the last call.
    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.told.lock().unwrap())
    }

    fn len(&self) -> usize {
        self.told.lock().unwrap().len()
    }

    fn write(&self, told: String) {
        self.told.lock().unwrap().push(told);
    }
}

impl EventHandler<ConfigMap> for Recorder {
    fn on_add(&self, object: Arc<ConfigMap>, is_initial: bool) {
        let initial = if is_initial { " initial" } else { "" };
        self.write(format!("add {}{initial}", describe(&object)));
    }

    fn on_update(&self, old: Arc<ConfigMap>, new: Arc<ConfigMap>) {
        self.write(format!("update {} from {}", describe(&new), version(&old)));
    }

    fn on_delete(&self, object: Deleted<ConfigMap>) {
        let last = object
            .object()
            .map(|last| version(last).to_owned())
            .unwrap_or_else(|| "never".to_owned());
        let how = if object.is_final() {
            "at"
        } else {
            "last seen at"
        };
        self.write(format!("delete {} {how} {last}", object.name()));
    }
}

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}
