//! [`Reflector`]: the loop of initial lists and watches, and the reaction to each failure.
//! [`ReflectorStore`] receives lists and changes.

use std::cmp::Ordering;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use kube::{Client, Resource};
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tracing::Instrument;

use super::backoff::{MAX_PAUSE, WatchBackoff, jittered};
use super::decode::{DecodedEvent, Decoder, Skipped, Transform};
use super::error::ListWatchError;
use super::failures::{FailureLog, Failures, Next};
use super::meter::{ReflectorMeter, VERY_SHORT};
use super::outage::{Expected, Outage, spread};
use super::request::{Options, Target};
use super::watch::Watch;
use crate::cache::{ObjectName, compare_resource_versions};
use crate::client::MAX_RETRY_AFTER;
use crate::scheme::Object;

/// How long the watch of a reflector that failed has to stand, if no event arrives, until the
/// reflector has recovered.
const STANDING: Duration = Duration::from_millis(250);

/// How long a watch that continues after an early end may be silent until it is checked that the
/// API server has reached its version. Jitter makes it up to twice as long.
pub(crate) const CONFIRM_AFTER: Duration = Duration::from_secs(5);

/// Loop that keeps a [`ReflectorStore`] in sync with a collection of the API server.
pub(crate) struct Reflector<K: Object, S> {
    pub(super) target: Target<K>,
    pub(super) decoder: Decoder<K>,
    pub(super) options: Options,
    pub(super) store: S,
    pub(super) backoff: WatchBackoff,
    /// Whether an attempt has failed, and no watch has stood since.
    is_failing: bool,
    failure_log: FailureLog,
    /// Whether a resource version has expired since the last event. After the first expiry, the
    /// reflector relists within half a second. If another version expires before an event arrives,
    /// the reflector backs off.
    has_expired: bool,
    /// The last known resource version; empty before the first list.
    pub(super) version: String,
    /// Whether `version` may be newer than the latest of the API server, since a watch ended early
    /// and none has sent an event since. etcd may have been restored from a backup meanwhile.
    pub(super) is_unconfirmed: bool,
    /// When the last initial list was requested.
    pub(super) listed_at: Instant,
    /// Whether the API server no longer has `version`, or has not reached it yet.
    pub(super) version_unavailable: bool,
    /// Whether the API server has returned pages for version `"0"`, which shows that it does not
    /// use its watch cache.
    pub(super) pages_anyway: bool,
}

/// Receiver of a reflector's lists and changes. The reflector waits for each call to return.
pub(crate) trait ReflectorStore<K>: Send + Sync {
    /// Replaces the known objects with a whole list.
    fn replace(&self, listed: Listed<K>);
    /// Applies one change. The store's state is then complete up to `resource_version`.
    fn changed(&self, change: Change<K>, resource_version: &str);
    /// Reports a failed attempt. The reflector will try again.
    fn failed(&self, error: ListWatchError);
    /// Reports that streaming the initial list takes long, or has failed. After a failure, the
    /// reflector streams once more or requests a paged list.
    fn streaming_failed(&self, error: ListWatchError);
    /// Reports a successful response of the API server. Its body may still be arriving.
    fn answered(&self);
    /// Returns the cached object, or `None`. `namespace` is empty for cluster-scoped objects.
    fn cached(&self, namespace: &str, name: &str) -> Option<Arc<K>>;
}

pub(crate) enum Change<K> {
    /// An object was added or updated.
    Upserted(Arc<K>),
    /// An object was deleted; this is its final state.
    Deleted(Arc<K>),
    /// An object was deleted; its final state could not be decoded.
    Vanished(ObjectName),
    /// An object was added or updated, and its new state cannot be decoded.
    Skipped(Skipped),
    /// No change: only the resource version advances.
    Bookmark,
}

/// Complete list, which replaces the cached objects.
pub(crate) struct Listed<K> {
    pub(crate) objects: Vec<Arc<K>>,
    pub(crate) skipped: Vec<Skipped>,
    pub(crate) resource_version: String,
    /// If resource versions went back: when this list was requested. Versions that were known
    /// before are void.
    pub(crate) restored: Option<Instant>,
}

