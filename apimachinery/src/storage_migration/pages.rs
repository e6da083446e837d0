//! [`Pages`]: the position in the list of all objects, and the size of the next page.

use super::{FailedObject, FailureReason, ObjectFailure};

/// Maximum number of objects in a page, as client-go's pager has by default.
pub(super) const PAGE_LIMIT: usize = 500;

/// Number of times that a page of one object is read again, in case a webhook restarts.
const LAST_PAGE_RETRIES: u32 = 3;

/// The list is ended after this many expired tokens, as they expire too fast: of the whole list
/// without a token to continue with, and of one page with one.
const MAX_RESTARTS: u32 = 5;

/// The position in the list of all objects.
///
/// A page that one object prevents is read in the other served versions: in the version that the
/// object is stored as, it needs no conversion. If no version works for the whole page, the page is
/// halved until it has one object.
#[derive(Debug)]
pub(super) struct Pages {
    pub(super) state: PagesState,
    /// The continue token of the next page.
    pub(super) token: Option<String>,
    /// The size of the next page.
    pub(super) limit: usize,
    /// The index of the served version of the next page.
    pub(super) version: usize,
    /// How many objects after the token contain one that cannot be read.
    suspects: usize,
    retries: u32,
    restarts: u32,
    /// How many tokens have expired since the last page.
    resumptions: u32,
    /// `namespace/name` of the last listed object.
    pub(super) last: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PagesState {
    /// The next page is not requested yet.
    Idle,
    /// A page is requested.
    Reading,
    /// The list has to begin again, after the writes in progress.
    Expired,
    /// The definition was deleted. It is read again after the writes in progress.
    Deleted,
    /// All pages are read.
    Finished,
}

/// What follows a page that the API server could not list.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum AfterFailure {
    /// Another version or a smaller page.
    ReadNow,
    /// The same page after 1, 2, or 4 s. Has the number of earlier retries.
    ReadLater(u32),
    /// Nothing: the rest of the list cannot be read.
    GiveUp(ObjectFailure),
}

impl Pages {
    /// Returns whether the next page is read again after a failure.
    pub(super) fn is_retried(&self) -> bool {
        self.retries > 0
    }

    pub(super) fn new() -> Self {
        Self {
            state: PagesState::Idle,
            token: None,
            limit: PAGE_LIMIT,
            version: 0,
            suspects: 0,
            retries: 0,
            restarts: 0,
            resumptions: 0,
            last: None,
        }
    }

    /// Begins again with the first page. Returns false if it has done so too often.
    pub(super) fn restart(&mut self) -> bool {
        let restarts = self.restarts + 1;
        *self = Self {
            restarts,
            ..Self::new()
        };
        restarts <= MAX_RESTARTS
    }

    /// Continues with a token in place of an expired one. Returns false if it has done so too often
    /// for one page.
    pub(super) fn resume(&mut self, token: &str) -> bool {
        self.token = Some(token.to_owned());
        self.state = PagesState::Idle;
        self.resumptions += 1;
        self.resumptions <= MAX_RESTARTS
    }

    /// Moves to the page after the one that was read.
    pub(super) fn advance(&mut self, token: Option<String>, last: Option<String>) {
        self.suspects = self.suspects.saturating_sub(self.limit);
        self.limit = if self.suspects == 0 {
            (self.limit * 2).min(PAGE_LIMIT)
        } else {
            self.suspects.div_ceil(2)
        };
        self.state = if token.is_some() {
            PagesState::Idle
        } else {
            PagesState::Finished
        };
        self.token = token;
        self.last = last.or(self.last.take());
        self.version = 0;
        self.retries = 0;
        self.resumptions = 0;
    }

    /// Halves the page. Returns false if it has one object.
    pub(super) fn halve(&mut self) -> bool {
        if self.limit == 1 {
            return false;
        }
        self.suspects = self.limit;
        self.limit /= 2;
        self.version = 0;
        self.state = PagesState::Idle;
        true
    }

    /// Chooses what to do after a page that the API server could not list.
    pub(super) fn fail(&mut self, versions: &[String], message: &str) -> AfterFailure {
        let version = versions.get(self.version).cloned().unwrap_or_default();
        if self.version + 1 < versions.len() {
            self.version += 1;
            self.state = PagesState::Idle;
            return AfterFailure::ReadNow;
        }
        if self.halve() {
            return AfterFailure::ReadNow;
        }
        self.version = 0;
        if self.retries < LAST_PAGE_RETRIES {
            self.retries += 1;
            return AfterFailure::ReadLater(self.retries - 1);
        }
        self.state = PagesState::Finished;
        AfterFailure::GiveUp(ObjectFailure {
            object: FailedObject::After(self.last.clone()),
            version,
            reason: FailureReason::from_error(message),
            message: message.to_owned(),
        })
    }
}
