//! Witness: a handler or subscriber that checks every notification against the history.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use genclient::cache::ObjectName;
use genclient::informer::{Deleted, Event, EventHandler};
use k8s_openapi::api::core::v1::ConfigMap;

use super::super::version;
use super::NAMES;
use super::chance::Chance;
use super::history::Objects;
use super::tally::{Happened, Tally};

pub(super) struct Witness {
    state: Mutex<State>,
    /// It panics in one of this many calls on average; never if zero.
    panics: u64,
    /// Whether its registration has reported that it has synced.
    pub(super) is_synced: AtomicBool,
    pub(super) is_removed: AtomicBool,
}

struct State {
    chance: Chance,
    view: Objects,
    /// All notifications, in order.
    notifications: Vec<Event<ConfigMap>>,
    /// Notified states that are not checked yet.
    unchecked: Vec<Heard>,
    /// Violations: notifications that contradict the history.
    broken: Vec<String>,
    tally: Tally,
}

/// A state of an object in a notification.
#[derive(Clone, Copy, Debug)]
pub(super) enum Heard {
    There(&'static str, u64),
    /// The last state before the deletion.
    Last(&'static str, u64),
}

impl Witness {
    pub(super) fn new(chance: Chance, panics: u64) -> Arc<Self> {
        Arc::new(Self {
            state: Mutex::new(State {
                chance,
                view: Objects::new(),
                notifications: Vec::new(),
                unchecked: Vec::new(),
                broken: Vec::new(),
                tally: Tally::default(),
            }),
            panics,
            is_synced: AtomicBool::new(false),
            is_removed: AtomicBool::new(false),
        })
    }

    /// Whether its view equals `objects`.
    pub(super) fn sees(&self, objects: &Objects) -> bool {
        self.state.lock().unwrap().view == *objects
    }

    /// Fails if there were violations. `was` returns whether a state ever existed.
    pub(super) fn check(&self, was: impl Fn(Heard) -> bool) {
        let mut state = self.state.lock().unwrap();
        for heard in std::mem::take(&mut state.unchecked) {
            if !was(heard) {
                state.broken.push(format!("{heard:?} never was"));
            }
        }
        assert!(
            state.broken.is_empty(),
            "{:#?}\nall notifications: {:#?}",
            state.broken,
            state.notifications()
        );
    }

    /// Returns all notifications as text, for failure messages.
    pub(super) fn notifications(&self) -> Vec<String> {
        self.state.lock().unwrap().notifications()
    }

    pub(super) fn tally(&self) -> Tally {
        self.state.lock().unwrap().tally.clone()
    }

    pub(super) fn hear(&self, event: &Event<ConfigMap>) {
        let mut state = self.state.lock().unwrap();
        let is_late = self.is_synced.load(Ordering::SeqCst);
        let is_removed = self.is_removed.load(Ordering::SeqCst);
        state.hear(event, is_late, is_removed);
        let panics = self.panics > 0 && state.chance.once_in(self.panics);
        if panics {
            state.tally.count(Happened::HandlerPanicked);
        }
        drop(state);
        if panics {
            // `resume_unwind` does not run the panic hook, which would print the panic.
            std::panic::resume_unwind(Box::new("as told"));
        }
    }
}

impl State {
    fn hear(&mut self, event: &Event<ConfigMap>, is_synced: bool, is_removed: bool) {
        let name = known(&event.name());
        let (known, happened) = match event {
            Event::Added { object, .. } => {
                let known = self.view.insert(name, number(object));
                (known, Happened::HeardAdd)
            }
            Event::Updated { old, new } if number(old) == number(new) => {
                (self.view.insert(name, number(new)), Happened::HeardSame)
            }
            Event::Updated { new, .. } => {
                (self.view.insert(name, number(new)), Happened::HeardUpdate)
            }
            Event::Deleted(Deleted::Known(_)) => (self.view.remove(name), Happened::HeardDelete),
            Event::Deleted(Deleted::Unknown { .. }) => {
                (self.view.remove(name), Happened::HeardDeleteUnknown)
            }
        };
        self.tally.count(happened);
        self.notifications.push(event.clone());
        match event {
            Event::Added { object: new, .. } | Event::Updated { new, .. } => {
                self.unchecked.push(Heard::There(name, number(new)));
            }
            Event::Deleted(Deleted::Known(last)) => {
                self.unchecked.push(Heard::Last(name, number(last)));
            }
            // A tombstone has a state that was notified before, or none.
            Event::Deleted(Deleted::Unknown { .. }) => {}
        }
        if is_removed || !is_legal(event, known, is_synced) {
            let broken = format!(
                "{}, having heard of {known:?}, removed: {is_removed}",
                describe(event)
            );
            self.broken.push(broken);
        }
    }

    fn notifications(&self) -> Vec<String> {
        self.notifications.iter().map(describe).collect()
    }
}

/// Whether a handler whose last notified version is `known` may receive `event`. For an object that
/// was never cached, only its deletion is legal.
fn is_legal(event: &Event<ConfigMap>, known: Option<u64>, is_synced: bool) -> bool {
    match event {
        Event::Added { is_initial, .. } => known.is_none() && !(*is_initial && is_synced),
        Event::Updated { old, .. } => known == Some(number(old)),
        Event::Deleted(Deleted::Known(_)) => true,
        Event::Deleted(Deleted::Unknown { last, .. }) => known == last.as_deref().map(number),
    }
}

fn describe(event: &Event<ConfigMap>) -> String {
    let name = event.name();
    match event {
        Event::Added { object, is_initial } => {
            format!("add {name}@{} initial: {is_initial}", version(object))
        }
        Event::Updated { old, new } => {
            format!("update {name} from {} to {}", version(old), version(new))
        }
        Event::Deleted(deleted) => {
            let last = deleted.object().map(|last| version(last));
            format!("delete {name} last {last:?} final: {}", deleted.is_final())
        }
    }
}

impl EventHandler<ConfigMap> for Witness {
    fn on_event(&self, event: &Event<ConfigMap>) {
        self.hear(event);
    }
}

/// Converts the objects of a cache to [`Objects`].
pub(super) fn objects(cached: Vec<Arc<ConfigMap>>) -> Objects {
    let cached = cached.iter();
    cached
        .map(|object| (known(&ObjectName::from_object(&**object)), number(object)))
        .collect()
}

/// Returns the static copy of a name.
fn known(name: &ObjectName) -> &'static str {
    let key = name.to_string();
    let known = NAMES.into_iter().find(|known| *known == key);
    known.unwrap_or_else(|| panic!("{name} never was"))
}

fn number(object: &ConfigMap) -> u64 {
    version(object).parse().unwrap()
}
