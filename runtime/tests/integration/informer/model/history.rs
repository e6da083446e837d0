//! History of the objects of a collection, with its lists and watch events.

use std::collections::{BTreeMap, BTreeSet};

use super::super::scripted::{added, deleted, modified};

/// Objects by `namespace/name`, each with its resource version.
pub(super) type Objects = BTreeMap<&'static str, u64>;

/// The last change of each existing object, by name.
type State = BTreeMap<&'static str, Change>;

/// All changes.
pub(super) struct History {
    /// Version of the last change, in this or another collection.
    version: u64,
    changes: Vec<Change>,
    current: State,
    /// Every readable state that existed.
    readable: BTreeSet<(&'static str, u64)>,
    /// Every readable final state of a deleted object.
    last: BTreeSet<(&'static str, u64)>,
}

#[derive(Clone, Copy)]
struct Change {
    version: u64,
    name: &'static str,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Put,
    /// The object cannot be decoded as its kind.
    PutBroken,
    Deleted,
}

impl History {
    pub(super) fn new() -> Self {
        Self {
            version: 1,
            changes: Vec::new(),
            current: State::new(),
            readable: BTreeSet::new(),
            last: BTreeSet::new(),
        }
    }

    pub(super) fn version(&self) -> u64 {
        self.version
    }

    /// Advances the version by changes in other collections.
    pub(super) fn pass(&mut self, versions: u64) {
        self.version += versions;
    }

    /// Changes an object, `after` versions after the last change. Returns the line of a watch for
    /// it.
    pub(super) fn change(&mut self, name: &'static str, kind: Kind, after: u64) -> String {
        self.version += after;
        let change = Change {
            version: self.version,
            name,
            kind,
        };
        self.changes.push(change);
        match kind {
            Kind::Put => self.readable.insert((name, change.version)),
            Kind::Deleted if change.is_readable() => self.last.insert((name, change.version)),
            Kind::Deleted | Kind::PutBroken => false,
        };
        let was_there = change.apply(&mut self.current);
        change.line(was_there)
    }

    /// Whether an object of that name exists.
    pub(super) fn has(&self, name: &str) -> bool {
        self.current.contains_key(name)
    }

    /// Returns the existing objects that cannot be decoded.
    pub(super) fn broken(&self) -> Vec<&'static str> {
        let current = self.current.values();
        let broken = current.filter(|change| change.kind == Kind::PutBroken);
        broken.map(|change| change.name).collect()
    }

    /// Returns the existing objects.
    pub(super) fn objects(&self) -> Objects {
        let current = self.current.values();
        current
            .map(|change| (change.name, change.version))
            .collect()
    }

    /// Whether that state of an object ever existed and was readable.
    pub(super) fn had(&self, name: &'static str, version: u64) -> bool {
        self.readable.contains(&(name, version))
    }

    /// Whether that was a readable final state of a deleted object.
    pub(super) fn ended(&self, name: &'static str, version: u64) -> bool {
        self.last.contains(&(name, version))
    }

    /// Returns the objects at `version`, as in a list.
    pub(super) fn state(&self, namespace: Option<&str>, version: u64) -> Vec<String> {
        let state = self.at(version).into_values();
        let inside = state.filter(|change| is_in(namespace, change.name));
        inside.map(Change::text).collect()
    }

    /// Returns the events after `from`, up to `to`, each with its version.
    pub(super) fn between(
        &self,
        namespace: Option<&str>,
        from: u64,
        to: u64,
    ) -> impl Iterator<Item = (u64, String)> {
        let mut state = self.at(from);
        let changes = self
            .changes
            .iter()
            .filter(move |change| from < change.version && change.version <= to);
        changes.filter_map(move |change| {
            let was_there = change.apply(&mut state);
            is_in(namespace, change.name).then(|| (change.version, change.line(was_there)))
        })
    }

    fn at(&self, version: u64) -> State {
        if version == self.version {
            return self.current.clone();
        }
        let mut state = State::new();
        for change in self.changes.iter().filter(|it| it.version <= version) {
            change.apply(&mut state);
        }
        state
    }
}

impl Change {
    /// Returns whether the object was there before.
    fn apply(self, state: &mut State) -> bool {
        let before = match self.kind {
            Kind::Deleted => state.remove(self.name),
            Kind::Put | Kind::PutBroken => state.insert(self.name, self),
        };
        before.is_some()
    }

    fn line(self, was_there: bool) -> String {
        match self.kind {
            Kind::Deleted => deleted(&self.text()),
            _ if was_there => modified(&self.text()),
            _ => added(&self.text()),
        }
    }

    /// Some final states of deleted objects are not readable, either.
    fn is_readable(self) -> bool {
        match self.kind {
            Kind::Put => true,
            Kind::PutBroken => false,
            Kind::Deleted => !self.version.is_multiple_of(5),
        }
    }

    fn text(self) -> String {
        let broken = if self.is_readable() { "" } else { "!" };
        format!("{}@{}{broken}", self.name, self.version)
    }
}

pub(super) fn is_in(namespace: Option<&str>, name: &str) -> bool {
    namespace.is_none_or(|namespace| name.split('/').next() == Some(namespace))
}
