//! Initial list of a collection. It is streamed by a watch that first sends the current objects
//! (KEP-3157, WatchList); a paged list is the fallback.

use std::pin::pin;
use std::time::Duration;

use tokio::time::{Instant, timeout};
use tracing::Instrument;

use super::decode::{DecodedEvent, Decoder};
use super::error::ListWatchError;
use super::list::{ListSettings, Snapshot, list, shared};
use super::request::Target;
use super::run::{Listed, Reflector, ReflectorStore, is_older};
use super::watch::Watch;
use crate::cache::ObjectName;
use crate::scheme::Object;

/// Maximum silence of a streamed list. It is also the maximum time from the first event after the
/// initial objects to the bookmark that ends the list.
const PATIENCE: Duration = Duration::from_secs(30);
const MAX_DURATION: Duration = Duration::from_secs(5 * 60);
/// Interval of warnings while a streamed list is incomplete.
const WARNING_INTERVAL: Duration = Duration::from_secs(10);

impl<K: Object, S: ReflectorStore<K>> Reflector<K, S> {
    /// Streams the initial list into the store. Returns the watch that continues after the list, or
    /// `None` if the reflector has to request a paged list instead.
    pub(super) async fn stream(&mut self) -> Option<Watch> {
        let mut is_retried = false;
        while self.options.watch_list {
            match self.stream_once().await {
                Ok((listed, watch)) => {
                    self.replace(listed);
                    return Some(watch);
                }
                Err(error) if error.is_overload() => self.report_and_pause(error, S::failed).await,
                // A server that shuts down ends its watches, so the list is streamed once more.
                // There is only one retry: if a proxy cuts off every long response, only a paged
                // list succeeds. client-go retries without a bound.
                Err(ListWatchError::Incomplete) if !is_retried => is_retried = true,
                // A list is the most expensive request, so a silent server is first asked to stream
                // once more. client-go waits until the timeout of the watch. If an earlier attempt
                // failed permanently, for example with 403, `streaming_failed` keeps that failure
                // in the store: silence does not show that the permission has been granted.
                Err(error) if error.is_silence() => {
                    self.report_and_pause(error, S::streaming_failed).await;
                    if std::mem::replace(&mut is_retried, true) {
                        return None;
                    }
                }
                Err(error)
                    if !self.version_unavailable
                        && (error.is_expired() || error.is_too_large_version()) =>
                {
                    self.version_unavailable = true;
                }
                Err(error) => {
                    self.target.trace_unstreamed(&error);
                    // If the API server rejects streaming, a list may still succeed. A breakdown is
                    // reported, since it may prevent the list as well.
                    if error.is_breakdown() {
                        self.store.streaming_failed(error);
                    }
                    return None;
                }
            }
        }
        None
    }

    /// Streams the list once. Like client-go, it logs a warning every 10 s until the list is
    /// complete.
    async fn stream_once(&mut self) -> Result<(Listed<K>, Watch), ListWatchError> {
        let version = if self.version_unavailable {
            ""
        } else {
            &self.version
        };
        let least = self.options.min_watch_timeout;
        self.listed_at = Instant::now();
        let streaming = watch_list(&self.target, &mut self.decoder, version, least, &self.store);
        let streaming = streaming.instrument(self.target.list_span(version, true));
        let (mut streaming, begun) = (pin!(streaming), Instant::now());
        loop {
            if let Ok(streamed) = timeout(WARNING_INTERVAL, streaming.as_mut()).await {
                let streamed = streamed?;
                self.target.trace_listed(&streamed.0, begun);
                return Ok(streamed);
            }
            self.target.warn_of_endless_list(begun.elapsed());
            self.store
                .streaming_failed(ListWatchError::Endless(begun.elapsed()));
        }
    }

    pub(super) async fn list(&mut self) -> Result<(), ListWatchError> {
        let listed = match self.list_at_least().await {
            // The known version cannot be listed. Lists the latest one instead, which always
            // exists.
            Err(error) if error.is_expired() || error.is_too_large_version() => {
                self.version_unavailable = true;
                self.list_at_least().await
            }
            listed => listed,
        };
        self.replace(listed?);
        Ok(())
    }

