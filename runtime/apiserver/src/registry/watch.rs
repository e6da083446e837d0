//! Watches: the changes of a collection after a resource version, streamed as lines of JSON.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::{Stream, stream};
use genclient_apimachinery::fields::FieldTest;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until};

use super::codec;
use super::get::{SelectionPredicate, parse_resource_version, prefix, wait_for_version};
use super::response::{self, Representation};
use crate::api_response::ApiResponse;
use crate::faults;
use crate::kinds::Kind;
use crate::metadata;
use crate::query::Query;
use crate::request::ObjectRequest;
use crate::state::ServerState;
use crate::status_error::StatusError;
use crate::store::{StoreEvent, Unavailable};
use crate::stored::Stored;
use crate::watch_faults::{WatchEnd, WatchFault};

/// Interval of bookmarks in a watch with `allowWatchBookmarks`.
const BOOKMARKS: Duration = Duration::from_secs(60);
/// Minimum duration of a watch without `timeoutSeconds`. A random time of up to the same length is
/// added.
const MIN_DURATION: Duration = Duration::from_secs(30 * 60);

/// Time after which a watch retries a failed conversion.
const RETRY: Duration = Duration::from_secs(1);

/// Watches a collection.
pub(super) async fn watch(
    server: &Arc<ServerState>,
    request: &ObjectRequest,
) -> Result<ApiResponse, StatusError> {
    let representation = response::negotiate(request)?;
    let kind = &request.kind;
    let query = &request.query;
    let mut selection = SelectionPredicate::from_request(server, request)?;
    if !request.target.name.is_empty() {
        selection.fields.0.push(FieldTest {
            field: "metadata.name".to_owned(),
            value: request.target.name.clone(),
            is_equal: true,
        });
    }
    let mut version = asked_version(query)?;
    let timeout = timeout(server, query)?;
    let bookmarks = query.is_set("allowWatchBookmarks");
    let sends_initial = query.text("sendInitialEvents") == "true";
    if version == 0 && query.text("sendInitialEvents") == "false" {
        version = server.store.version();
    }
    codec::initialize_cache(server, kind).await?;
    let now = Instant::now();
    let fault = server.watch_faults.subscribe(kind.plural());
    let generation = fault.borrow().generation;
    let mut watcher = Watcher {
        changes: server.store.subscribe(&kind.resource),
        fault,
        generation,
        server: Arc::clone(server),
        kind: Arc::clone(kind),
        representation,
        selection,
        prefix: prefix(request),
        version,
        lines: VecDeque::new(),
        initial: None,
        bookmark: next_bookmark(now, now + timeout).filter(|_| bookmarks),
        end: now + timeout,
        has_columns: false,
        is_over: false,
        is_broken: false,
    };
    if timeout.is_zero() {
        watcher.is_over = true;
    } else if sends_initial && let Err(failure) = wait_for_version(server, kind, version).await {
        watcher.fail(&failure);
    } else if version == 0 || sends_initial {
        let initial = InitialEvents {
            marks_end: bookmarks,
        };
        if watcher.send_initial(initial).await.is_err() {
            watcher.initial = Some(initial);
        }
    }
    Ok(ApiResponse::events(lines(watcher)))
}

/// Returns the resource version that a watch starts after, or 0 if the query has none.
fn asked_version(query: &Query) -> Result<u64, StatusError> {
    match query.text("resourceVersion") {
        "" => Ok(0),
        text => parse_resource_version(text).map_err(|error| StatusError::unknown(500, error)),
    }
}

/// Returns the time after which a watch ends.
fn timeout(server: &ServerState, query: &Query) -> Result<Duration, StatusError> {
    Ok(match query.number("timeoutSeconds")? {
        None | Some(0) => MIN_DURATION + server.seed.delay(MIN_DURATION),
        Some(seconds) => Duration::from_secs(u64::try_from(seconds).unwrap_or_default()),
    })
}

fn lines(watcher: Watcher) -> impl Stream<Item = io::Result<Bytes>> {
    stream::unfold(watcher, |mut watcher| async move {
        let line = match watcher.next().await {
            Some(line) => Ok(line),
            None if watcher.is_broken => {
                watcher.is_broken = false;
                Err(faults::broken_connection())
            }
            None => return None,
        };
        Some((line, watcher))
    })
}

/// Events for the objects that exist when a watch starts.
#[derive(Clone, Copy)]
struct InitialEvents {
    /// Whether a bookmark marks the end of these events.
    marks_end: bool,
}

/// Returns the time of the next bookmark: after a minute, or two seconds before the end if that is
/// sooner (`cacheWatcher.nextBookmarkTime` in
/// k8s.io/apiserver/pkg/storage/cacher/cache_watcher.go). Returns `None` if that time has passed.
fn next_bookmark(now: Instant, end: Instant) -> Option<Instant> {
    let before_end = end.checked_sub(Duration::from_secs(2))?;
    let next = before_end.min(now + BOOKMARKS);
    (next > now).then_some(next)
}

