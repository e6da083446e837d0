//! [`Gain`]: a list of what this replica has got, which runs beside the watch.

use futures::future::BoxFuture;
use parking_lot::Mutex;

use super::store::Listed;
use crate::sharding::HashRanges;

/// List of what this replica has got.
pub(super) struct Gain<K> {
    pub(super) ranges: HashRanges,
    /// The version of the watch when the list was begun.
    pub(super) since: String,
    /// The lock is never taken. It makes the reflector `Sync`.
    pub(super) listing: Mutex<BoxFuture<'static, Listed<K>>>,
}

/// A completed [`Gain`].
pub(super) struct ListedGain<K> {
    pub(super) ranges: HashRanges,
    pub(super) since: String,
    pub(super) listed: Listed<K>,
}

/// Waits until a gain is listed, and takes it. Without one, never resolves.
///
/// # Cancel safety
///
/// Nothing is lost if the future is dropped.
pub(super) async fn listed<K>(gain: &mut Option<Gain<K>>) -> ListedGain<K> {
    let Some(running) = gain else {
        return std::future::pending().await;
    };
    let listed = running.listing.get_mut().await;
    let (ranges, since) = (running.ranges.clone(), running.since.clone());
    *gain = None;
    ListedGain {
        ranges,
        since,
        listed,
    }
}
