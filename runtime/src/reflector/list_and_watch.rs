//! [`Reflector`]: the loop of initial lists and watches, and the reaction to each failure.
//!
//! The initial list is streamed by a watch that first sends the current objects (KEP-3157,
//! WatchList). A paged list is the fallback.

use std::cmp::Ordering;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use kube::Client;
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tracing::Instrument;

use super::backoff::{FailureLog, Failures, MAX_PAUSE, Next, WatchBackoff, jittered};
use super::decode::{Decoder, Transform};
use super::error::ListWatchError;
use super::event::WatchEvent;
use super::gain::{Gain, listed};
use super::list::{ListSettings, list, watch_list};
use super::metrics::{ReflectorMetrics, VERY_SHORT};
use super::outage::{Expected, Outage, spread};
use super::request::{ListWatchTarget, ReflectorOptions};
use super::shards::ReflectedShards;
use super::store::{Listed, ReflectorStore};
use super::watch::Watch;
use crate::cache::compare_resource_versions;
use crate::client::MAX_RETRY_AFTER;
use crate::scheme::Object;

mod follow_shards;

/// Interval of warnings while a streamed list is incomplete.
const WARNING_INTERVAL: Duration = Duration::from_secs(10);

/// How long the watch of a reflector that failed has to stand, if no event arrives, until the
/// reflector has recovered.
const STANDING: Duration = Duration::from_millis(250);

/// How long a watch that continues after an early end may be silent until it is checked that the
/// API server has reached its version. Jitter makes it up to twice as long.
pub(crate) const CONFIRM_AFTER: Duration = Duration::from_secs(5);

/// Loop that keeps a [`ReflectorStore`] in sync with a collection of the API server.
pub(crate) struct Reflector<K: Object, S> {
    target: ListWatchTarget<K>,
    decoder: Decoder<K>,
    options: ReflectorOptions,
    store: S,
    backoff: WatchBackoff,
    /// Whether an attempt has failed, and no watch has stood since.
    is_failing: bool,
    failure_log: FailureLog,
    /// Whether a resource version has expired since the last event. After the first expiry, the
    /// reflector relists within half a second. If another version expires before an event arrives,
    /// the reflector backs off.
    has_expired: bool,
    /// The last known resource version; empty before the first list.
    version: String,
    /// Whether `version` may be newer than the latest of the API server, since a watch ended early
    /// and none has sent an event since. etcd may have been restored from a backup meanwhile.
    is_unconfirmed: bool,
    /// When the last initial list was requested.
    listed_at: Instant,
    /// Whether the API server no longer has `version`, or has not reached it yet.
    version_unavailable: bool,
    /// Whether the API server has returned pages for version `"0"`, which shows that it does not
    /// use its watch cache.
    pages_anyway: bool,
    /// The part of the collection that this replica caches; `None` for all of it.
    shards: Option<ReflectedShards>,
    /// A list of what this replica has got, while the watch goes on.
    gain: Option<Gain<K>>,
}

/// Pause before the next attempt. It is at least as long as the server's `Retry-After`, up to
/// [`MAX_RETRY_AFTER`].
enum Pause {
    /// Waits for this reflector's turn among those that fail likewise, and at least this long.
    Turn(Expected, Duration),
    /// A random duration of up to half a second.
    Spread,
    /// Waits this long.
    Alone(Duration),
}

