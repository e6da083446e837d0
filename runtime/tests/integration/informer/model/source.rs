//! Model of an API server: a history and its watches, with injected faults.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

use super::super::scripted::*;
use super::chance::Chance;
use super::history::{History, Kind, Objects, is_in};
use super::tally::{Happened, Tally};

/// Handle of the model; clones share it.
#[derive(Clone)]
pub(super) struct Source(Arc<Mutex<Inner>>);

pub(super) struct Inner {
    pub(super) chance: Chance,
    pub(super) history: History,
    /// The oldest version that a watch can start from.
    pub(super) compacted: u64,
    pub(super) watches: Vec<Watch>,
    /// Open watches that receive no events.
    dead: Vec<Watch>,
    /// How many of the next requests fail.
    pub(super) faults: u64,
    /// The newest version sent for each listed namespace.
    pub(super) told: BTreeMap<Option<String>, u64>,
    pub(super) tally: Tally,
}

/// A watch that receives events.
pub(super) struct Watch {
    pub(super) feed: Feed,
    pub(super) namespace: Option<String>,
    /// The last version sent.
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

    /// Deletes an object, if it exists.
    pub(super) fn delete(&self, name: &'static str) {
        let mut inner = self.inner();
        if inner.history.has(name) {
            inner.change(name, Kind::Deleted);
        }
    }

    /// Makes every object readable again and stops all faults.
    pub(super) fn heal(&self) {
        let mut inner = self.inner();
        inner.faults = 0;
        for name in inner.history.broken() {
            inner.change(name, Kind::Put);
        }
    }

    /// Returns the existing objects.
    pub(super) fn objects(&self) -> Objects {
        self.inner().history.objects()
    }

    /// Whether that state of an object ever existed and was readable.
    pub(super) fn had(&self, name: &'static str, version: u64) -> bool {
        self.inner().history.had(name, version)
    }

    /// Whether that was a readable final state of a deleted object.
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

    /// Lets the connections of all watches die without an end.
    pub(super) fn silence_watches(&self) {
        let mut inner = self.inner();
        let dead = inner.take_watches(Happened::WatchSilent);
        inner.dead.extend(dead);
    }

    /// Compacts the history: a watch from an older version gets 410.
    pub(super) fn compact(&self) {
        let mut inner = self.inner();
        inner.compacted = inner.history.version();
        inner.take_watches(Happened::WatchDropped);
    }

    /// Sends a bookmark of any version that a watch could start at, possibly a repeated or older
    /// one.
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
        for watch in watches.iter_mut().filter(|watch| watch.feed.has_reader()) {
            tally.count(match version.cmp(&watch.told) {
                Ordering::Less => Happened::BookmarkBehind,
                Ordering::Equal => Happened::BookmarkAgain,
                Ordering::Greater => Happened::Bookmark,
            });
            watch.tell(version, &line);
        }
    }

    /// Lets the next requests fail.
    pub(super) fn fail(&self, requests: u64) {
        self.inner().faults = requests;
    }

    /// Ends all watches with an error event.
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

    /// Removes and returns all watches, which end when they are dropped. Counts `how` for those
    /// that are still read.
    fn take_watches(&mut self, how: Happened) -> Vec<Watch> {
        let watches = std::mem::take(&mut self.watches);
        let heard = watches.iter().filter(|watch| watch.feed.has_reader());
        heard.for_each(|_| self.tally.count(how));
        watches
    }
}

impl Watch {
    /// Sends a line, which brings the watch up to `version`.
    fn tell(&mut self, version: u64, line: &str) {
        self.feed.line(line);
        self.told = version;
    }
}
