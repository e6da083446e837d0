//! Faults of open watches: they end, break, or fall silent.

use std::collections::HashMap;
use std::fmt;

use parking_lot::Mutex;
use tokio::sync::watch;

/// What happens to the open watches of a resource.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Interference {
    /// Grows when the watches that are open are to end.
    pub(crate) generation: u64,
    /// How the last of these ended.
    pub(crate) end: End,
    pub(crate) is_frozen: bool,
}

/// How a watch ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum End {
    /// The body ends.
    #[default]
    Cut,
    /// An event says that its version is too old.
    Expired,
    /// The connection breaks.
    Broken,
}

/// What happens to the watches of each resource, by its plural.
#[derive(Default)]
pub(crate) struct Interferences(Mutex<HashMap<String, watch::Sender<Interference>>>);

impl Interferences {
    pub(crate) fn subscribe(&self, plural: &str) -> watch::Receiver<Interference> {
        let mut senders = self.0.lock();
        senders.entry(plural.to_owned()).or_default().subscribe()
    }

    /// Ends all watches of all resources.
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

/// The open watches of a resource, from [`ApiServer::watches`](crate::ApiServer::watches).
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

    /// How many are open.
    pub fn open(&self) -> usize {
        self.interferences.receivers(self.plural)
    }

    /// Ends those that are open, without an event: what a restart of the API server does.
    pub fn cut(&self) {
        self.end(End::Cut);
    }

    /// Ends those that are open by an event that says that their version is too old.
    pub fn expire(&self) {
        self.end(End::Expired);
    }

    /// Breaks the connections of those that are open.
    pub fn break_connections(&self) {
        self.end(End::Broken);
    }

    /// Sends nothing to any watcher, until [`thaw`](Self::thaw).
    pub fn freeze(&self) {
        let freeze = |interference: &mut Interference| interference.is_frozen = true;
        self.interferences.change(self.plural, freeze);
    }

    /// Sends what happened since [`freeze`](Self::freeze).
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
