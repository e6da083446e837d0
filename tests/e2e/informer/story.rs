//! Handler that checks the consistency of its events: each object is added, updated any number of
//! times, and deleted.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use genclient::informer::{Event, EventHandler};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::ResourceExt;

/// Number of deleted objects that are remembered. All of them would be memory that grows over time,
/// which some tests measure.
const REMEMBERED: usize = 1000;

/// A handler that checks every event against the earlier ones. Clones share one story.
#[derive(Clone, Default)]
pub(crate) struct Story {
    told: Arc<Mutex<Told>>,
}

#[derive(Default)]
struct Told {
    /// Uid and latest version of existing objects, by name.
    present: BTreeMap<String, (String, u64)>,
    /// The uids of the objects that were deleted last.
    gone: VecDeque<String>,
    wrong: Vec<String>,
    events: usize,
    /// Every version that was reported as the latest one, for a story that keeps a log.
    log: Option<Vec<u64>>,
    deletions: usize,
}

impl Story {
    /// Creates a story that keeps a log of versions.
    pub(crate) fn with_log() -> Self {
        let story = Self::default();
        story.told().log = Some(Vec::new());
        story
    }

    /// Returns name and version of all existing objects, by the events.
    pub(crate) fn present(&self) -> BTreeMap<String, String> {
        let told = self.told();
        let present = told.present.iter();
        present
            .map(|(name, (_, version))| (name.clone(), version.to_string()))
            .collect()
    }

    /// Returns the inconsistent events.
    pub(crate) fn wrong(&self) -> Vec<String> {
        self.told().wrong.clone()
    }

    pub(crate) fn events(&self) -> usize {
        self.told().events
    }

    /// Returns the versions of all additions and updates, in order, and the number of deletions.
    pub(crate) fn log(&self) -> (Vec<u64>, usize) {
        let told = self.told();
        (told.log.clone().unwrap_or_default(), told.deletions)
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
    fn on_event(&self, event: &Event<ConfigMap>) {
        let mut told = self.told();
        told.events += 1;
        match event {
            Event::Added { object, .. } => told.add(object),
            Event::Updated { old, new } if uid(old) == uid(new) => told.update(new),
            // As in client-go: an object that was deleted and recreated between two lists is one
            // update of its name.
            Event::Updated { old, new } => {
                told.delete(&old.name_any(), Some(uid(old)));
                told.add(new);
            }
            Event::Deleted(deleted) => {
                let uid = deleted.object().map(|map| uid(map));
                told.delete(deleted.name().name(), uid);
            }
        }
    }
}

fn uid(map: &ConfigMap) -> String {
    map.uid().unwrap_or_default()
}

fn version(map: &ConfigMap) -> u64 {
    let version = map.resource_version().unwrap_or_default();
    version.parse().unwrap_or_default()
}
