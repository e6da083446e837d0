//! Fault injection for open watches: streams that end, expire, break or freeze.

use std::collections::HashMap;
use std::fmt;

use parking_lot::Mutex;
use tokio::sync::watch;

/// Fault that a test has injected into the watches of a resource.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Interference {
    /// Number of times that the open watches were ended. An open watch ends when the number
    /// changes.
    pub(crate) generation: u64,
    pub(crate) end: End,
    pub(crate) is_frozen: bool,
}

/// Way in which an open watch ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum End {
    /// The response body ends without an event.
    #[default]
    Cut,
    /// An `ERROR` event reports that the resource version is too old.
    Expired,
    /// The connection breaks.
    Broken,
}

/// Injected faults of the watches of each resource, by plural.
#[derive(Default)]
pub(crate) struct Interferences(Mutex<HashMap<String, watch::Sender<Interference>>>);

impl Interferences {
    pub(crate) fn subscribe(&self, plural: &str) -> watch::Receiver<Interference> {
        let mut senders = self.0.lock();
        senders.entry(plural.to_owned()).or_default().subscribe()
    }

    /// Ends all open watches without an event.
    pub(crate) fn end_all(&self) {
        for sender in self.0.lock().values() {
            sender.send_modify(|interference| {
                interference.generation += 1;
                interference.end = End::Cut;
            });
        }
    }

    fn receivers(&self, plural: &str) -> usize {
        let senders = self.0.lock();
        senders.get(plural).map_or(0, watch::Sender::receiver_count)
    }

    fn change(&self, plural: &str, change: impl FnOnce(&mut Interference)) {
        let mut senders = self.0.lock();
        let sender = senders.entry(plural.to_owned()).or_default();
        sender.send_modify(change);
    }
}

/// Control over the open watches of a resource, from
/// [`ApiServer::watches`](crate::ApiServer::watches).
pub struct Watches<'a> {
    interferences: &'a Interferences,
    plural: &'a str,
}

impl<'a> Watches<'a> {
    pub(crate) fn new(interferences: &'a Interferences, plural: &'a str) -> Self {
        Self {
            interferences,
            plural,
        }
    }

    /// Returns the number of open watches.
    pub fn open(&self) -> usize {
        self.interferences.receivers(self.plural)
    }

    /// Ends the open watches without an event, as a restart of the API server does.
    pub fn cut(&self) {
        self.end(End::Cut);
    }

    /// Ends the open watches with an `ERROR` event, which reports that their resource version is
    /// too old.
    pub fn expire(&self) {
        self.end(End::Expired);
    }

    /// Breaks the connections of the open watches.
    pub fn break_connections(&self) {
        self.end(End::Broken);
    }

    /// Withholds events from all watches of the resource until [`thaw`](Self::thaw).
    pub fn freeze(&self) {
        let freeze = |interference: &mut Interference| interference.is_frozen = true;
        self.interferences.change(self.plural, freeze);
    }

    /// Sends the events that were withheld since [`freeze`](Self::freeze), and resumes the watches.
    pub fn thaw(&self) {
        let thaw = |interference: &mut Interference| interference.is_frozen = false;
        self.interferences.change(self.plural, thaw);
    }

    fn end(&self, end: End) {
        self.interferences.change(self.plural, |interference| {
            interference.generation += 1;
            interference.end = end;
        });
    }
}

impl fmt::Debug for Watches<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watches")
            .field("plural", &self.plural)
            .finish_non_exhaustive()
    }
}
