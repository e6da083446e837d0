//! Waiting, on a paused clock.

use std::time::Duration;

use tokio::time::Instant;

/// Waits until `condition` holds. The clock is paused, so this takes no time; it fails after an hour of the paused clock.
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

/// Lets everything happen that needs no time.
pub(crate) async fn settle() {
    tokio::time::sleep(Duration::from_millis(1)).await;
}
