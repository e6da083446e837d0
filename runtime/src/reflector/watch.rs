//! [`Watch`]: one watch, read event by event. A watch that is silent for too long fails. [`Lines`]
//! splits the body of the response into lines, one for each event.

use std::time::Duration;

use bytes::{Buf, Bytes, BytesMut};
use http_body_util::BodyExt;
use kube::client::Body;
use tokio::time::{Instant, timeout_at};

use super::backoff::jittered;
use super::decode::Decoder;
use super::error::ListWatchError;
use super::event::WatchEvent;
use super::metrics::{OpenWatch, VERY_SHORT};
use super::request::ListWatchTarget;
use crate::scheme::Object;

/// How long the client waits for the end of a watch after the requested timeout.
const OVERTIME: Duration = Duration::from_secs(30);
/// The API server gets the duration of a watch in whole seconds, and may end it a moment early.
const ROUNDING: Duration = Duration::from_secs(2);
/// How long a watch may be silent if the API server sends bookmarks (about one a minute).
const SILENCE: Duration = Duration::from_secs(3 * 60);
/// How long a watch may be silent if no pings show whether its connection is alive. client-go's
/// watches are of HTTP/2, where a ping fails 45 s after the last sign of life.
const UNPINGED_SILENCE: Duration = Duration::from_secs(40);
/// Minimum duration of a watch without pings. The API server sends a bookmark 2 s before the end of
/// a watch (`nextBookmarkTime` in the cacher of its `storage`), so the end comes before the silence
/// is too long, and the version of an unchanged collection still advances.
const UNPINGED_TIMEOUT: Duration = Duration::from_secs(25);
/// Maximum random addition to [`UNPINGED_TIMEOUT`].
const UNPINGED_SPREAD: Duration = Duration::from_secs(10);
/// Maximum size of a line of a watch, and of an item of a list, in bytes (256 MiB). No object is so
/// large: etcd's default limit is 1.5 MiB.
pub(super) const MAX_LINE: usize = 256 << 20;

pub(super) struct Watch {
    lines: Lines,
    opened: Instant,
    /// Requested duration.
    timeout: Duration,
    /// Time at which the connection was last heard of.
    heard: Instant,
    /// Time at which the API server ends the watch, plus [`OVERTIME`].
    ends: Instant,
    silence: Silence,
    /// Whether no pings show that the connection is alive.
    is_unpinged: bool,
    /// Whether no event has arrived yet.
    was_empty: bool,
    measured: Option<OpenWatch>,
}

/// How long a watch may be silent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Silence {
    /// Until the end of the watch: without bookmarks, silence may mean that nothing changes.
    UntilEnd,
    AtMost(Duration),
}

impl Watch {
    /// Opens a watch of all changes after `version`. It lasts between one and two times
    /// `min_timeout`.
    pub(super) async fn open<K: Object>(
        target: &ListWatchTarget<K>,
        version: &str,
        min_timeout: Duration,
    ) -> Result<Self, ListWatchError> {
        Self::open_with(target, version, min_timeout, false, Silence::UntilEnd).await
    }

    /// Opens a watch that first sends the current objects at `version` or newer. The watch fails if
    /// it is silent for longer than `silence`. It lasts between one and two times `min_timeout`.
    pub(super) async fn open_list<K: Object>(
        target: &ListWatchTarget<K>,
        version: &str,
        min_timeout: Duration,
        silence: Duration,
    ) -> Result<Self, ListWatchError> {
        let silence = Silence::AtMost(silence);
        Self::open_with(target, version, min_timeout, true, silence).await
    }