impl<K: Object, S: ReflectorStore<K> + Clone + 'static> Reflector<K, S> {
    pub(crate) fn new(
        client: Client,
        types: K::DynamicType,
        namespace: Option<String>,
        options: ReflectorOptions,
        transform: Option<Transform<K>>,
        outage: Arc<Outage>,
        store: S,
    ) -> Self {
        Self {
            decoder: Decoder::new(types.clone(), options.clone(), transform),
            target: ListWatchTarget {
                client,
                types,
                namespace,
                selectors: options.selectors.clone(),
                metrics: None,
                outage,
                unpinged: AtomicBool::new(false),
            },
            options,
            store,
            backoff: WatchBackoff::new(),
            is_failing: false,
            failure_log: FailureLog::default(),
            has_expired: false,
            version: String::new(),
            is_unconfirmed: false,
            listed_at: Instant::now(),
            version_unavailable: false,
            pages_anyway: false,
            shards: None,
            gain: None,
        }
    }

    /// Limits the reflector to the part of the collection that this replica caches.
    pub(crate) fn limited(mut self, shards: Option<ReflectedShards>) -> Self {
        self.shards = shards;
        self
    }

    pub(crate) fn measured(mut self, metrics: Option<ReflectorMetrics>) -> Self {
        self.target.metrics = metrics.map(Arc::new);
        self
    }

    /// Lists and watches until the client is closed, and returns the error of the closed client.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the store is still consistent.
    pub(crate) async fn run(mut self) -> ListWatchError {
        loop {
            let error = self.list_and_watch().await;
            if error.is_client_closed() {
                return error;
            }
            self.report_and_pause(error, S::failed).await;
        }
    }

    /// Gets the initial list, then opens one watch after another. Returns the first failure that
    /// requires a new list.
    async fn list_and_watch(&mut self) -> ListWatchError {
        if let Err(error) = self.wait_for_shards().await {
            return error;
        }
        let mut watch = self.stream().await;
        if watch.is_none()
            && let Err(error) = self.list().await
        {
            return error;
        }
        let mut failures = Failures::new(self.options.max_internal_error_retry);
        loop {
            let opened = Instant::now();
            let span = self.target.watch_span(&self.version);
            let watching = self.watch(watch.take(), &mut failures);
            let ended = watching.instrument(span).await;
            self.is_unconfirmed |= ended.is_err();
            if ended.is_ok() {
                self.failure_log.end();
                self.target.trace_watch_ended(&self.version);
            }
            match failures.next(ended) {
                Next::List(error) => return error,
                Next::WatchLater(error) => self.report_and_pause(error, S::failed).await,
                Next::Watch(given_up) => {
                    if let Some(error) = given_up {
                        self.target.trace_given_up(&self.version, &error);
                    }
                    // Opens at most one watch per second.
                    sleep_until(opened + VERY_SHORT).await;
                }
            }
        }
    }

    /// Streams the initial list into the store. Returns the watch that continues after the list, or
    /// `None` if the reflector has to request a paged list instead.
    async fn stream(&mut self) -> Option<Watch> {
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
        let streaming = watch_list(&self.target, &mut self.decoder, version, least, &self.store)
            .instrument(self.target.list_span(version, true));
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

    async fn list(&mut self) -> Result<(), ListWatchError> {
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
        self.note_filtering(&listed);
        self.store.replace(listed);
        self.store.answered();
        if let Some(shards) = &self.shards {
            shards.cache.prepared();
        }
    }

    /// Reads events from `watch`, or from a new watch if it is `None`. If the watch ends early, for
    /// example with its API server, the next server's version has to be confirmed. If this replica
    /// gets or loses objects, opens the watch again.
    async fn watch(
        &mut self,
        mut watch: Option<Watch>,
        failures: &mut Failures,
    ) -> Result<(), ListWatchError> {
        loop {
            if self.follow_shards().await? {
                watch = None;
            }
            let mut watching = match watch.take() {
                Some(watch) => watch,
                None => self.open_watch().await?,
            };
            let mut gain = self.gain.take();
            let outdated = self.shards_outdated(gain.is_some());
            let ended = tokio::select! {
                biased;
                ended = self.handle_watch(&mut watching, failures) => Some(ended),
                listed = listed(&mut gain) => {
                    self.add_gained(listed)?;
                    continue;
                }
                () = outdated => None,
            };
            self.gain = gain;
            if let Some(ended) = ended {
                self.is_unconfirmed |= watching.ended_early();
                return ended;
            }
        }
    }

    async fn open_watch(&self) -> Result<Watch, ListWatchError> {
        let timeout = self.options.min_watch_timeout;
        let watch = Watch::open(&self.target, &self.version, timeout).await?;
        self.store.answered();
        Ok(watch)
    }

    /// Applies events until the watch ends. After an event, the watch is healthy, so a series of
    /// failures ends.
    async fn handle_watch(
        &mut self,
        watch: &mut Watch,
        failures: &mut Failures,
    ) -> Result<(), ListWatchError> {
        // A watch from version `""` or `"0"` starts with `ADDED` events for the current objects, in
        // any order. Their versions say nothing about progress, so `version` stays unchanged until
        // an event of another type.
        let mut is_synthetic = matches!(&*self.version, "" | "0");
        while let Some(event) = self.next_event(watch).await? {
            failures.end();
            self.failure_log.end();
            self.has_expired = false;
            if let WatchEvent::Bookmark {
                resource_version, ..
            } = &event
                && is_older(resource_version, &self.version)
            {
                self.is_unconfirmed = true;
                continue;
            }
            self.is_unconfirmed = false;
            is_synthetic &= matches!(event, WatchEvent::Added(_));
            self.handle_event(event, is_synthetic);
        }
        watch.too_short().map_or(Ok(()), Err)
    }

    /// Returns the next event of a watch, or `None` when the watch has ended. If the reflector has
    /// failed before, it has recovered with the first event, or once the watch has stood for
    /// [`STANDING`].
    async fn next_event(
        &mut self,
        watch: &mut Watch,
    ) -> Result<Option<WatchEvent<K>>, ListWatchError> {
        if self.is_failing {
            let next = timeout(STANDING, watch.next(&mut self.decoder)).await;
            if let Ok(failed @ (Err(_) | Ok(None))) = next {
                return failed;
            }
            self.is_failing = false;
            self.backoff.answered();
            self.target.outage.recovered();
            if let Ok(event) = next {
                return event;
            }
        }
        while self.is_unconfirmed {
            let latest = async {
                sleep(jittered(CONFIRM_AFTER)).await;
                self.target.latest_version().await
            };
            let latest = tokio::select! {
                biased;
                event = watch.next(&mut self.decoder) => return event,
                latest = latest => latest,
            };
            self.check_latest(latest)?;
        }
        watch.next(&mut self.decoder).await
    }

    /// Compares the version of the cache with the latest version of the API server.
    ///
    /// The API server never rejects a watch from a future version. It sends neither events nor
    /// bookmarks until it reaches that version (`cacheWatcher.process` in
    /// `k8s.io/apiserver/pkg/storage/cacher`), so client-go's caches stay old without an error.
    ///
    /// Only a consistent read shows that versions went back. A list from a watch cache may be older
    /// because that API server lags behind.
    ///
    /// # Errors
    ///
    /// [`ListWatchError::WentBack`] if the latest version is lower.
    fn check_latest(
        &mut self,
        latest: Result<String, ListWatchError>,
    ) -> Result<(), ListWatchError> {
        match latest {
            Ok(latest) if is_older(&latest, &self.version) => {
                self.version_unavailable = true;
                Err(ListWatchError::WentBack {
                    from: self.version.clone(),
                    to: latest,
                })
            }
            Ok(_) => {
                self.is_unconfirmed = false;
                Ok(())
            }
            Err(error) => {
                self.target.trace_unconfirmed(&self.version, &error);
                // Without the permission to list, the check would fail again.
                self.is_unconfirmed = !error.is_permanent_failure();
                Ok(())
            }
        }
    }

    fn handle_event(&mut self, event: WatchEvent<K>, is_synthetic: bool) {
        if let WatchEvent::Skipped(skipped) | WatchEvent::SkippedDeletion(skipped) = &event {
            self.target.warn_of_skipped(skipped);
        }
        let version = event.resource_version().unwrap_or_default();
        if !version.is_empty() && !is_synthetic {
            version.clone_into(&mut self.version);
            self.measure_version();
        }
        let current = self.without_outdated(event);
        self.store.handle_event(current, self.complete_up_to());
    }

    fn measure_version(&self) {
        if let Some(metrics) = &self.target.metrics {
            metrics.record_version(&self.version);
        }
    }

    /// Logs `error`, passes it to the store's method `report`, and waits until the next attempt.
    async fn report_and_pause(&mut self, error: ListWatchError, report: fn(&S, ListWatchError)) {
        self.is_failing = true;
        let pause = self.pause_after(&error);
        let is_news = self.failure_log.is_news(&error);
        self.target.trace_failure(&self.version, &error, is_news);
        report(&self.store, error);
        self.pause(pause).await;
    }

    fn pause_after(&mut self, error: &ListWatchError) -> Pause {
        let retry_after = error.retry_after();
        if self.target.outage.covers(error) {
            self.backoff.reset();
            Pause::Turn(Expected::Brief, retry_after)
        } else if matches!(error, ListWatchError::WentBack { .. })
            || error.is_expired() && !std::mem::replace(&mut self.has_expired, true)
        {
            Pause::Spread
        } else {
            let pause = self.backoff.pause().max(retry_after);
            // The longest pauses need no turns. With turns, many resources that are not served
            // would keep those waiting whose failures are brief.
            if pause >= MAX_PAUSE {
                Pause::Alone(pause)
            } else if error.is_permanent_failure() || self.backoff.is_long() {
                Pause::Turn(Expected::Lasting, pause)
            } else {
                Pause::Turn(Expected::Brief, pause)
            }
        }
    }

    /// Waits until the next attempt is due.
    async fn pause(&self, pause: Pause) {
        match pause {
            Pause::Turn(expected, least) => {
                let least = least.min(MAX_RETRY_AFTER);
                tokio::join!(self.target.outage.turn(expected), sleep(least));
            }
            Pause::Spread => spread().await,
            Pause::Alone(length) => sleep(length.min(MAX_RETRY_AFTER)).await,
        }
    }
}

/// Whether `version` is older than `other`. False if they cannot be compared.
fn is_older(version: &str, other: &str) -> bool {
    compare_resource_versions(version, other).is_ok_and(Ordering::is_lt)
}
