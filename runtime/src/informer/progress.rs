//! [`Progress`]: the signal that resource versions have changed.

use tokio::sync::watch;

/// Tells those who wait that something may be new. Costs next to nothing while nobody does.
#[derive(Debug)]
pub(super) struct Progress(watch::Sender<()>);

impl Progress {
    pub(super) fn new() -> Self {
        Self(watch::Sender::new(()))
    }

    /// Subscribed before the first look, so that nothing is missed in between.
    pub(super) fn subscribe(&self) -> watch::Receiver<()> {
        self.0.subscribe()
    }

    /// The resource version of a scope is another.
    pub(super) fn notify(&self) {
        if self.0.receiver_count() > 0 {
            self.0.send_replace(());
        }
    }
}
