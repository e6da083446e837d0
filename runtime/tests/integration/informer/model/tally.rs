//! Statistics of the events in the histories, to prove that each kind of event is covered.

use std::collections::BTreeMap;

/// Kinds of events at the API server, and of notifications.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Happened {
    Create,
    Update,
    Delete,
    /// A change whose object cannot be decoded.
    Unreadable,
    /// A bookmark of a newer version than the last one sent.
    Bookmark,
    /// A bookmark of the last version sent.
    BookmarkAgain,
    /// A bookmark of an older version than the last one sent.
    BookmarkBehind,
    List,
    Page,
    StreamedList,
    /// A repeated list of the same namespace.
    Relist,
    /// A list older than what was sent before, as from a lagging API server behind a load balancer.
    RelistBehind,
    Watch,
    /// An event that was sent before, on a watch that starts before the end of an earlier one.
    EventAgain,
    /// A watch that ends between two events.
    WatchDropped,
    /// A watch that ends with an error.
    WatchFailed,
    /// A watch on a dead connection, which stays open without events.
    WatchSilent,
    /// A watch that ends after the events before its start.
    WatchBrief,
    /// A watch whose connection breaks before the events before its start arrive.
    WatchLost,
    /// An expired version: 410.
    ListGone,
    PageGone,
    WatchGone,
    /// A fault instead of a response.
    Fault,
    HeardAdd,
    HeardUpdate,
    /// An update without a change, from a resync or a list.
    HeardSame,
    HeardDelete,
    /// A deletion of an object whose final state was not observed.
    HeardDeleteUnknown,
    HandlerPanicked,
}

/// Minimum number of occurrences per hundred histories, about half of the actual number.
const LEAST: &[(Happened, usize)] = &[
    (Happened::Create, 350),
    (Happened::Update, 1000),
    (Happened::Delete, 100),
    (Happened::Unreadable, 200),
    (Happened::Bookmark, 20),
    (Happened::BookmarkAgain, 8),
    (Happened::BookmarkBehind, 15),
    (Happened::List, 80),
    (Happened::Page, 40),
    (Happened::StreamedList, 40),
    (Happened::Relist, 80),
    (Happened::RelistBehind, 1),
    (Happened::Watch, 200),
    (Happened::EventAgain, 12),
    (Happened::WatchDropped, 80),
    (Happened::WatchFailed, 50),
    (Happened::WatchSilent, 15),
    (Happened::WatchBrief, 20),
    (Happened::WatchLost, 15),
    (Happened::ListGone, 25),
    (Happened::PageGone, 1),
    (Happened::WatchGone, 30),
    (Happened::Fault, 70),
    (Happened::HeardAdd, 1000),
    (Happened::HeardUpdate, 1000),
    (Happened::HeardSame, 800),
    (Happened::HeardDelete, 100),
    (Happened::HeardDeleteUnknown, 70),
    (Happened::HandlerPanicked, 400),
];

/// Number of histories from which the minimums are reliable.
const ENOUGH: usize = 500;

#[derive(Clone, Default)]
pub(super) struct Tally(BTreeMap<Happened, usize>);

impl Tally {
    pub(super) fn count(&mut self, what: Happened) {
        *self.0.entry(what).or_default() += 1;
    }

    pub(super) fn add(&mut self, other: &Self) {
        for (what, count) in &other.0 {
            *self.0.entry(*what).or_default() += count;
        }
    }

    /// Fails if a kind of event is too rare. Not checked for fewer than [`ENOUGH`] histories.
    pub(super) fn check(&self, histories: usize) {
        println!("{histories} histories: {:#?}", self.0);
        for &(what, least) in LEAST.iter().filter(|_| histories >= ENOUGH) {
            let count = self.0.get(&what).copied().unwrap_or(0);
            let least = least * histories / 100;
            assert!(
                count >= least,
                "{what:?} {count} times in {histories} histories, and not {least} times"
            );
        }
    }
}
