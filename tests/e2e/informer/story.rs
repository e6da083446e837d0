//! What a handler is told, and whether it makes sense: each object is added, updated any number of times, and deleted.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use genclient::informer::{Deleted, EventHandler};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::ResourceExt;

/// A handler that checks every event against those before. Clones tell one story.
#[derive(Clone, Default)]
pub(crate) struct Story {
    told: Arc<Mutex<Told>>,
}

#[derive(Default)]
struct Told {
    /// By uid: the version that was told last, `None` after its deletion.
    objects: BTreeMap<String, Option<u64>>,
    /// Name and uid of what is there.
    present: BTreeMap<String, String>,
    wrong: Vec<String>,
    events: usize,
}

impl Story {
    /// Name and version of all there is, as it was told.
    ///
    /// # Panics
    ///
    /// If something was told that cannot be.
    pub(crate) fn present(&self) -> BTreeMap<String, String> {
        let told = self.told();
        assert!(told.wrong.is_empty(), "{:#?}", told.wrong);
        let version =
            |uid: &String| told.objects[uid].map_or_else(String::new, |it| it.to_string());
        let present = told.present.iter();
        present
            .map(|(name, uid)| (name.clone(), version(uid)))
            .collect()
    }

    pub(crate) fn events(&self) -> usize {
        self.told().events
    }

    fn told(&self) -> MutexGuard<'_, Told> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Told {
    fn add(&mut self, map: &ConfigMap) {
        let (uid, version) = (uid(map), version(map));
        if self.objects.insert(uid.clone(), Some(version)).is_some() {
            self.wrong.push(format!("{} added twice", map.name_any()));
        }
        if let Some(other) = self.present.insert(map.name_any(), uid) {
            self.wrong
                .push(format!("{} added beside {other}", map.name_any()));
        }
    }

    fn update(&mut self, map: &ConfigMap) {
        let (name, version) = (map.name_any(), version(map));
        match self.objects.get_mut(&uid(map)) {
            Some(Some(before)) if *before < version => *before = version,
            before => self
                .wrong
                .push(format!("{name} updated to {version} from {before:?}")),
        }
    }

    fn delete(&mut self, name: &str, uid: Option<String>) {
        let known = self.present.remove(name);
        if known.is_none() || known != uid {
            self.wrong
                .push(format!("{name} deleted as {uid:?}, known as {known:?}"));
        }
        if let Some(uid) = known {
            self.objects.insert(uid, None);
        }
    }
}

impl EventHandler<ConfigMap> for Story {
    fn on_add(&self, map: Arc<ConfigMap>, _is_initial: bool) {
        let mut told = self.told();
        told.events += 1;
        told.add(&map);
    }

    fn on_update(&self, old: Arc<ConfigMap>, new: Arc<ConfigMap>) {
        let mut told = self.told();
        told.events += 1;
        if uid(&old) == uid(&new) {
            told.update(&new);
        } else {
            // As in client-go: deleted and made anew while nobody looked, which is one change of what has that name.
            told.delete(&old.name_any(), Some(uid(&old)));
            told.add(&new);
        }
    }

    fn on_delete(&self, map: Deleted<ConfigMap>) {
        let mut told = self.told();
        told.events += 1;
        let uid = map.object().map(|map| uid(map));
        told.delete(&map.name().name, uid);
    }
}

fn uid(map: &ConfigMap) -> String {
    map.uid().unwrap_or_default()
}

fn version(map: &ConfigMap) -> u64 {
    let version = map.resource_version().unwrap_or_default();
    version.parse().unwrap_or_default()
}
