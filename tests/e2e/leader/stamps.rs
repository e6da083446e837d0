//! Stamps that replicas record while they work, and the check that no two overlap.

use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

/// Period of the stamps of a working replica.
const EVERY: Duration = Duration::from_millis(5);

/// Record that a replica worked at a time.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Stamp {
    pub(super) replica: String,
    pub(super) at: SystemTime,
}

/// All recorded stamps. Replicas on one machine share its clock.
#[derive(Clone, Debug, Default)]
pub(super) struct Stamps(Arc<Mutex<Vec<Stamp>>>);

impl Stamps {
    pub(super) fn push(&self, replica: &str, at: SystemTime) {
        let replica = replica.to_owned();
        self.lock().push(Stamp { replica, at });
    }

    /// Works: records stamps until `leading` is cancelled.
    pub(super) async fn work(self, replica: String, leading: CancellationToken) {
        while !leading.is_cancelled() {
            self.push(&replica, SystemTime::now());
            sleep(EVERY).await;
        }
        self.push(&replica, SystemTime::now());
    }

    /// Returns the times of the first and the last stamp of `replica`.
    pub(super) fn of(&self, replica: &str) -> Option<(SystemTime, SystemTime)> {
        let stamps = self.lock();
        let mut times = stamps
            .iter()
            .filter(|stamp| stamp.replica == replica)
            .map(|stamp| stamp.at);
        let first = times.next()?;
        Some((first, times.next_back().unwrap_or(first)))
    }

    /// Fails if a replica worked before its predecessor had ended. Each works once.
    pub(super) fn assert_no_overlap(&self) {
        let mut stamps = self.lock().clone();
        stamps.sort_by_key(|stamp| stamp.at);
        let mut turns: Vec<&str> = stamps.iter().map(|stamp| stamp.replica.as_str()).collect();
        turns.dedup();
        let mut replicas = turns.clone();
        replicas.sort_unstable();
        replicas.dedup();
        assert_eq!(replicas.len(), turns.len(), "they overlap: {turns:?}");
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Stamp>> {
        self.0
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}