impl<K: Object, S: ReflectorStore<K>> Reflector<K, S> {
    pub(crate) fn new(
        client: Client,
        types: K::DynamicType,
        namespace: Option<String>,
        options: Options,
        transform: Option<Transform<K>>,
        outage: Arc<Outage>,
        store: S,
    ) -> Self {
        Self {
            decoder: Decoder {
                types: types.clone(),
                options: options.clone(),
                transform,
                pruned: Vec::new(),
            },
            target: Target {
                client,
                types,
                namespace,
                selectors: options.selectors.clone(),
                meter: None,
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
        }
    }

    pub(crate) fn measured(mut self, meter: Option<ReflectorMeter>) -> Self {
        self.target.meter = meter.map(Arc::new);
        self
    }

    /// Lists and watches until the client is closed, and returns the error of the closed client.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the store is still consistent.
    pub(crate) async fn run(mut self) -> ListWatchError {
        loop {
            let error = self.round().await;
            if error.is_client_closed() {
                return error;
            }
            self.report_and_pause(error, S::failed).await;
        }
    }

    /// Gets the initial list, then opens one watch after another. Returns the first failure that
    /// requires a new list.
    async fn round(&mut self) -> ListWatchError {
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
            let watching = self.watch_once(watch.take(), &mut failures);
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

    /// Reads events from `watch`, or from a new watch if it is `None`. If the watch ends early, for
    /// example with its API server, the next server's version has to be confirmed.
    async fn watch_once(
        &mut self,
        watch: Option<Watch>,
        failures: &mut Failures,
    ) -> Result<(), ListWatchError> {
        let mut watch = match watch {
            Some(watch) => watch,
            None => self.open_watch().await?,
        };
        let ended = self.follow(&mut watch, failures).await;
        self.is_unconfirmed |= watch.ended_early();
        ended
    }

    async fn open_watch(&self) -> Result<Watch, ListWatchError> {
        let timeout = self.options.min_watch_timeout;
        let watch = Watch::open(&self.target, &self.version, timeout).await?;
        self.store.answered();
        Ok(watch)
    }

    /// Applies events until the watch ends. After an event, the watch is healthy, so a series of
    /// failures ends.
    async fn follow(
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
            if let DecodedEvent::Bookmark {
                resource_version, ..
            } = &event
                && is_older(resource_version, &self.version)
            {
                self.is_unconfirmed = true;
                continue;
            }
            self.is_unconfirmed = false;
            is_synthetic &= matches!(event, DecodedEvent::Added(_));
            self.apply(event, is_synthetic);
        }
        watch.too_short().map_or(Ok(()), Err)
    }

    /// Returns the next event of a watch, or `None` when the watch has ended. If the reflector has
    /// failed before, it has recovered with the first event, or once the watch has stood for
    /// [`STANDING`].
    async fn next_event(
        &mut self,
        watch: &mut Watch,
    ) -> Result<Option<DecodedEvent<K>>, ListWatchError> {
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

    fn apply(&mut self, event: DecodedEvent<K>, is_synthetic: bool) {
        let (change, version) = match event {
            DecodedEvent::Added(object) | DecodedEvent::Modified(object) => {
                let version = version_of(&*object);
                (Change::Upserted(object), version)
            }
            DecodedEvent::Deleted(object) => {
                let version = version_of(&*object);
                (Change::Deleted(object), version)
            }
            DecodedEvent::Vanished(skipped) => {
                self.target.warn_of_skipped(&skipped);
                (
                    Change::Vanished(skipped.name),
                    Some(skipped.resource_version),
                )
            }
            DecodedEvent::Skipped(skipped) => {
                self.target.warn_of_skipped(&skipped);
                let version = skipped.resource_version.clone();
                (Change::Skipped(skipped), Some(version))
            }
            DecodedEvent::Bookmark {
                resource_version, ..
            } => (Change::Bookmark, Some(resource_version)),
        };
        if let Some(version) = version.filter(|version| !version.is_empty() && !is_synthetic) {
            self.version = version;
            self.measure_version();
        }
        self.store.changed(change, &self.version);
    }

    pub(super) fn measure_version(&self) {
        if let Some(meter) = &self.target.meter {
            meter.knows(&self.version);
        }
    }

    /// Logs `error`, passes it to the store's method `report`, and waits until the next attempt.
    pub(super) async fn report_and_pause(
        &mut self,
        error: ListWatchError,
        report: fn(&S, ListWatchError),
    ) {
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

/// Whether `version` is older than `other`. False if they cannot be compared.
pub(super) fn is_older(version: &str, other: &str) -> bool {
    compare_resource_versions(version, other).is_ok_and(Ordering::is_lt)
}

fn version_of<K: Resource>(object: &K) -> Option<String> {
    object.meta().resource_version.clone()
}
