//! The first state by streaming: a watch that begins with what is there (KEP-3157, WatchList).

use std::time::Duration;

use super::decode::{Decoder, Event};
use super::error::Error;
use super::request::Target;
use super::snapshot::{Listed, Snapshot};
use super::watch::Watch;
use crate::cache::ObjectName;
use crate::scheme::Object;

/// How long a streamed list may stand still before it is given up. A server that does not know WatchList may open a plain watch,
/// on which the end of the list would never come.
const PATIENCE: Duration = Duration::from_secs(30);

/// Streams the collection, at least as new as `version`. The watch goes on after it. Calls `answered` at the first event.
///
/// # Errors
///
/// Also [`Error::Incomplete`], if the stream ended before the list did.
pub(super) async fn watch_list<K: Object>(
    target: &Target<K>,
    decoder: &Decoder<K>,
    version: &str,
    min_timeout: Duration,
    answered: &(dyn Fn() + Sync),
) -> Result<(Listed<K>, Watch), Error> {
    let mut watch = Watch::open_list(target, version, min_timeout, PATIENCE).await?;
    let mut snapshot = Snapshot::new();
    let mut is_first = true;
    while let Some(event) = watch.next(decoder).await? {
        if std::mem::take(&mut is_first) {
            answered();
        }
        match event {
            Event::Added(object) => snapshot.push(object),
            Event::Modified(object) => snapshot.upsert(object),
            Event::Deleted(object) => snapshot.remove(&ObjectName::from_object(&*object)),
            Event::Vanished(skipped) => snapshot.remove(&skipped.name),
            Event::Skipped(skipped) => snapshot.skip(skipped),
            Event::Bookmark {
                resource_version,
                ends_initial_events: true,
            } => {
                // A bookmark has just come, so more will.
                watch.expect_bookmarks();
                return Ok((snapshot.finish(resource_version), watch));
            }
            Event::Bookmark { .. } => {}
        }
    }
    Err(Error::Incomplete)
}
