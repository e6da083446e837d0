//! The first state of a collection: streamed, or listed if that fails.

use std::pin::pin;
use std::time::Duration;

use tokio::time::{Instant, timeout};
use tracing::Instrument;

use super::error::ListWatchError;
use super::list::{Wanted, list};
use super::run::Reflector;
use super::sink::{Listed, Sink};
use super::watch::Watch;
use super::watch_list::watch_list;
use crate::scheme::Object;

/// How long a streamed list goes on between two complaints about it.
const COMPLAINTS: Duration = Duration::from_secs(10);

impl<K: Object, S: Sink<K>> Reflector<K, S> {
    /// The first state by streaming, or `None` if it has to be listed.
    pub(super) async fn stream(&mut self) -> Option<Watch> {
        let mut is_retried = false;
        while self.options.watch_list {
            match self.stream_once().await {
                Ok((listed, watch)) => {
                    self.replace(listed);
                    return Some(watch);
                }
                Err(error) if error.is_overload() => self.report_and_pause(error, S::failed).await,
                // A server that shuts down ends its watches. client-go tries again as often as that happens; here a proxy that cuts every
                // long answer short leaves the list.
                Err(ListWatchError::Incomplete) if !is_retried => is_retried = true,
                // A list is the dearest of requests, so that a silent server is asked to stream
                // once more before. client-go waits for as long as the watch may last. Only an
                // answer says whether what kept the server away is over.
                Err(error) if error.is_silence() => {
                    self.report_and_pause(error, S::hindered).await;
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
                    // A refusal only says that it has to be listed; anything else may be what keeps the list away, too.
                    if error.is_breakdown() {
                        self.sink.hindered(error);
                    }
                    return None;
                }
            }
        }
        None
    }

    /// One attempt at that. As client-go, it complains for as long as the end of the list does not come.
    async fn stream_once(&mut self) -> Result<(Listed<K>, Watch), ListWatchError> {
        let version = if self.version_unavailable {
            ""
        } else {
            &self.version
        };
        let least = self.options.min_watch_timeout;
        let streaming = watch_list(&self.target, &mut self.decoder, version, least, &self.sink);
        let streaming = streaming.instrument(self.target.list_span(version, true));
        let (mut streaming, begun) = (pin!(streaming), Instant::now());
        loop {
            if let Ok(streamed) = timeout(COMPLAINTS, streaming.as_mut()).await {
                let streamed = streamed?;
                self.target.trace_listed(&streamed.0, begun);
                return Ok(streamed);
            }
            self.target.warn_of_endless_list(begun.elapsed());
            self.sink.hindered(ListWatchError::Endless(begun.elapsed()));
        }
    }

    /// The first state by listing.
    pub(super) async fn list(&mut self) -> Result<(), ListWatchError> {
        let listed = match self.list_at_least().await {
            // Not the version that was asked for, but the latest: that is always there.
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
        let wanted = Wanted {
            version,
            page_size: self.options.page_size,
            pages_anyway: self.pages_anyway,
        };
        let (is_any, begun) = (version == "0", Instant::now());
        let listing = list(&self.target, &mut self.decoder, wanted, &self.sink);
        let span = self.target.list_span(version, false);
        let (listed, in_pages) = listing.instrument(span).await?;
        self.target.trace_listed(&listed, begun);
        self.pages_anyway |= is_any && in_pages;
        Ok(listed)
    }

    fn replace(&mut self, listed: Listed<K>) {
        for skipped in &listed.skipped {
            self.target.warn_of_skipped(skipped);
        }
        self.version.clone_from(&listed.resource_version);
        self.measure_version();
        self.version_unavailable = false;
        self.sink.replace(listed);
        self.sink.answered();
    }
}
