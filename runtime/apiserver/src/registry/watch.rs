//! Watches: changes of a collection from a version on, as a stream of lines.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::{Stream, stream};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use super::list::{self, Selection};
use super::output::{self, View};
use super::{ObjectRequest, metadata};
use crate::answer::Answer;
use crate::failure::Failure;
use crate::faults;
use crate::kinds::Kind;
use crate::query::Query;
use crate::server::Inner;
use crate::store::{Change, Unavailable};
use crate::stored::Stored;
use crate::watches::{End, Interference};

/// How often a watcher that asks for bookmarks gets one.
const BOOKMARKS: Duration = Duration::from_secs(60);
/// The shortest time after which a watch ends by itself.
const LONGEST: Duration = Duration::from_secs(30 * 60);

/// Follows a collection.
pub(super) fn watch(server: &Arc<Inner>, request: &ObjectRequest) -> Result<Answer, Failure> {
    let view = output::view(request)?;
    let kind = &request.kind;
    let query = &request.query;
    let mut selection = Selection::read(kind, query)?;
    if !request.target.name.is_empty() {
        selection.fields.0.push(crate::selector::FieldTest {
            field: "metadata.name".to_owned(),
            value: request.target.name.clone(),
            is_equal: true,
        });
    }
    list::check_match(query, true)?;
    let version = asked_version(query)?;
    let timeout = timeout(server, query)?;
    let bookmarks = query.is_set("allowWatchBookmarks");
    let sends_initial = query.text("sendInitialEvents") == "true";
    let now = Instant::now();
    let mut watcher = Watcher {
        changes: server.store.subscribe(&kind.resource),
        interference: server.interferences.subscribe(kind.plural()),
        generation: None,
        server: Arc::clone(server),
        kind: Arc::clone(kind),
        view,
        selection,
        prefix: list::prefix(request),
        version,
        lines: VecDeque::new(),
        bookmark: bookmarks
            .then(|| now + BOOKMARKS.min(timeout.saturating_sub(Duration::from_secs(2)))),
        end: now + timeout,
        has_columns: false,
        is_over: false,
        is_broken: false,
    };
    if version == 0 || sends_initial {
        watcher.send_initial(sends_initial && bookmarks);
    }
    Ok(Answer::events(lines(watcher)))
}

/// The version that a watch begins after.
fn asked_version(query: &Query) -> Result<u64, Failure> {
    match query.text("resourceVersion") {
        "" => Ok(0),
        text => text.parse().map_err(|_| {
            let message = format!("strconv.ParseUint: parsing \"{text}\": invalid syntax");
            Failure::unknown(500, message)
        }),
    }
}

/// How long a watch lasts.
fn timeout(server: &Inner, query: &Query) -> Result<Duration, Failure> {
    let seconds = query.number("timeoutSeconds")?;
    let seconds = seconds.and_then(|it| u64::try_from(it).ok());
    Ok(match seconds {
        None | Some(0) => LONGEST + server.seed.delay(LONGEST),
        Some(seconds) => Duration::from_secs(seconds),
    })
}

fn lines(watcher: Watcher) -> impl Stream<Item = io::Result<Bytes>> {
    stream::unfold(watcher, |mut watcher| async move {
        let line = match watcher.next().await {
            Some(line) => Ok(line),
            None if watcher.is_broken => {
                watcher.is_broken = false;
                Err(faults::broken())
            }
            None => return None,
        };
        Some((line, watcher))
    })
}

/// A cursor in the log of a resource.
struct Watcher {
    server: Arc<Inner>,
    kind: Arc<Kind>,
    view: View,
    selection: Selection,
    prefix: String,
    /// Version up to which changes were sent.
    version: u64,
    changes: watch::Receiver<u64>,
    interference: watch::Receiver<Interference>,
    /// Generation of watches that this one belongs to.
    generation: Option<u64>,
    lines: VecDeque<Bytes>,
    bookmark: Option<Instant>,
    end: Instant,
    /// The columns of a table were sent.
    has_columns: bool,
    is_over: bool,
    /// The connection breaks at the end.
    is_broken: bool,
}

impl Watcher {
    fn send_initial(&mut self, marks_end: bool) {
        let snapshot = self.server.store.list(&self.kind.resource, &self.prefix);
        for (_, stored) in &snapshot.objects {
            if self.selection.matches(&self.kind, stored) {
                let line = self.line("ADDED", stored);
                self.lines.push_back(line);
            }
        }
        self.version = self.version.max(snapshot.version);
        if marks_end {
            let annotations = json!({ "k8s.io/initial-events-end": "true" });
            let line = self.bookmark_line(Some(annotations));
            self.lines.push_back(line);
        }
    }

