//! The model of an API server: a history of changes, and lists and watches of it, true but for the faults it is told to have.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard};

use super::super::scripted::*;
use super::chance::Chance;

/// Objects by `namespace/name`, each with its resource version.
pub(super) type Objects = BTreeMap<String, u64>;

/// Clones are the same one.
#[derive(Clone)]
pub(super) struct Source(Arc<Mutex<Inner>>);

struct Inner {
    chance: Chance,
    /// Of the last change.
    version: u64,
    /// The oldest that can be watched from.
    compacted: u64,
    history: Vec<Change>,
    /// What is there, by name.
    current: BTreeMap<String, Change>,
    /// Every state that could be read.
    readable: BTreeSet<(String, u64)>,
    watches: Vec<Watch>,
    /// How many requests are answered by a fault.
    faults: u64,
}

#[derive(Clone)]
struct Change {
    version: u64,
    name: String,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Put,
    /// It cannot be read as what it is.
    PutBroken,
    Deleted,
}

struct Watch {
    feed: Feed,
    namespace: Option<String>,
}

impl Source {
    pub(super) fn new(chance: Chance) -> Self {
        Self(Arc::new(Mutex::new(Inner {
            chance,
            version: 1,
            compacted: 1,
            history: Vec::new(),
            current: BTreeMap::new(),
            readable: BTreeSet::new(),
            watches: Vec::new(),
            faults: 0,
        })))
    }

    pub(super) fn answer(&self, request: &Recorded) -> Answer {
        self.inner().answer(request)
    }

    /// Creates or changes an object.
    pub(super) fn put(&self, name: &str, is_broken: bool) {
        let kind = if is_broken {
            Kind::PutBroken
        } else {
            Kind::Put
        };
        self.inner().change(name, kind);
    }

    /// Deletes an object, if it is there.
    pub(super) fn delete(&self, name: &str) {
        let mut inner = self.inner();
        if inner.current.contains_key(name) {
            inner.change(name, Kind::Deleted);
        }
    }

    /// Makes every object readable again, and answers truly from now on.
    pub(super) fn heal(&self) {
        let mut inner = self.inner();
        inner.faults = 0;
        for (name, change) in inner.current.clone() {
            if change.kind == Kind::PutBroken {
                inner.change(&name, Kind::Put);
            }
        }
    }

    /// What is there.
    pub(super) fn objects(&self) -> Objects {
        let inner = self.inner();
        let current = inner.current.iter();
        current
            .map(|(name, change)| (name.clone(), change.version))
            .collect()
    }

    /// Whether that state of an object was ever there to be read.
    pub(super) fn had(&self, name: &str, version: u64) -> bool {
        let state = (name.to_owned(), version);
        self.inner().readable.contains(&state)
    }

    pub(super) fn end_watches(&self) {
        self.inner().watches.clear();
    }

    /// Forgets what was: who watches from there is told that it is gone.
    pub(super) fn compact(&self) {
        let mut inner = self.inner();
        inner.compacted = inner.version;
        inner.watches.clear();
    }

    /// A bookmark of any version that a watch could begin at, so perhaps one that was told before, or in the wrong order.
    pub(super) fn bookmark(&self) {
        let mut inner = self.inner();
        let (oldest, newest) = (inner.compacted, inner.version);
        let version = inner.chance.between(oldest, newest).to_string();
        for watch in &inner.watches {
            watch.feed.line(bookmark(&version));
        }
    }

    /// The next requests are answered by faults.
    pub(super) fn fail(&self, requests: u64) {
        self.inner().faults = requests;
    }

    /// Errors in the streams, which go on in no way.
    pub(super) fn fail_watches(&self) {
        let mut inner = self.inner();
        let errors = [
            (410, "Expired"),
            (500, "InternalError"),
            (429, "TooManyRequests"),
        ];
        let (code, reason) = *inner.chance.pick(&errors);
        for watch in std::mem::take(&mut inner.watches) {
            watch.feed.line(failed(code, reason));
        }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap()
    }
}

impl Inner {
    fn change(&mut self, name: &str, kind: Kind) {
        self.version += self.chance.between(1, 3);
        let change = Change {
            version: self.version,
            name: name.to_owned(),
            kind,
        };
        let was_there = match kind {
            Kind::Deleted => self.current.remove(name),
            Kind::Put | Kind::PutBroken => self.current.insert(name.to_owned(), change.clone()),
        };
        if kind == Kind::Put {
            self.readable.insert((name.to_owned(), change.version));
        }
        let line = line(&change, was_there.is_some());
        for watch in &self.watches {
            if is_in(watch.namespace.as_deref(), name) {
                watch.feed.line(&*line);
            }
        }
        self.history.push(change);
    }

    /// What was there at `version`.
    fn state(&self, version: u64) -> BTreeMap<String, Change> {
        if version == self.version {
            return self.current.clone();
        }
        let mut state = BTreeMap::new();
        for change in self.history.iter().filter(|it| it.version <= version) {
            match change.kind {
                Kind::Deleted => state.remove(&change.name),
                _ => state.insert(change.name.clone(), change.clone()),
            };
        }
        state
    }