/// State of a watch: a cursor in the change log of a resource, and the lines to send.
struct Watcher {
    server: Arc<ServerState>,
    kind: Arc<Kind>,
    representation: Representation,
    selection: SelectionPredicate,
    prefix: String,
    /// Resource version up to which changes were sent.
    version: u64,
    changes: watch::Receiver<u64>,
    fault: watch::Receiver<WatchFault>,
    /// [`WatchFault::generation`] when this watch started.
    generation: u64,
    lines: VecDeque<Bytes>,
    /// Initial events that are still to be sent, because a conversion has failed.
    initial: Option<InitialEvents>,
    bookmark: Option<Instant>,
    end: Instant,
    /// Whether a table with column definitions was sent.
    has_columns: bool,
    is_over: bool,
    /// Whether the response ends with a connection error.
    is_broken: bool,
}

impl Watcher {
    /// Enqueues the initial events.
    async fn send_initial(&mut self, initial: InitialEvents) -> Result<(), StatusError> {
        let mut snapshot = self.server.store.list(&self.kind.resource, &self.prefix);
        for (_, stored) in &mut snapshot.objects {
            *stored = codec::for_watch_cache(&self.server, &self.kind, stored).await?;
        }
        self.initial = None;
        for (_, stored) in &snapshot.objects {
            if self.selection.matches(&self.kind, stored) {
                let line = self.line("ADDED", stored);
                self.lines.push_back(line);
            }
        }
        self.version = self.version.max(snapshot.version);
        if initial.marks_end {
            let annotations = json!({ "k8s.io/initial-events-end": "true" });
            let line = self.bookmark_line(Some(annotations));
            self.lines.push_back(line);
        }
        Ok(())
    }

