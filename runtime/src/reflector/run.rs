//! The loop: first state, watch, and what each failure leads to.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use kube::{Client, Resource};
use tokio::time::{Instant, sleep_until, timeout};
use tracing::Instrument;

use super::backoff::Backoff;
use super::decode::{Decoder, Event, Transform};
use super::error::Error;
use super::failures::{Failures, Next};
use super::list::{Wanted, list};
use super::meter::Meter;
use super::request::{Options, Target};
use super::snapshot::{Listed, Skipped};
use super::watch::{VERY_SHORT, Watch};
use super::watch_list::watch_list;
use crate::cache::ObjectName;
use crate::scheme::Object;

/// How long a streamed list goes on between two complaints about it.
const COMPLAINTS: Duration = Duration::from_secs(10);

/// What a reflector writes to. Nothing waits there: the reflector reads on when a call returns.
pub(crate) trait Sink<K>: Send + Sync {
    /// A whole list takes the place of what is known.
    fn replace(&self, listed: Listed<K>);
    /// One change; everything up to `resource_version` is known.
    fn changed(&self, change: Change<K>, resource_version: &str);
    /// An attempt failed; there will be another.
    fn failed(&self, error: Error);
    /// The first state takes long to stream, or has to be listed instead.
    fn hindered(&self, error: Error);
    /// The API server answers as it should; what it sends may go on for long.
    fn answered(&self);
    /// What is known of the object of that name.
    fn cached(&self, namespace: &str, name: &str) -> Option<Arc<K>>;
}

/// One change of a collection.
pub(crate) enum Change<K> {
    /// An object is there, or is other than it was.
    Upserted(Arc<K>),
    /// An object is gone; this was its last state.
    Deleted(Arc<K>),
    /// An object is gone; its last state could not be read.
    Vanished(ObjectName),
    /// An object changed and could not be read.
    Skipped(Skipped),
    /// Nothing: only time went on.
    Bookmark,
}

/// Keeps a [`Sink`] true to a collection of the API server.
pub(crate) struct Reflector<K: Object, S> {
    target: Target<K>,
    decoder: Decoder<K>,
    options: Options,
    sink: S,
    backoff: Backoff,
    /// What is known; empty before the first list.
    version: String,
    /// Whether the API server no longer has, or does not have yet, what `version` names.
    version_unavailable: bool,
    /// See [`Wanted::pages_anyway`].
    pages_anyway: bool,
}

impl<K: Object, S: Sink<K>> Reflector<K, S> {
    pub(crate) fn new(
        client: Client,
        types: K::DynamicType,
        namespace: Option<String>,
        options: Options,
        transform: Option<Transform<K>>,
        sink: S,
    ) -> Self {
        Self {
            decoder: Decoder {
                types: types.clone(),
                keep_managed_fields: options.keep_managed_fields,
                drop_last_applied: options.drop_last_applied,
                shrink_to_fit: options.shrink_to_fit,
                transform,
                pruned: Vec::new(),
            },
            target: Target {
                client,
                types,
                namespace,
                selectors: options.selectors.clone(),
                meter: None,
            },
            options,
            sink,
            backoff: Backoff::new(),
            version: String::new(),
            version_unavailable: false,
            pages_anyway: false,
        }
    }

    /// Measures itself from now on.
    pub(crate) fn measured(mut self, meter: Option<Meter>) -> Self {
        self.target.meter = meter.map(Arc::new);
        self
    }

    /// Never returns.
    ///
    /// # Cancel safety
    ///
    /// The sink is whole whenever this is dropped.
    pub(crate) async fn run(mut self) {
        loop {
            match self.round().await {
                Ok(()) => self.backoff.pause(Duration::ZERO).await,
                Err(error) => self.report_and_pause(error).await,
            }
        }
    }

    /// The first state, and watches after it for as long as one can follow another.
    async fn round(&mut self) -> Result<(), Error> {
        let watch = match self.stream().await {
            Some(watch) => Some(watch),
            None => {
                self.list().await?;
                None
            }
        };
        self.watch(watch).await
    }