    async fn list_at_least(&mut self) -> Result<Listed<K>, ListWatchError> {
        let version = match &*self.version {
            _ if self.version_unavailable => "",
            "" => "0",
            version => version,
        };
        let settings = ListSettings {
            version,
            page_size: self.options.page_size,
            pages_anyway: self.pages_anyway,
        };
        let (is_any, begun) = (version == "0", Instant::now());
        self.listed_at = begun;
        let listing = list(&self.target, &mut self.decoder, settings, &self.store);
        let span = self.target.list_span(version, false);
        let (listed, in_pages) = listing.instrument(span).await?;
        self.target.trace_listed(&listed, begun);
        self.pages_anyway |= is_any && in_pages;
        Ok(listed)
    }

    /// Replaces the cache with a list.
    ///
    /// A list at a lower version than the last known one shows that versions went back: it is
    /// requested at that version or newer, or else is a consistent read of the latest version.
    fn replace(&mut self, mut listed: Listed<K>) {
        if is_older(&listed.resource_version, &self.version) {
            self.target
                .warn_of_restore(&self.version, &listed.resource_version);
            listed.restored = Some(self.listed_at);
        }
        for skipped in &listed.skipped {
            self.target.warn_of_skipped(skipped);
        }
        self.version.clone_from(&listed.resource_version);
        self.measure_version();
        self.version_unavailable = false;
        self.is_unconfirmed = false;
        self.backoff.answered();
        self.store.replace(listed);
        self.store.answered();
    }
}

/// Streams the collection at `version` or newer. Returns the list and the watch that continues
/// after it. Calls [`ReflectorStore::answered`] when the first event arrives.
///
/// The wait for the end of the list is limited: a server that ignores WatchList opens a plain watch
/// and never marks the end of the list.
///
/// - 30 s without an event fail with [`ListWatchError::Silence`].
/// - The server sends the initial objects first, as additions. The first other event, a change or a
///   bookmark, means that all of them have been sent. If the end of the list does not arrive within
///   30 s after this event, the call fails with [`ListWatchError::Endless`].
/// - After five minutes in all, the call fails with [`ListWatchError::Endless`] as well.
///
/// # Errors
///
/// The errors above, those of the request, and those of [`Watch::next`];
/// [`ListWatchError::Incomplete`] if the stream ended before the list was complete;
/// [`ListWatchError::VeryShortWatch`] if the stream ended within a second and without an event.
async fn watch_list<K: Object>(
    target: &Target<K>,
    decoder: &mut Decoder<K>,
    version: &str,
    min_timeout: Duration,
    store: &impl ReflectorStore<K>,
) -> Result<(Listed<K>, Watch), ListWatchError> {
    let mut watch = Watch::open_list(target, version, min_timeout, PATIENCE).await?;
    let mut snapshot = Snapshot::new();
    let mut due = Instant::now() + MAX_DURATION;
    let mut is_first = true;
    while let Some(event) = watch.next_before(due, decoder).await? {
        if std::mem::take(&mut is_first) {
            store.answered();
        }
        if !matches!(event, DecodedEvent::Added(_) | DecodedEvent::Skipped(_)) {
            due = due.min(Instant::now() + PATIENCE);
        }
        match event {
            DecodedEvent::Added(object) => snapshot.push(shared(object, store)),
            DecodedEvent::Modified(object) => snapshot.upsert(object),
            DecodedEvent::Deleted(object) => snapshot.remove(&ObjectName::from_object(&*object)),
            DecodedEvent::Vanished(skipped) => snapshot.remove(&skipped.name),
            DecodedEvent::Skipped(skipped) => snapshot.skip(skipped),
            DecodedEvent::Bookmark {
                resource_version,
                ends_initial_events: true,
            } => {
                // A bookmark ended the list. Since this server sends bookmarks, the watch may limit
                // silence.
                watch.expect_bookmarks();
                return Ok((snapshot.finish(resource_version), watch));
            }
            DecodedEvent::Bookmark { .. } => {}
        }
    }
    Err(watch.too_short().unwrap_or(ListWatchError::Incomplete))
}
