//! How often what the histories are about has happened, so that none of them is about nothing.

use std::collections::BTreeMap;

/// What an API server does or goes through, and what handlers hear.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Happened {
    Create,
    Update,
    Delete,
    /// A change whose object cannot be read.
    Unreadable,
    /// Of a version that is new to the watch.
    Bookmark,
    /// Of the version that the watch was told last.
    BookmarkAgain,
    /// Of an older version than the watch was told before.
    BookmarkBehind,
    List,
    Page,
    StreamedList,
    /// A list of what was listed before.
    Relist,
    /// One that is older than what was told before, as an API server behind a load balancer may be.
    RelistBehind,
    Watch,
    /// An event that was told before, to a watch that begins before the end of another.
    EventAgain,
    /// A watch that ends between two events.
    WatchDropped,
    /// A watch that ends with an error.
    WatchFailed,
    /// A watch whose connection is dead: it stays open, and nothing comes any more.
    WatchSilent,
    /// A watch that ends with what happened before it began.
    WatchBrief,
    /// A version that is not there any more: 410.
    ListGone,
    PageGone,
    WatchGone,
    /// An answer that is none.
    Fault,
    HeardAdd,
    HeardUpdate,
    /// The state that was heard of last, from a resync or a list.
    HeardSame,
    HeardDelete,
    /// That of an object whose last state nobody saw.
    HeardDeleteUnknown,
    HandlerPanicked,
}

/// How often each has to happen in a hundred histories: about half as often as it does.
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
    (Happened::EventAgain, 8),
    (Happened::WatchDropped, 80),
    (Happened::WatchFailed, 50),
    (Happened::WatchSilent, 15),
    (Happened::WatchBrief, 20),
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

/// How many histories it takes until chance evens out.
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

    /// Fails if any of it is too rare in so many histories, unless these are only a few.
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
