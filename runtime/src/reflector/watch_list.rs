//! Streamed lists: a watch that starts with the current objects (KEP-3157, WatchList).

use std::time::Duration;

use tokio::time::Instant;

use super::decode::{DecodedEvent, Decoder};
use super::error::ListWatchError;
use super::request::Target;
use super::sink::{Listed, Sink};
use super::snapshot::{Snapshot, shared};
use super::watch::Watch;
use crate::cache::ObjectName;
use crate::scheme::Object;

/// How long a streamed list may be silent, and how long its end may take after all initial objects
/// have been sent.
const PATIENCE: Duration = Duration::from_secs(30);
/// Deadline of the whole list.
const LONGEST: Duration = Duration::from_secs(5 * 60);

/// Streams the collection, at least as new as `version`, and returns the watch that continues after
/// it. `sink` is notified of the first event.
///
/// It does not wait forever for the end of the list, which a server that ignores WatchList and
/// opens a plain watch never sends:
///
/// - Half a minute without an event ends it. An overloaded server is as silent.
/// - The initial objects are sent first, as additions. The first event of another type, be it a
///   change or a bookmark, means that all of them have been sent. Then the end is due within half a
///   minute, however many events arrive.
/// - Five minutes end it in any case.
///
/// # Errors
///
/// Also [`ListWatchError::Endless`] and [`ListWatchError::Silence`] for these,
/// [`ListWatchError::Incomplete`] if the stream ended before the list did, and
/// [`ListWatchError::VeryShortWatch`] if it ended at once.
pub(super) async fn watch_list<K: Object>(
    target: &Target<K>,
    decoder: &mut Decoder<K>,
    version: &str,
    min_timeout: Duration,
    sink: &impl Sink<K>,
) -> Result<(Listed<K>, Watch), ListWatchError> {
    let mut watch = Watch::open_list(target, version, min_timeout, PATIENCE).await?;
    let mut snapshot = Snapshot::new();
    let mut due = Instant::now() + LONGEST;
    let mut is_first = true;
    while let Some(event) = watch.next_before(due, decoder).await? {
        if std::mem::take(&mut is_first) {
            sink.answered();
        }
        if !matches!(event, DecodedEvent::Added(_) | DecodedEvent::Skipped(_)) {
            due = due.min(Instant::now() + PATIENCE);
        }
        match event {
            DecodedEvent::Added(object) => snapshot.push(shared(object, sink)),
            DecodedEvent::Modified(object) => snapshot.upsert(object),
            DecodedEvent::Deleted(object) => snapshot.remove(&ObjectName::from_object(&*object)),
            DecodedEvent::Vanished(skipped) => snapshot.remove(&skipped.name),
            DecodedEvent::Skipped(skipped) => snapshot.skip(skipped),
            DecodedEvent::Bookmark {
                resource_version,
                ends_initial_events: true,
            } => {
                // A bookmark has just arrived, so more will follow.
                watch.expect_bookmarks();
                return Ok((snapshot.finish(resource_version), watch));
            }
            DecodedEvent::Bookmark { .. } => {}
        }
    }
    Err(watch.too_short().unwrap_or(ListWatchError::Incomplete))
}