    /// The first state by streaming, or `None` if it has to be listed.
    async fn stream(&mut self) -> Option<Watch> {
        let mut is_retried = false;
        while self.options.watch_list {
            match self.stream_once().await {
                Ok((listed, watch)) => {
                    self.replace(listed);
                    return Some(watch);
                }
                Err(error) if error.is_overload() => self.report_and_pause(error).await,
                // A server that shuts down ends its watches. client-go tries again as often as that happens; here a proxy that cuts every
                // long answer short leaves the list.
                Err(Error::Incomplete) if !is_retried => is_retried = true,
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
    async fn stream_once(&mut self) -> Result<(Listed<K>, Watch), Error> {
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
            self.sink.hindered(Error::Endless(begun.elapsed()));
        }
    }

    /// The first state by listing.
    async fn list(&mut self) -> Result<(), Error> {
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

    async fn list_at_least(&mut self) -> Result<Listed<K>, Error> {
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

    /// Follows `watch`, and the watches after it.
    async fn watch(&mut self, mut watch: Option<Watch>) -> Result<(), Error> {
        let mut failures = Failures::new(self.options.max_internal_error_retry);
        loop {
            let opened = Instant::now();
            let span = self.target.watch_span(&self.version);
            let watching = self.watch_once(watch.take(), &mut failures);
            let ended = watching.instrument(span).await;
            if ended.is_ok() {
                self.target.trace_watch_ended(&self.version);
            }
            match (failures.next(&ended), ended) {
                (Next::List, ended) => return ended,
                (Next::WatchLater, Err(error)) => {
                    self.report_and_pause(error).await;
                }
                // Watches are not opened faster than that.
                (Next::Watch | Next::WatchLater, ended) => {
                    if let Err(error) = ended {
                        self.target.trace_given_up(&self.version, &error);
                    }
                    sleep_until(opened + VERY_SHORT).await;
                }
            }
        }
    }

    /// Follows `watch`, or a new one.
    async fn watch_once(
        &mut self,
        watch: Option<Watch>,
        failures: &mut Failures,
    ) -> Result<(), Error> {
        let watch = match watch {
            Some(watch) => watch,
            None => self.open_watch().await?,
        };
        self.follow(watch, failures).await
    }

    async fn open_watch(&self) -> Result<Watch, Error> {
        let timeout = self.options.min_watch_timeout;
        let watch = Watch::open(&self.target, &self.version, timeout).await?;
        self.sink.answered();
        Ok(watch)
    }

    /// Applies events until the watch ends; with the first one, the failures before it are over.
    async fn follow(&mut self, mut watch: Watch, failures: &mut Failures) -> Result<(), Error> {
        // A watch from no version begins with what is there, in no order, so versions mean nothing until a change comes.
        let mut is_synthetic = matches!(&*self.version, "" | "0");
        while let Some(event) = watch.next(&mut self.decoder).await? {
            failures.end();
            is_synthetic &= matches!(event, Event::Added(_));
            self.apply(event, is_synthetic);
        }
        watch.too_short().map_or(Ok(()), Err)
    }

    fn apply(&mut self, event: Event<K>, is_synthetic: bool) {
        let (change, version) = match event {
            Event::Added(object) | Event::Modified(object) => {
                let version = version_of(&*object);
                (Change::Upserted(object), version)
            }
            Event::Deleted(object) => {
                let version = version_of(&*object);
                (Change::Deleted(object), version)
            }
            Event::Vanished(skipped) => {
                self.target.warn_of_skipped(&skipped);
                (
                    Change::Vanished(skipped.name),
                    Some(skipped.resource_version),
                )
            }
            Event::Skipped(skipped) => {
                self.target.warn_of_skipped(&skipped);
                let version = skipped.resource_version.clone();
                (Change::Skipped(skipped), Some(version))
            }
            Event::Bookmark {
                resource_version, ..
            } => (Change::Bookmark, Some(resource_version)),
        };
        if let Some(version) = version.filter(|version| !version.is_empty() && !is_synthetic) {
            self.version = version;
            self.measure_version();
        }
        self.sink.changed(change, &self.version);
    }

    fn measure_version(&self) {
        if let Some(meter) = &self.target.meter {
            meter.knows(&self.version);
        }
    }

    async fn report_and_pause(&mut self, error: Error) {
        let wish = error.retry_after();
        self.report(error);
        self.backoff.pause(wish).await;
    }

    fn report(&self, error: Error) {
        self.target.trace_failure(&self.version, &error);
        self.sink.failed(error);
    }
}

fn version_of<K: Resource>(object: &K) -> Option<String> {
    object.meta().resource_version.clone()
}