    async fn open_with<K: Object>(
        target: &ListWatchTarget<K>,
        version: &str,
        min_timeout: Duration,
        initial_events: bool,
        silence: Silence,
    ) -> Result<Self, ListWatchError> {
        // Until the first response, `false`. Then the connection is new and probably alive.
        let is_unpinged = target.is_unpinged();
        // A large list may take longer to stream than such a watch lasts.
        let timeout = watch_timeout(min_timeout, is_unpinged && !initial_events);
        // Some proxies send the headers only with the first event. So the client waits for the
        // headers as long as for an event.
        let opened = Instant::now();
        let patience = silence.limit(is_unpinged).unwrap_or(timeout + OVERTIME);
        let body = target
            .watch(version, timeout, initial_events, patience)
            .await?;
        Ok(Self {
            lines: Lines::new(body),
            opened,
            timeout,
            heard: Instant::now(),
            ends: opened + timeout + OVERTIME,
            silence,
            is_unpinged: target.is_unpinged(),
            was_empty: true,
            measured: target
                .metrics
                .as_ref()
                .map(|metrics| metrics.watch_begins(opened)),
        })
    }

    /// Whether the watch has ended before the time for which it was requested.
    pub(super) fn ended_early(&self) -> bool {
        self.opened.elapsed() + ROUNDING < self.timeout
    }

    /// Returns an error if the watch ended within a second and without an event.
    pub(super) fn too_short(&self) -> Option<ListWatchError> {
        (self.was_empty && self.opened.elapsed() < VERY_SHORT)
            .then_some(ListWatchError::VeryShortWatch)
    }

    /// Limits silence from now on, since the API server has sent a bookmark.
    pub(super) fn expect_bookmarks(&mut self) {
        self.silence = Silence::AtMost(SILENCE);
    }

    /// Returns the next event, or `None` when the watch has ended or its connection is lost.
    ///
    /// # Errors
    ///
    /// [`ListWatchError::Status`] for an error event of the API server, [`ListWatchError::Body`] if
    /// the body is not a watch, [`ListWatchError::Silence`] if the watch is silent for too long.
    pub(super) async fn next<K: Object>(
        &mut self,
        decoder: &mut Decoder<K>,
    ) -> Result<Option<WatchEvent<K>>, ListWatchError> {
        self.next_until(self.ends, decoder).await
    }

    /// Like [`next`](Self::next), but returns no event after `due`, even if one has arrived.
    ///
    /// # Errors
    ///
    /// The errors of [`next`](Self::next), and [`ListWatchError::Endless`] after `due`.
    pub(super) async fn next_before<K: Object>(
        &mut self,
        due: Instant,
        decoder: &mut Decoder<K>,
    ) -> Result<Option<WatchEvent<K>>, ListWatchError> {
        let next = self.next_until(due, decoder).await;
        if Instant::now() >= due && matches!(next, Ok(Some(_)) | Err(ListWatchError::Silence(_))) {
            return Err(ListWatchError::Endless(self.opened.elapsed()));
        }
        next
    }

    async fn next_until<K: Object>(
        &mut self,
        due: Instant,
        decoder: &mut Decoder<K>,
    ) -> Result<Option<WatchEvent<K>>, ListWatchError> {
        // Yields to other tasks even if events never stop arriving.
        tokio::task::coop::consume_budget().await;
        let Some((line, is_whole)) = self.next_line(due).await? else {
            return Ok(None);
        };
        match decoder.event(&line) {
            // The connection was lost within an event. The next watch starts before that event.
            Err(ListWatchError::Body { .. }) if !is_whole => Ok(None),
            Ok(event) => {
                self.was_empty = false;
                self.measured.iter_mut().for_each(OpenWatch::event);
                if matches!(event, WatchEvent::Bookmark { .. }) && self.silence == Silence::UntilEnd
                {
                    self.expect_bookmarks();
                }
                Ok(Some(event))
            }
            Err(error) => Err(error),
        }
    }