    /// The next lines, as many as are ready.
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            if let Some(line) = self.ready_lines() {
                return Some(line);
            }
            if self.is_over {
                return None;
            }
            self.server.controllers.run_due(&self.server).await;
            let is_frozen = self.obey();
            if self.is_over {
                continue;
            }
            if is_frozen {
                self.wait().await;
                continue;
            }
            self.changes.borrow_and_update();
            match self.server.store.changes(&self.kind.resource, self.version) {
                Ok(changes) if changes.is_empty() => match self.is_served() {
                    true => self.wait().await,
                    false => self.is_over = true,
                },
                Ok(changes) => self.take(&changes).await,
                Err(Unavailable::TooOld { oldest }) => {
                    let (version, oldest) = (self.version, oldest.saturating_sub(1));
                    let message = format!("too old resource version: {version} ({oldest})");
                    self.fail(&Failure::expired(message));
                }
                Err(Unavailable::Future { .. }) => self.wait().await,
            }
        }
    }

    /// Does what faults ask for; true if nothing may be sent.
    fn obey(&mut self) -> bool {
        let interference = *self.interference.borrow_and_update();
        let generation = *self.generation.get_or_insert(interference.generation);
        if interference.generation != generation {
            match interference.end {
                End::Cut => self.is_over = true,
                End::Broken => {
                    self.is_broken = true;
                    self.is_over = true;
                }
                End::Expired => {
                    let message = format!("too old resource version: {0} ({0})", self.version);
                    self.fail(&Failure::expired(message));
                }
            }
        }
        interference.is_frozen
    }

    /// Whether the definition of the kind is still there.
    fn is_served(&self) -> bool {
        let Kind {
            resource, version, ..
        } = &*self.kind;
        let kinds = &self.server.kinds;
        kinds
            .get(&resource.group, version, &resource.plural)
            .is_some()
    }

    fn ready_lines(&mut self) -> Option<Bytes> {
        match self.lines.len() {
            0 | 1 => self.lines.pop_front(),
            _ => Some(self.lines.drain(..).flatten().collect()),
        }
    }

    /// Waits for a change, a bookmark or the end.
    async fn wait(&mut self) {
        let bookmark = self.bookmark.unwrap_or(self.end);
        tokio::select! {
            _ = self.changes.changed() => {}
            _ = self.interference.changed() => {}
            () = self.server.controllers.due() => {}
            () = sleep_until(self.end) => self.is_over = true,
            () = sleep_until(bookmark), if self.bookmark.is_some() => {
                self.version = self.version.max(self.server.store.version());
                let line = self.bookmark_line(None);
                self.lines.push_back(line);
                self.bookmark = Some(Instant::now() + BOOKMARKS);
            }
        }
    }

    /// Writes the lines of changes that are due.
    async fn take(&mut self, changes: &[Arc<Change>]) {
        for change in changes {
            if change.due > Instant::now() {
                if !self.lines.is_empty() {
                    return;
                }
                tokio::select! {
                    () = sleep_until(change.due) => {}
                    () = sleep_until(self.end) => { self.is_over = true; return; }
                    _ = self.interference.changed() => return,
                }
            }
            self.version = change.version;
            if change.key.as_str().starts_with(&self.prefix) {
                let line = self.change_line(change);
                self.lines.extend(line);
            }
        }
    }

    /// The event of a change for what is selected: an object that ceases to match is deleted for
    /// this watcher.
    fn change_line(&mut self, change: &Change) -> Option<Bytes> {
        let matches = |stored: &Arc<Stored>| self.selection.matches(&self.kind, stored);
        let before = change.old.as_ref().is_some_and(matches);
        let after = !change.is_deletion && matches(&change.new);
        match (before, after) {
            (false, false) => None,
            (false, true) => Some(self.line("ADDED", &change.new)),
            (true, true) => Some(self.line("MODIFIED", &change.new)),
            (true, false) => {
                let old = change.old.as_ref()?;
                Some(self.line("DELETED", &old.at_version(change.version)))
            }
        }
    }

    fn line(&mut self, type_: &str, stored: &Stored) -> Bytes {
        let mut line = format!("{{\"type\":\"{type_}\",\"object\":").into_bytes();
        if let View::Table(rows) = self.view {
            let has_columns = !std::mem::replace(&mut self.has_columns, true);
            let metadata = json!({ "resourceVersion": stored.version().to_string() });
            let objects = std::iter::once(stored);
            let table = rows.table(&self.kind, metadata, objects, has_columns);
            line.extend_from_slice(table.to_string().as_bytes());
        } else {
            output::write(&mut line, &self.kind, stored, self.view);
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
            metadata::set(&mut object, "annotations", Some(annotations));
        }
        if let View::Table(rows) = self.view {
            object = rows.bookmark(&self.kind, &object);
        }
        let line = json!({ "type": "BOOKMARK", "object": object });
        Bytes::from(format!("{line}\n"))
    }

    /// Ends the watch with a Status.
    fn fail(&mut self, failure: &Failure) {
        let line = json!({ "type": "ERROR", "object": failure.status() });
        self.lines.push_back(Bytes::from(format!("{line}\n")));
        self.is_over = true;
    }
}
