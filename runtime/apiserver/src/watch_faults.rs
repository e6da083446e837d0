//! Fault injection for open watches: streams that end, expire, break or freeze.

use std::collections::HashMap;
use std::fmt;

use parking_lot::Mutex;
use tokio::sync::watch;

/// Fault that a test has injected into the watches of a resource.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct WatchFault {
    /// Number of times that the open watches were ended. An open watch ends when the number
    /// changes.
    pub(crate) generation: u64,
    pub(crate) end: WatchEnd,
    pub(crate) is_frozen: bool,
}

/// Way in which an open watch ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum WatchEnd {
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
pub(crate) struct WatchFaults(Mutex<HashMap<String, watch::Sender<WatchFault>>>);

impl WatchFaults {
    pub(crate) fn subscribe(&self, plural: &str) -> watch::Receiver<WatchFault> {
        let mut senders = self.0.lock();
        senders.entry(plural.to_owned()).or_default().subscribe()
    }

    /// Ends all open watches without an event.
    pub(crate) fn end_all(&self) {
        for sender in self.0.lock().values() {
            sender.send_modify(|fault| {
                fault.generation += 1;
                fault.end = WatchEnd::Cut;
            });
        }
    }

    fn count_open(&self, plural: &str) -> usize {
        let senders = self.0.lock();
        senders.get(plural).map_or(0, watch::Sender::receiver_count)
    }

    fn change(&self, plural: &str, change: impl FnOnce(&mut WatchFault)) {
        let mut senders = self.0.lock();
        let sender = senders.entry(plural.to_owned()).or_default();
        sender.send_modify(change);
    }
}

/// Control over the open watches of a resource, from
/// [`ApiServer::watches`](crate::ApiServer::watches).
pub struct Watches<'a> {
    watch_faults: &'a WatchFaults,
    plural: &'a str,
}

impl<'a> Watches<'a> {
    pub(crate) fn new(watch_faults: &'a WatchFaults, plural: &'a str) -> Self {
        Self {
            watch_faults,
            plural,
        }
    }

    /// Returns the number of open watches.
    pub fn open(&self) -> usize {
        self.watch_faults.count_open(self.plural)
    }

    /// Ends the open watches without an event, as a restart of the API server does.
    pub fn cut(&self) {
        self.end(WatchEnd::Cut);
    }

    /// Ends the open watches with an `ERROR` event, which reports that their resource version is
    /// too old.
    pub fn expire(&self) {
        self.end(WatchEnd::Expired);
    }

    /// Breaks the connections of the open watches.
    pub fn break_connections(&self) {
        self.end(WatchEnd::Broken);
    }

    /// Withholds events from all watches of the resource until [`thaw`](Self::thaw).
    pub fn freeze(&self) {
        let freeze = |fault: &mut WatchFault| fault.is_frozen = true;
        self.watch_faults.change(self.plural, freeze);
    }

    /// Sends the events that were withheld since [`freeze`](Self::freeze), and resumes the watches.
    pub fn thaw(&self) {
        let thaw = |fault: &mut WatchFault| fault.is_frozen = false;
        self.watch_faults.change(self.plural, thaw);
    }

    fn end(&self, end: WatchEnd) {
        self.watch_faults.change(self.plural, |fault| {
            fault.generation += 1;
            fault.end = end;
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
