//! Who is told, and holds what it is told to what could have happened.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use genclient::cache::ObjectName;
use genclient::informer::{Deleted, Event, EventHandler};
use k8s_openapi::api::core::v1::ConfigMap;

use super::super::version;
use super::chance::Chance;
use super::source::Objects;

pub(super) struct Witness {
    state: Mutex<State>,
    /// In how many calls it panics once; never if zero.
    panics: u64,
    /// Whether its registration said that it had synced.
    pub(super) is_synced: AtomicBool,
    pub(super) is_removed: AtomicBool,
}

struct State {
    chance: Chance,
    view: BTreeMap<String, String>,
    /// All it was told, in order.
    told: Vec<String>,
    /// What could not have happened.
    broken: Vec<String>,
}

impl Witness {
    pub(super) fn new(chance: Chance, panics: u64) -> Arc<Self> {
        Arc::new(Self {
            state: Mutex::new(State {
                chance,
                view: BTreeMap::new(),
                told: Vec::new(),
                broken: Vec::new(),
            }),
            panics,
            is_synced: AtomicBool::new(false),
            is_removed: AtomicBool::new(false),
        })
    }

    /// What it takes to be there.
    pub(super) fn view(&self) -> Objects {
        let state = self.state.lock().unwrap();
        let view = state.view.iter();
        view.map(|(name, version)| (name.clone(), version.parse().unwrap()))
            .collect()
    }

    /// Fails if it was told what could not have happened.
    pub(super) fn check(&self) {
        let state = self.state.lock().unwrap();
        assert!(
            state.broken.is_empty(),
            "{:#?}\namong all it was told: {:#?}",
            state.broken,
            state.told
        );
    }

    /// For what goes wrong in the end.
    pub(super) fn told(&self) -> Vec<String> {
        self.state.lock().unwrap().told.clone()
    }

    pub(super) fn hear(&self, event: &Event<ConfigMap>) {
        let mut state = self.state.lock().unwrap();
        let name = event.name().to_string();
        let known = state.view.get(&name).cloned();
        let (told, legal) = match event {
            Event::Added { object, is_initial } => {
                let is_late = *is_initial && self.is_synced.load(Ordering::SeqCst);
                state.view.insert(name.clone(), version(object).to_owned());
                let told = format!("add {name}@{} initial: {is_initial}", version(object));
                (told, known.is_none() && !is_late)
            }
            Event::Updated { old, new } => {
                state.view.insert(name.clone(), version(new).to_owned());
                let told = format!("update {name} from {} to {}", version(old), version(new));
                (told, known.as_deref() == Some(version(old)))
            }
            Event::Deleted(deleted) => {
                state.view.remove(&name);
                let told = format!(
                    "{deleted:?} last {:?}",
                    deleted.object().map(|it| version(it))
                );
                (told, is_legal(deleted, known.as_deref()))
            }
        };
        if !legal || self.is_removed.load(Ordering::SeqCst) {
            let removed = self.is_removed.load(Ordering::SeqCst);
            let broken = format!("{told}, having heard of {known:?}, removed: {removed}");
            state.broken.push(broken);
        }
        state.told.push(told);
        let panics = self.panics > 0 && state.chance.once_in(self.panics);
        drop(state);
        if panics {
            // Without the hook, which would print it.
            std::panic::resume_unwind(Box::new("as told"));
        }
    }
}

/// A state that was cached is the one that was heard of last. Of what was never cached, only its deletion is heard.
fn is_legal(deleted: &Deleted<ConfigMap>, known: Option<&str>) -> bool {
    match deleted {
        Deleted::Known(_) => true,
        Deleted::Unknown {
            last: Some(last), ..
        } => known == Some(version(last)),
        Deleted::Unknown { last: None, .. } => known.is_none(),
    }
}

impl EventHandler<ConfigMap> for Witness {
    fn on_add(&self, object: Arc<ConfigMap>, is_initial: bool) {
        self.hear(&Event::Added { object, is_initial });
    }

    fn on_update(&self, old: Arc<ConfigMap>, new: Arc<ConfigMap>) {
        self.hear(&Event::Updated { old, new });
    }

    fn on_delete(&self, object: Deleted<ConfigMap>) {
        self.hear(&Event::Deleted(object));
    }
}

/// The objects of a cache, as [`Objects`].
pub(super) fn objects(cached: Vec<Arc<ConfigMap>>) -> Objects {
    let cached = cached.iter();
    cached
        .map(|object| {
            let name = ObjectName::from_object(&**object).to_string();
            (name, version(object).parse().unwrap())
        })
        .collect()
}
