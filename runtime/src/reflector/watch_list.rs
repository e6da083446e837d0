//! The first state by streaming: a watch that begins with what is there (KEP-3157, WatchList).

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

/// How long a streamed list may stand still before it is given up, and how long its end may take once everything that was there
/// has been sent.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long it may take in all.
const LONGEST: Duration = Duration::from_secs(5 * 60);

/// Streams the collection, at least as new as `version`. The watch goes on after it. `sink` hears of the first event.
///
/// It never waits for an end that does not come, as from a server that does not know WatchList and opens a plain watch:
///
/// - Half a minute without an event ends it. A server with too much to do is as silent.
/// - What was there is sent first, each object as an addition. The first event of another kind, be it a change or a bookmark,
///   says that all of it has been sent. Then the end is due within half a minute, however many events come.
/// - Five minutes end it, whatever comes.
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
                // A bookmark has just come, so more will.
                watch.expect_bookmarks();
                return Ok((snapshot.finish(resource_version), watch));
            }
            DecodedEvent::Bookmark { .. } => {}
        }
    }
    Err(watch.too_short().unwrap_or(ListWatchError::Incomplete))
}