    /// Returns the next line, and whether its line end has arrived. Returns `None` when the watch
    /// has ended or its connection is lost.
    async fn next_line(&mut self, due: Instant) -> Result<Option<(Bytes, bool)>, ListWatchError> {
        if let Some(line) = self.lines.buffered() {
            return Ok(Some((line, true)));
        }
        loop {
            let limit = self.silence.limit(self.is_unpinged);
            let deadline = limit.map_or(due, |limit| due.min(self.heard + limit));
            let arrived = timeout_at(deadline, self.lines.arrived()).await;
            match arrived.map_err(|_| ListWatchError::Silence(self.heard.elapsed()))? {
                Ok(true) => {
                    self.heard = Instant::now();
                    if let Some(line) = self.lines.buffered() {
                        return Ok(Some((line, true)));
                    }
                }
                Ok(false) => return Ok(self.lines.rest().map(|line| (line, false))),
                Err(Broken::Body(error)) => {
                    let error: &dyn std::error::Error = &error;
                    tracing::debug!(error, "watch connection lost");
                    return Ok(None);
                }
                Err(Broken::Endless) => {
                    return Err(ListWatchError::Body {
                        expected: "watch",
                        found: "an unterminated line".to_owned(),
                    });
                }
            }
        }
    }
}

impl Silence {
    /// Returns the maximum silence. `None`: until the end of the watch.
    fn limit(self, is_unpinged: bool) -> Option<Duration> {
        let unpinged = is_unpinged.then_some(UNPINGED_SILENCE);
        match self {
            Self::UntilEnd => unpinged,
            Self::AtMost(silence) => Some(unpinged.map_or(silence, |limit| limit.min(silence))),
        }
    }
}

/// Returns the duration to request for a watch: between one and two times `min_timeout`, or about
/// 30 s without pings.
fn watch_timeout(min_timeout: Duration, is_unpinged: bool) -> Duration {
    let timeout = jittered(min_timeout);
    if is_unpinged {
        let spread = jittered(UNPINGED_SPREAD) - UNPINGED_SPREAD;
        timeout.min(UNPINGED_TIMEOUT + spread)
    } else {
        timeout
    }
}

/// Error of [`Lines`]: the connection was lost, or a line is too long.
#[derive(Debug)]
pub(super) enum Broken {
    Body(kube::Error),
    Endless,
}

/// Splitter of a body into lines. A line that lies within one chunk of the body is not copied.
pub(super) struct Lines {
    /// `None` after the end of the body: a body must not be polled again after its end.
    body: Option<Body>,
    /// The part of the last chunk that has not been split yet.
    chunk: Bytes,
    /// Start of a line that is still arriving.
    partial: BytesMut,
}

impl Lines {
    pub(super) fn new(body: Body) -> Self {
        Self {
            body: Some(body),
            chunk: Bytes::new(),
            partial: BytesMut::new(),
        }
    }

    /// Returns the next line if it has arrived completely.
    pub(super) fn buffered(&mut self) -> Option<Bytes> {
        while let Some(end) = memchr::memchr(b'\n', &self.chunk) {
            let mut line = self.chunk.split_to(end);
            self.chunk.advance(1);
            if !self.partial.is_empty() {
                self.partial.extend_from_slice(&line);
                line = self.partial.split().freeze();
            }
            if !line.trim_ascii().is_empty() {
                return Some(line);
            }
        }
        None
    }

    /// Waits for more of the body. Returns `false` at the end of the body.
    ///
    /// # Cancel safety
    ///
    /// Nothing is lost if the future is dropped.
    pub(super) async fn arrived(&mut self) -> Result<bool, Broken> {
        while let Some(body) = &mut self.body {
            let Some(frame) = body.frame().await else {
                self.body = None;
                break;
            };
            let Ok(data) = frame.map_err(Broken::Body)?.into_data() else {
                continue;
            };
            self.partial.extend_from_slice(&self.chunk);
            self.chunk = data;
            if self.partial.len() > MAX_LINE {
                return Err(Broken::Endless);
            }
            return Ok(true);
        }
        Ok(false)
    }

    /// Returns the last line of the body if it has no line end.
    pub(super) fn rest(&mut self) -> Option<Bytes> {
        self.partial
            .extend_from_slice(&std::mem::take(&mut self.chunk));
        let rest = self.partial.split().freeze();
        (!rest.trim_ascii().is_empty()).then_some(rest)
    }
}

#[cfg(test)]
mod tests;
