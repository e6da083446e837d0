//! What a handler is told, and whether it makes sense: each object is added, updated any number of times, and deleted.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use genclient::informer::{Deleted, Event, EventHandler};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::ResourceExt;

/// How many deleted objects are remembered. All of them would be memory that grows with time, which some tests look at.
const REMEMBERED: usize = 1000;

/// A handler that checks every event against those before. Clones tell one story.
#[derive(Clone, Default)]
pub(crate) struct Story {
    told: Arc<Mutex<Told>>,
}

#[derive(Default)]
struct Told {
    /// Uid and latest version of what is there, by name.
    present: BTreeMap<String, (String, u64)>,
    /// The uids of what was deleted last.
    gone: VecDeque<String>,
    wrong: Vec<String>,
    events: usize,
    /// Every version that was told as the latest one, for a story that keeps a log.
    log: Option<Vec<u64>>,
    deletions: usize,
}

impl Story {
    /// A story that remembers every version.
    pub(crate) fn with_log() -> Self {
        let story = Self::default();
        story.told().log = Some(Vec::new());
        story
    }

    /// Name and version of all there is, as it was told.
    pub(crate) fn present(&self) -> BTreeMap<String, String> {
        let told = self.told();
        let present = told.present.iter();
        present
            .map(|(name, (_, version))| (name.clone(), version.to_string()))
            .collect()
    }

    /// What was told that cannot be.
    pub(crate) fn wrong(&self) -> Vec<String> {
        self.told().wrong.clone()
    }

    pub(crate) fn events(&self) -> usize {
        self.told().events
    }

    /// The versions of all additions and updates, in order, and how many deletions there were.
    pub(crate) fn log(&self) -> (Vec<u64>, usize) {
        let told = self.told();
        (told.log.clone().unwrap_or_default(), told.deletions)
    }

    /// What a subscriber was sent.
    pub(crate) fn hear(&self, event: Event<ConfigMap>) {
        match event {
            Event::Added { object, is_initial } => self.on_add(object, is_initial),
            Event::Updated { old, new } => self.on_update(old, new),
            Event::Deleted(deleted) => self.on_delete(deleted),
        }
    }

    fn told(&self) -> MutexGuard<'_, Told> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Told {
    fn add(&mut self, map: &ConfigMap) {
        let (name, uid, version) = (map.name_any(), uid(map), version(map));
        self.log.iter_mut().for_each(|log| log.push(version));
        if self.gone.contains(&uid) {
            self.wrong.push(format!("{name} added again as {uid}"));
        }
        if let Some(other) = self.present.insert(name.clone(), (uid, version)) {
            self.wrong.push(format!("{name} added beside {other:?}"));
        }
    }

    fn update(&mut self, map: &ConfigMap) {
        let (name, uid, version) = (map.name_any(), uid(map), version(map));
        self.log.iter_mut().for_each(|log| log.push(version));
        match self.present.get_mut(&name) {
            Some((known, before)) if *known == uid && *before < version => *before = version,
            before => self.wrong.push(format!(
                "{name} updated to {version} of {uid} from {before:?}"
            )),
        }
    }

    fn delete(&mut self, name: &str, uid: Option<String>) {
        self.deletions += 1;
        let known = self.present.remove(name).map(|(uid, _)| uid);
        if known.is_none() || known != uid {
            self.wrong
                .push(format!("{name} deleted as {uid:?}, known as {known:?}"));
        }
        self.gone.extend(known);
        if self.gone.len() > REMEMBERED {
            self.gone.pop_front();
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
        told.delete(map.name().name(), uid);
    }
}

fn uid(map: &ConfigMap) -> String {
    map.uid().unwrap_or_default()
}

fn version(map: &ConfigMap) -> u64 {
    let version = map.resource_version().unwrap_or_default();
    version.parse().unwrap_or_default()
}
