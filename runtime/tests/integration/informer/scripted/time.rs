//! Waiting on a paused clock.

use std::time::Duration;

use tokio::time::Instant;

/// Waits until `condition` holds. On the paused clock, this takes no real time; it fails after an
/// hour of paused time.
#[track_caller]
pub(crate) fn eventually(condition: impl Fn() -> bool) -> impl Future<Output = ()> {
    let caller = std::panic::Location::caller();
    async move {
        let deadline = Instant::now() + Duration::from_secs(3600);
        while !condition() {
            assert!(Instant::now() < deadline, "never came true, at {caller}");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

/// Lets all tasks run until they wait for time to pass.
pub(crate) async fn settle() {
    tokio::time::sleep(Duration::from_millis(1)).await;
}
