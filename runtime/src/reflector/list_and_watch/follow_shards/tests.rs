//! Gains of a reflector, with random histories of objects whose owners change.

use std::collections::BTreeMap;
use std::sync::Arc;

use http::{Request, Response};
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::Client;
use kube::client::Body;
use parking_lot::Mutex;
use proptest::prelude::*;

use super::*;
use crate::cache::ObjectName;
use crate::informer::InformerStore;
use crate::reflector::shards::ReflectedShards;
use crate::reflector::{Outage, ReflectorOptions};
use crate::sharding::{HashRanges, ShardBy, ShardKey, Shards};

#[derive(Clone)]
struct TestStore(Arc<Mutex<InformerStore<ConfigMap>>>);

impl ReflectorStore<ConfigMap> for TestStore {
    fn replace(&self, listed: Listed<ConfigMap>) {
        drop(self.0.lock().replace(0, listed));
    }

    fn retain(&self, filter: &ShardFilter) {
        self.0.lock().retain(0, filter);
    }

    fn extend(&self, listed: Listed<ConfigMap>) {
        drop(self.0.lock().extend(0, listed));
    }

    fn handle_event(&self, event: WatchEvent<ConfigMap>, resource_version: &str) {
        drop(self.0.lock().apply(0, event, resource_version));
    }

    fn failed(&self, _: ListWatchError) {}

    fn streaming_failed(&self, _: ListWatchError) {}

    fn answered(&self) {}

    fn cached(&self, namespace: &str, name: &str) -> Option<Arc<ConfigMap>> {
        let name = ObjectName::new(namespace, name);
        self.0.lock().indexer().get(&name)
    }
}

/// Owners whose objects the replica has from the start, gets, and never has.
const OWNERS: [&str; 3] = ["kept", "gained", "other"];

fn ranges(owners: &[&str]) -> HashRanges {
    let hash = |owner: &&str| ShardBy::Name.hash("default", owner);
    owners.iter().map(hash).map(|it| it..=it).collect()
}

/// Change of an object: its number, and its next owner. `None` deletes it.
type Change = (usize, Option<Option<&'static str>>);

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let owner = prop_oneof![
        1 => Just(None),
        2 => Just(Some(None)),
        6 => proptest::sample::select(&OWNERS[..]).prop_map(|owner| Some(Some(owner))),
    ];
    proptest::collection::vec((0..3_usize, owner), 1..16)
}

/// Returns the resource version after this number of changes. `0` would mean any version.
fn resource_version(version: usize) -> String {
    (100 + version).to_string()
}

fn object(number: usize, owner: Option<&str>, version: usize) -> Arc<ConfigMap> {
    let mut map = ConfigMap::default();
    map.metadata.name = Some(format!("map-{number}"));
    map.metadata.namespace = Some("default".to_owned());
    map.metadata.resource_version = Some(resource_version(version));
    map.metadata.owner_references = owner.map(|owner| {
        vec![OwnerReference {
            api_version: "v1".to_owned(),
            kind: "Secret".to_owned(),
            name: owner.to_owned(),
            controller: Some(true),
            ..OwnerReference::default()
        }]
    });
    Arc::new(map)
}

/// Returns the objects at a version. The first change has version 1.
fn state_at(history: &[Change], version: usize) -> BTreeMap<usize, Arc<ConfigMap>> {
    let mut objects = BTreeMap::new();
    for (index, (number, owner)) in history.iter().take(version).enumerate() {
        match owner {
            Some(owner) => objects.insert(*number, object(*number, *owner, index + 1)),
            None => objects.remove(number),
        };
    }
    objects
}

/// Returns the event of a change as a watch of all objects sends it, filtered.
fn event(
    history: &[Change],
    version: usize,
    filter: &ShardFilter,
) -> Option<WatchEvent<ConfigMap>> {
    let (number, owner) = history[version - 1];
    let before = state_at(history, version - 1);
    let old = before.get(&number);
    let (object, is_deleted) = match (owner, old) {
        (Some(owner), _) => (object(number, owner, version), false),
        (None, Some(old)) => {
            let mut last = (**old).clone();
            last.metadata.resource_version = Some(resource_version(version));
            (Arc::new(last), true)
        }
        (None, None) => return None,
    };
    Some(if !filter.includes(&object.metadata) {
        WatchEvent::Outside {
            name: ObjectName::from_object(&*object),
            resource_version: resource_version(version),
            is_added: old.is_none(),
        }
    } else if is_deleted {
        WatchEvent::Deleted(object)
    } else if old.is_none() {
        WatchEvent::Added(object)
    } else {
        WatchEvent::Modified(object)
    })
}

fn reflector() -> Reflector<ConfigMap, TestStore> {
    let service = tower::service_fn(|_: Request<Body>| {
        std::future::pending::<Result<Response<Body>, std::convert::Infallible>>()
    });
    let store = TestStore(Arc::new(Mutex::new(InformerStore::new(&[None]))));
    let key = ShardKey::controller("", "Secret", false);
    let cache = Shards::of_nobody(ShardBy::Name).add_cache();
    let mut reflector = Reflector::new(
        Client::new(service, "default"),
        (),
        None,
        ReflectorOptions::default(),
        None,
        Arc::new(Outage::default()),
        store,
    )
    .limited(Some(ReflectedShards::new(cache, key)));
    let shards = reflector.shards.as_mut().unwrap();
    shards.filter.ranges = ranges(&["kept"]);
    reflector.version = resource_version(0);
    reflector
}

fn filter(reflector: &Reflector<ConfigMap, TestStore>) -> ShardFilter {
    reflector.shards.as_ref().unwrap().filter.clone()
}

proptest! {
    #[test]
    fn caches_are_right_after_a_gain(
        history in changes(), reached in 0..16_usize, listed_at in 0..16_usize,
    ) {
        let last = history.len();
        let (reached, listed_at) = (reached.min(last), listed_at.min(last));
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let _entered = runtime.enter();
        let mut reflector = reflector();
        for version in 1..=reached {
            if let Some(event) = event(&history, version, &filter(&reflector)) {
                reflector.handle_event(event, false);
            }
            reflector.version = resource_version(version);
        }
        let gained = filter(&reflector).with_ranges(ranges(&["gained"]));
        let objects = state_at(&history, listed_at).into_values();
        let listed = Listed {
            objects: objects.filter(|it| gained.includes(&it.metadata)).collect(),
            ..Listed::empty(resource_version(listed_at))
        };
        let gain = ListedGain { ranges: gained.ranges, since: String::new(), listed };
        reflector.add_gained(gain).unwrap();
        for version in reached.min(listed_at) + 1..=last {
            if let Some(event) = event(&history, version, &filter(&reflector)) {
                reflector.handle_event(event, false);
            }
        }

        let state = |objects: Vec<Arc<ConfigMap>>| -> BTreeMap<_, _> {
            let metadata = objects.iter().map(|it| it.metadata.clone());
            metadata.map(|it| (it.name, it.resource_version)).collect()
        };
        let shown = reflector.complete_up_to();
        prop_assert!(!is_older(shown, &resource_version(reached)), "{}", shown);
        let is_held = |object: &Arc<ConfigMap>| filter(&reflector).includes(&object.metadata);
        let expected = state_at(&history, last).into_values().filter(is_held).collect();
        let cached = reflector.store.0.lock().indexer().list();
        prop_assert_eq!(state(cached), state(expected), "reached {}, listed at {}", reached, listed_at);
    }
}
