//! The model of an API server: a history, and watches of it, true but for the faults it is told to have.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

use super::super::scripted::*;
use super::chance::Chance;
use super::history::{History, Kind, Objects, is_in};
use super::tally::{Happened, Tally};

/// Clones are the same one.
#[derive(Clone)]
pub(super) struct Source(Arc<Mutex<Inner>>);

pub(super) struct Inner {
    pub(super) chance: Chance,
    pub(super) history: History,
    /// The oldest version that can be watched from.
    pub(super) compacted: u64,
    pub(super) watches: Vec<Watch>,
    /// Those that are open and not told of anything.
    dead: Vec<Watch>,
    /// How many requests are answered by a fault.
    pub(super) faults: u64,
    /// Up to which version was told of each namespace that was listed.
    pub(super) told: BTreeMap<Option<String>, u64>,
    pub(super) tally: Tally,
}

/// One that can be told of what happens.
pub(super) struct Watch {
    pub(super) feed: Feed,
    pub(super) namespace: Option<String>,
    /// The version that it was told last.
    pub(super) told: u64,
}

impl Source {
    pub(super) fn new(chance: Chance) -> Self {
        Self(Arc::new(Mutex::new(Inner {
            chance,
            history: History::new(),
            compacted: 1,
            watches: Vec::new(),
            dead: Vec::new(),
            faults: 0,
            told: BTreeMap::new(),
            tally: Tally::default(),
        })))
    }

    pub(super) fn answer(&self, request: &Recorded) -> Answer {
        self.inner().answer(request)
    }

    /// Creates or changes an object.
    pub(super) fn put(&self, name: &'static str, is_broken: bool) {
        let kind = if is_broken {
            Kind::PutBroken
        } else {
            Kind::Put
        };
        self.inner().change(name, kind);
    }

    /// Deletes an object, if it is there.
    pub(super) fn delete(&self, name: &'static str) {
        let mut inner = self.inner();
        if inner.history.has(name) {
            inner.change(name, Kind::Deleted);
        }
    }

    /// Makes every object readable again, and answers truly from now on.
    pub(super) fn heal(&self) {
        let mut inner = self.inner();
        inner.faults = 0;
        for name in inner.history.broken() {
            inner.change(name, Kind::Put);
        }
    }

    /// What is there.
    pub(super) fn objects(&self) -> Objects {
        self.inner().history.objects()
    }

    /// Whether that state of an object was ever there to be read.
    pub(super) fn had(&self, name: &'static str, version: u64) -> bool {
        self.inner().history.had(name, version)
    }

    /// Whether an object was deleted in that state, which could be read.
    pub(super) fn ended(&self, name: &'static str, version: u64) -> bool {
        self.inner().history.ended(name, version)
    }

    pub(super) fn tally(&self) -> Tally {
        self.inner().tally.clone()
    }

    pub(super) fn end_watches(&self) {
        let mut inner = self.inner();
        inner.take_watches(Happened::WatchDropped);
    }

    /// Connections that go dead without an end.
    pub(super) fn silence_watches(&self) {
        let mut inner = self.inner();
        let dead = inner.take_watches(Happened::WatchSilent);
        inner.dead.extend(dead);
    }

    /// Forgets what was: who watches from there is told that it is gone.
    pub(super) fn compact(&self) {
        let mut inner = self.inner();
        inner.compacted = inner.history.version();
        inner.take_watches(Happened::WatchDropped);
    }

    /// A bookmark of any version that a watch could begin at, so perhaps one that was told before, or in the wrong order.
    pub(super) fn bookmark(&self) {
        let mut inner = self.inner();
        let elsewhere = inner.chance.below(3);
        inner.history.pass(elsewhere);
        let (oldest, newest) = (inner.compacted, inner.history.version());
        let version = if inner.chance.once_in(2) {
            newest
        } else {
            inner.chance.between(oldest, newest)
        };
        let line = bookmark(&version.to_string());
        let Inner { watches, tally, .. } = &mut *inner;
        for watch in watches.iter_mut().filter(|watch| watch.feed.is_heard()) {
            tally.count(match version.cmp(&watch.told) {
                Ordering::Less => Happened::BookmarkBehind,
                Ordering::Equal => Happened::BookmarkAgain,
                Ordering::Greater => Happened::Bookmark,
            });
            watch.tell(version, &line);
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
        for watch in inner.take_watches(Happened::WatchFailed) {
            watch.feed.line(failed(code, reason));
        }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap()
    }
}

impl Inner {
    fn change(&mut self, name: &'static str, kind: Kind) {
        self.tally.count(match kind {
            Kind::Deleted => Happened::Delete,
            Kind::Put if self.history.has(name) => Happened::Update,
            Kind::Put => Happened::Create,
            Kind::PutBroken => Happened::Unreadable,
        });
        let after = self.chance.between(1, 3);
        let line = self.history.change(name, kind, after);
        let version = self.history.version();
        let watches = self.watches.iter_mut();
        for watch in watches.filter(|watch| is_in(watch.namespace.as_deref(), name)) {
            watch.tell(version, &line);
        }
    }

    /// Takes out every watch, to end them when they are dropped; of those that are heard, it is counted.
    fn take_watches(&mut self, how: Happened) -> Vec<Watch> {
        let watches = std::mem::take(&mut self.watches);
        let heard = watches.iter().filter(|watch| watch.feed.is_heard());
        heard.for_each(|_| self.tally.count(how));
        watches
    }
}

impl Watch {
    /// Tells of a change, or of nothing, up to `version`.
    fn tell(&mut self, version: u64, line: &str) {
        self.feed.line(line);
        self.told = version;
    }
}
