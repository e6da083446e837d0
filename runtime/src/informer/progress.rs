//! [`Progress`]: the signal that resource versions have changed.

use tokio::sync::watch;

/// Wakes those who wait for a resource version. Costs next to nothing while nobody waits.
#[derive(Debug)]
pub(super) struct Progress(watch::Sender<()>);

impl Progress {
    pub(super) fn new() -> Self {
        Self(watch::Sender::new(()))
    }

    /// To be called before the resource version is checked, so that no change is missed in between.
    pub(super) fn subscribe(&self) -> watch::Receiver<()> {
        self.0.subscribe()
    }

    /// The resource version of a scope has changed.
    pub(super) fn notify(&self) {
        if self.0.receiver_count() > 0 {
            self.0.send_replace(());
        }
    }
}