    /// Waits for lines, and returns all that are ready. Returns `None` at the end of the watch.
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            if let Some(line) = self.ready_lines() {
                return Some(line);
            }
            if self.is_over {
                return None;
            }
            let is_frozen = self.obey();
            if self.is_over {
                continue;
            }
            if is_frozen {
                self.wait(self.end).await;
                continue;
            }
            self.changes.borrow_and_update();
            if let Some(initial) = self.initial {
                if let Err(failure) = self.send_initial(initial).await {
                    self.pause(&failure).await;
                }
                continue;
            }
            // The version is read first, so that the changes read afterwards are complete up to it.
            let newest = self.server.store.version();
            match self.server.store.changes(&self.kind.resource, self.version) {
                Ok(changes) if changes.is_empty() => match (self.is_served(), self.bookmark) {
                    (false, _) => self.is_over = true,
                    (true, Some(at)) if at <= Instant::now() => self.send_bookmark(newest),
                    (true, next) => self.wait(next.unwrap_or(self.end)).await,
                },
                Ok(changes) => {
                    if let Err(failure) = self.take(&changes).await {
                        self.pause(&failure).await;
                    }
                }
                Err(Unavailable::TooOld { oldest }) => {
                    let (version, oldest) = (self.version, oldest.saturating_sub(1));
                    let message = format!("too old resource version: {version} ({oldest})");
                    self.fail(&StatusError::expired(message));
                }
                Err(Unavailable::Future { .. }) => self.wait(self.end).await,
            }
        }
    }

    /// Applies the fault that a test has injected. Returns whether the watch is frozen.
    fn obey(&mut self) -> bool {
        let fault = *self.fault.borrow_and_update();
        if fault.generation != self.generation {
            match fault.end {
                WatchEnd::Cut => self.is_over = true,
                WatchEnd::Broken => {
                    self.is_broken = true;
                    self.is_over = true;
                }
                WatchEnd::Expired => {
                    let message = format!("too old resource version: {0} ({0})", self.version);
                    self.fail(&StatusError::expired(message));
                }
            }
        }
        fault.is_frozen
    }

    /// Returns whether the kind is still served, with an unchanged CustomResourceDefinition.
    fn is_served(&self) -> bool {
        let Kind {
            resource, version, ..
        } = &*self.kind;
        let kinds = &self.server.kinds;
        let served = kinds.get(&resource.group, version, &resource.plural);
        let id = |kind: &Kind| kind.custom().map(|custom| custom.versions.id);
        served.is_some_and(|served| id(&served) == id(&self.kind))
    }

    /// Waits before a failed conversion is retried. kube-apiserver retries such conversions too.
    async fn pause(&mut self, failure: &StatusError) {
        tracing::debug!(message = failure.message, "an event cannot be converted");
        tokio::select! {
            () = sleep(RETRY) => {}
            _ = self.changes.changed() => {}
            _ = self.fault.changed() => {}
            () = sleep_until(self.end) => self.is_over = true,
        }
        self.is_over |= !self.is_served();
    }

    fn ready_lines(&mut self) -> Option<Bytes> {
        match self.lines.len() {
            0 | 1 => self.lines.pop_front(),
            _ => Some(self.lines.drain(..).flatten().collect()),
        }
    }

    /// Waits for a change or a fault, at most until `until` or the end of the watch.
    async fn wait(&mut self, until: Instant) {
        tokio::select! {
            _ = self.changes.changed() => {}
            _ = self.fault.changed() => {}
            () = sleep_until(until.min(self.end)) => self.is_over = self.end <= Instant::now(),
        }
    }

    fn send_bookmark(&mut self, version: u64) {
        self.version = self.version.max(version);
        let line = self.bookmark_line(None);
        self.lines.push_back(line);
        self.bookmark = next_bookmark(Instant::now(), self.end);
    }

    /// Enqueues the lines of changes. Stops before a change that is not due yet if lines are ready.
    /// If no line is ready, waits for the change.
    async fn take(&mut self, changes: &[Arc<StoreEvent>]) -> Result<(), StatusError> {
        for change in changes {
            if change.due > Instant::now() {
                if !self.lines.is_empty() {
                    return Ok(());
                }
                tokio::select! {
                    () = sleep_until(change.due) => {}
                    () = sleep_until(self.end) => { self.is_over = true; return Ok(()); }
                    _ = self.fault.changed() => return Ok(()),
                }
            }
            if change.key.as_str().starts_with(&self.prefix) {
                let line = match self.change_line(change).await {
                    // The lines that are ready are sent before the failed conversion is retried.
                    Err(_) if !self.lines.is_empty() => return Ok(()),
                    line => line?,
                };
                self.lines.extend(line);
            }
            self.version = change.version;
        }
        Ok(())
    }

    /// Returns the line for a change, or `None` if neither the old nor the new state matches the
    /// selectors. An object that no longer matches is reported as deleted.
    async fn change_line(&mut self, change: &StoreEvent) -> Result<Option<Bytes>, StatusError> {
        let (server, kind) = (&self.server, &self.kind);
        let new = if change.is_deletion {
            None
        } else {
            Some(codec::for_watch_cache(server, kind, &change.new).await?)
        };
        // Without selectors, only a deletion needs the old state in the version of the request.
        let is_needed = change.is_deletion || !self.selection.is_label_and_field_free();
        let old = match &change.old {
            Some(old) if is_needed => Some(codec::for_watch_cache(server, kind, old).await?),
            old => old.clone(),
        };
        let matches = |stored: &Arc<Stored>| self.selection.matches(&self.kind, stored);
        let (old, new) = (old.filter(matches), new.filter(matches));
        Ok(match (old, new) {
            (None, None) => None,
            (None, Some(new)) => Some(self.line("ADDED", &new)),
            (Some(_), Some(new)) => Some(self.line("MODIFIED", &new)),
            (Some(old), None) => Some(self.line("DELETED", &old.at_version(change.version))),
        })
    }

    fn line(&mut self, type_: &str, stored: &Stored) -> Bytes {
        let mut line = format!("{{\"type\":\"{type_}\",\"object\":").into_bytes();
        if let Representation::Table(rows) = self.representation {
            let has_columns = !std::mem::replace(&mut self.has_columns, true);
            let metadata = json!({ "resourceVersion": stored.version().to_string() });
            let objects = std::iter::once(stored);
            let table = rows.table(&self.kind, metadata, objects, has_columns);
            line.extend_from_slice(table.to_string().as_bytes());
        } else {
            response::write(&mut line, &self.kind, stored, self.representation);
        }
        line.extend_from_slice(b"}\n");
        line.into()
    }

    fn bookmark_line(&self, annotations: Option<Value>) -> Bytes {
        let mut object = json!({
            "kind": self.kind.kind,
            "apiVersion": self.kind.api_version(),
            "metadata": { "resourceVersion": self.version.to_string() },
        });
        if let Some(annotations) = annotations {
            metadata::set_field(&mut object, "annotations", Some(annotations));
        }
        match self.representation {
            Representation::Whole => {}
            Representation::Metadata(version) => {
                object["kind"] = "PartialObjectMetadata".into();
                object["apiVersion"] = version.into();
            }
            Representation::Table(rows) => object = rows.bookmark(&self.kind, &object),
        }
        let line = json!({ "type": "BOOKMARK", "object": object });
        Bytes::from(format!("{line}\n"))
    }

    /// Enqueues an `ERROR` event and ends the watch.
    fn fail(&mut self, failure: &StatusError) {
        let line = json!({ "type": "ERROR", "object": failure.status() });
        self.lines.push_back(Bytes::from(format!("{line}\n")));
        self.is_over = true;
    }
}
