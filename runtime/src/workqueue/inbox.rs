//! Added keys on their way into the state.

use std::mem;
use std::sync::atomic::{AtomicBool, Ordering};

use super::filter::Filter;
use crate::sync::Mutex;

/// Keys that were added while every worker had something to do: nobody waits for them, so they are gathered here, and brought
/// into the state together by whoever looks at it next.
///
/// Who adds and who works then seldom meet at one lock, and what a queue knows of its keys stays with the processor that
/// works on them. A worker that takes a key has to know whether the same key is here, or else it would come twice. It
/// does not look for that: who adds a key that the queue may know says so, and other keys may wait behind those that are
/// ready.
pub(super) struct Inbox<T> {
    flags: Apart<Flags>,
    gathered: Apart<Mutex<Gathered<T>>>,
}

/// In lines of processor caches that nothing else is in: two processors that write to one line wait for each other.
#[repr(align(128))]
pub(super) struct Apart<T>(pub(super) T);

/// Changed seldom, so that everybody can ask at no cost. Written with the lock of the inbox held.
struct Flags {
    /// Whether keys may stay here. Written with the lock of the state held, too, so either is enough to know it.
    open: AtomicBool,
    /// Whether to look here before any key is taken.
    urgent: AtomicBool,
}

struct Gathered<T> {
    added: Vec<Added<T>>,
    /// At least the keys that are here, and those that were in the state when it was changed last.
    known: Filter,
    /// How many of the keys here were known.
    repeated: usize,
}

/// A key that was added.
pub(super) struct Added<T> {
    pub(super) hash: u64,
    pub(super) key: T,
}

/// What became of a key.
pub(super) enum Pushed<T> {
    /// It is here, and may stay.
    Stays,
    /// It is here, and it is time to take everything out.
    Full,
    /// It is not here: keys may not stay here now.
    Refused(Added<T>),
}

/// How many keys are gathered before a worker looks who has others to take: enough to make the lock cheap.
const MANY: usize = 64;
/// How many are gathered at most while all workers are busy with their keys: too few to matter as memory. Of keys that are
/// added again and again, no more than `MANY`.
const MOST: usize = 1024;

impl<T> Inbox<T> {
    pub(super) fn new(open: bool) -> Self {
        let gathered = Gathered {
            added: Vec::new(),
            known: Filter::with_room(MANY),
            repeated: 0,
        };
        Self {
            flags: Apart(Flags {
                open: AtomicBool::new(open),
                urgent: AtomicBool::new(false),
            }),
            gathered: Apart(Mutex::new(gathered)),
        }
    }

    pub(super) fn is_open(&self) -> bool {
        self.flags.0.open.load(Ordering::Relaxed)
    }

    /// Whether there is something that may be in the state, too, or much of anything.
    pub(super) fn is_urgent(&self) -> bool {
        self.flags.0.urgent.load(Ordering::Relaxed)
    }

    pub(super) fn push(&self, added: Added<T>) -> Pushed<T> {
        // Saves the lock; what it says may have changed.
        if !self.is_open() {
            return Pushed::Refused(added);
        }
        let mut gathered = self.gathered.0.lock();
        if !self.is_open() {
            return Pushed::Refused(added);
        }
        let known = gathered.known.add(added.hash);
        gathered.repeated += usize::from(known);
        gathered.added.push(added);
        if gathered.repeated >= MANY || gathered.added.len() >= MOST {
            return Pushed::Full;
        }
        if (known || gathered.added.len() >= MANY) && !self.is_urgent() {
            self.flags.0.urgent.store(true, Ordering::Relaxed);
        }
        Pushed::Stays
    }

    /// Lets keys stay here. Only for who has the state.
    pub(super) fn open(&self) {
        let _gathered = self.gathered.0.lock();
        self.flags.0.open.store(true, Ordering::Relaxed);
    }

    /// Lets no more keys in, and exchanges those that are here for the empty list `keys`. Only for who has the state.
    pub(super) fn close(&self, keys: &mut Vec<Added<T>>) {
        let mut gathered = self.gathered.0.lock();
        self.flags.0.open.store(false, Ordering::Relaxed);
        self.exchange(&mut gathered, keys);
    }

    /// Exchanges the keys that are here for the empty list `keys`. Says whether too many keys are taken for known ones.
    pub(super) fn take(&self, keys: &mut Vec<Added<T>>) -> bool {
        let mut gathered = self.gathered.0.lock();
        self.exchange(&mut gathered, keys);
        gathered.known.is_full()
    }

    fn exchange(&self, gathered: &mut Gathered<T>, keys: &mut Vec<Added<T>>) {
        self.flags.0.urgent.store(false, Ordering::Relaxed);
        gathered.repeated = 0;
        mem::swap(&mut gathered.added, keys);
    }

    /// Learns of keys that came into the state on other ways.
    pub(super) fn learn(&self, hashes: impl IntoIterator<Item = u64>) {
        let known = &mut self.gathered.0.lock().known;
        for hash in hashes {
            known.add(hash);
        }
    }

    /// Learns of every key in the state, and forgets all others.
    pub(super) fn relearn(&self, mut known: Filter) {
        let mut gathered = self.gathered.0.lock();
        for added in &gathered.added {
            known.add(added.hash);
        }
        gathered.known = known;
    }
}