    fn answer(&mut self, request: &Recorded) -> Answer {
        if self.faults > 0 {
            self.faults -= 1;
            return self.fault();
        }
        let namespace = request.path.strip_prefix("/api/v1/namespaces/");
        let namespace = namespace.map(|path| path.split('/').next().unwrap().to_owned());
        let text = |key| request.query.get(key).map_or("", String::as_str);
        let version = text("resourceVersion");
        match (text("watch"), text("sendInitialEvents")) {
            ("", _) => match text("continue") {
                "" => self.list(namespace.as_deref(), version, !text("limit").is_empty()),
                token => self.next_page(namespace.as_deref(), token),
            },
            (_, "") => self.watch(namespace, version),
            (..) => self.watch_list(namespace, version),
        }
    }

    fn fault(&mut self) -> Answer {
        match self.chance.below(8) {
            0 => refused_connection(),
            1 => refuse(429, "TooManyRequests"),
            2 => refuse(503, "ServiceUnavailable"),
            3 => refuse(500, "InternalError"),
            4 => refuse(403, "Forbidden"),
            5 => body(200, "<html>a proxy's page</html>"),
            6 => stream([]).broken(),
            _ => hang(),
        }
    }

    /// Any version that does for `wanted`; `None` if that is gone.
    fn version_for(&mut self, wanted: &str) -> Option<u64> {
        let wanted = match wanted {
            "" => return Some(self.version),
            "0" => self.compacted,
            wanted => wanted.parse().unwrap(),
        };
        if wanted < self.compacted && self.chance.once_in(2) {
            return None;
        }
        let least = wanted.max(self.compacted);
        Some(self.chance.between(least, self.version))
    }

    fn list(&mut self, namespace: Option<&str>, wanted: &str, limited: bool) -> Answer {
        let Some(version) = self.version_for(wanted) else {
            return refuse(410, "Expired");
        };
        if limited && self.chance.once_in(2) {
            return self.page(namespace, version, 0);
        }
        let objects = self.texts(namespace, version);
        list(&version.to_string(), objects.iter().map(String::as_str))
    }

    fn next_page(&mut self, namespace: Option<&str>, token: &str) -> Answer {
        let (version, first) = token.split_once('-').unwrap();
        let (version, first) = (version.parse().unwrap(), first.parse().unwrap());
        if version < self.compacted {
            return refuse(410, "Expired");
        }
        self.page(namespace, version, first)
    }

    fn page(&mut self, namespace: Option<&str>, version: u64, first: usize) -> Answer {
        const PAGE: usize = 2;
        let objects = self.texts(namespace, version);
        let next = first + PAGE;
        let token = if next < objects.len() {
            format!("{version}-{next}")
        } else {
            String::new()
        };
        let page_of = objects.iter().skip(first).take(PAGE);
        page(&version.to_string(), page_of.map(String::as_str), &token)
    }

    fn watch(&mut self, namespace: Option<String>, from: &str) -> Answer {
        let from = from.parse().unwrap();
        if from < self.compacted {
            return if self.chance.once_in(2) {
                refuse(410, "Expired")
            } else {
                stream([failed(410, "Expired")])
            };
        }
        let (feed, answer) = feed();
        self.replay(&feed, namespace.as_deref(), from, self.version);
        if !self.chance.once_in(10) {
            self.watches.push(Watch { feed, namespace });
        }
        answer
    }

    fn watch_list(&mut self, namespace: Option<String>, wanted: &str) -> Answer {
        if self.chance.once_in(4) {
            return refuse(422, "Invalid");
        }
        let Some(first) = self.version_for(wanted) else {
            return refuse(410, "Expired");
        };
        let (feed, answer) = feed();
        for object in self.texts(namespace.as_deref(), first) {
            feed.line(added(&object));
        }
        // The list may change while it is streamed, and end before its end.
        let last = self.chance.between(first, self.version);
        self.replay(&feed, namespace.as_deref(), first, last);
        if self.chance.once_in(8) {
            return answer;
        }
        feed.line(initial_events_end(&last.to_string()));
        self.replay(&feed, namespace.as_deref(), last, self.version);
        self.watches.push(Watch { feed, namespace });
        answer
    }

    /// Objects as lists and first events have them.
    fn texts(&self, namespace: Option<&str>, version: u64) -> Vec<String> {
        let state = self.state(version).into_values();
        let inside = state.filter(|change| is_in(namespace, &change.name));
        inside.map(|change| text(&change)).collect()
    }

    /// What happened after `from`, up to `to`.
    fn replay(&self, feed: &Feed, namespace: Option<&str>, from: u64, to: u64) {
        let mut state = self.state(from);
        for change in &self.history {
            if change.version <= from || change.version > to {
                continue;
            }
            let was_there = state.insert(change.name.clone(), change.clone()).is_some();
            if change.kind == Kind::Deleted {
                state.remove(&change.name);
            }
            if is_in(namespace, &change.name) {
                feed.line(line(change, was_there));
            }
        }
    }
}

fn is_in(namespace: Option<&str>, name: &str) -> bool {
    namespace.is_none_or(|namespace| name.split('/').next() == Some(namespace))
}

fn text(change: &Change) -> String {
    let broken = if change.kind == Kind::PutBroken {
        "!"
    } else {
        ""
    };
    format!("{}@{}{broken}", change.name, change.version)
}

fn line(change: &Change, was_there: bool) -> String {
    match change.kind {
        // Now and then the last state cannot be read, either.
        Kind::Deleted if change.version.is_multiple_of(5) => deleted(&(text(change) + "!")),
        Kind::Deleted => deleted(&text(change)),
        _ if was_there => modified(&text(change)),
        _ => added(&text(change)),
    }
}
