//! [`Grace`]: the time that components have to end.

use std::pin::pin;
use std::time::Duration;

use tokio::time::sleep;

use crate::component::Run;

/// How long tasks may take to end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grace {
    /// So long, what has begun goes on undisturbed.
    pub(super) undisturbed: Duration,
    /// After so long in all, it is dropped.
    pub(super) timeout: Duration,
}

impl Grace {
    /// Has work end, and waits for it; `None` if it does not in time.
    pub(super) async fn stop<T>(self, run: &Run, work: impl Future<Output = T>) -> Option<T> {
        let mut work = pin!(work);
        run.stop.cancel();
        // Both begin here. Unlike an instant, a sleep may be as long as any duration.
        let undisturbed = sleep(self.undisturbed.min(self.timeout));
        let end = sleep(self.timeout);
        tokio::select! {
            biased;
            ended = work.as_mut() => return Some(ended),
            () = undisturbed => {}
        }
        run.cancel.cancel();
        tokio::select! {
            biased;
            ended = work => Some(ended),
            () = end => None,
        }
    }
}
