//! Added keys on their way into the state.

use std::mem;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::sync::Mutex;

/// Keys that were added while every worker had something to do: nobody waits for them, so they are gathered here, and brought
/// into the state together by whoever looks at it next.
///
/// Who adds and who works then seldom meet at one lock, and what a queue knows of its keys stays with the processor that
/// works on them.
pub(super) struct Inbox<T> {
    added: Mutex<Vec<Added<T>>>,
    /// Whether keys may stay here. Written with this lock and the one of the state held, so either is enough to know it.
    open: AtomicBool,
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

/// How many keys are gathered at most: enough to make the lock of the state cheap, and too few to matter as memory if one key
/// is added again and again.
const MOST: usize = 64;

impl<T> Inbox<T> {
    pub(super) fn new(open: bool) -> Self {
        Self {
            added: Mutex::new(Vec::new()),
            open: AtomicBool::new(open),
        }
    }

    pub(super) fn is_open(&self) -> bool {
        self.open.load(Ordering::Relaxed)
    }

    pub(super) fn push(&self, added: Added<T>) -> Pushed<T> {
        // Saves the lock; what it says may have changed.
        if !self.is_open() {
            return Pushed::Refused(added);
        }
        let mut gathered = self.added.lock();
        if !self.is_open() {
            return Pushed::Refused(added);
        }
        gathered.push(added);
        if gathered.len() < MOST {
            Pushed::Stays
        } else {
            Pushed::Full
        }
    }

    /// Lets keys stay here. Only for who has the state.
    pub(super) fn open(&self) {
        let _gathered = self.added.lock();
        self.open.store(true, Ordering::Relaxed);
    }

    /// Lets no more keys in, and exchanges those that are here for the empty list `keys`. Only for who has the state.
    pub(super) fn close(&self, keys: &mut Vec<Added<T>>) {
        let mut gathered = self.added.lock();
        self.open.store(false, Ordering::Relaxed);
        mem::swap(&mut *gathered, keys);
    }

    /// Exchanges the keys that are here for the empty list `keys`.
    pub(super) fn take(&self, keys: &mut Vec<Added<T>>) {
        mem::swap(&mut *self.added.lock(), keys);
    }
}
