//! Event series of `events.k8s.io/v1`: deduplication and write schedule of recorded events.
//!
//! The module does no I/O. The current time is an argument. Source: client-go,
//! `tools/events/event_broadcaster.go`.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use k8s_openapi::api::core::v1::ObjectReference;
use k8s_openapi::api::events::v1::{Event, EventSeries};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::key;
use super::recorded_event::MAX_QUEUED_EVENTS;
use super::writer::MAX_TRIES;

/// Time without an event after which a series is finished.
pub(super) const FINISH_TIME: Duration = Duration::from_secs(6 * 60);

/// Interval at which the changed counts of continuing series are written. The write also keeps the
/// event of the series from expiring on the server.
pub(super) const REFRESH_TIME: Duration = Duration::from_secs(30 * 60);

/// Maximum number of tracked events. client-go has no limit.
const MAX_EVENTS: usize = 4096;

/// Tracker of recent events, by series key.
#[derive(Default)]
pub(super) struct SeriesTracker {
    events: BTreeMap<String, SeriesEntry>,
    /// Keys of events to write immediately: new events and starts of series.
    news: VecDeque<String>,
    /// Keys of series with a new count. At shutdown, also keys of single events whose create failed
    /// because the server was unreachable. Events in `news` are written first.
    counts: VecDeque<String>,
}

/// A single event, or a series of isomorphic ones.
struct SeriesEntry {
    /// The event as it should be on the server.
    event: Event,
    /// Number of occurrences that are not written yet.
    unwritten: usize,
    last_observed: Instant,
    writing: Writing,
    /// Whether to write the event immediately, instead of at the next refresh of counts.
    is_news: bool,
    /// Whether a create request was sent, so that the server may have the event.
    is_created: bool,
    /// Whether the series is over, so that the entry is removed after its last write. If the event
    /// is repeated before that, the series continues.
    is_finished: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Writing {
    No,
    /// The key is in `news` or `counts`.
    Waits,
    /// The write is in progress.
    Runs,
}

/// Write of an event: a create or a patch.
#[derive(Debug)]
pub(super) struct Write {
    key: String,
    pub(super) event: Event,
    /// The patch, if the server may already have the event.
    pub(super) patch: Option<Value>,
    pub(super) max_tries: u32,
    /// Number of occurrences that the write covers.
    pub(super) events: usize,
}

impl SeriesTracker {
    /// Records one occurrence of an event. Returns `false` if the event is dropped, because the
    /// tracker or its queue of new events is full.
    #[must_use]
    pub(super) fn record(&mut self, event: Event, now: Instant) -> bool {
        let key = series_key(&event);
        if let Some(entry) = self.events.get_mut(&key) {
            entry.repeat(event.event_time, now);
        } else if self.news.len() < MAX_QUEUED_EVENTS && self.make_room() {
            self.events
                .insert(key.clone(), SeriesEntry::new(event, now));
        } else {
            return false;
        }
        self.queue_news(&key);
        true
    }

    /// Makes room for another event. If the tracker is full, evicts the least recently observed
    /// event whose occurrences all have an outcome. Returns `false` if there is no such event.
    fn make_room(&mut self) -> bool {
        if self.events.len() < MAX_EVENTS {
            return true;
        }
        let settled = self.events.iter().filter(|(_, entry)| entry.is_settled());
        let oldest = settled
            .min_by_key(|(_, entry)| entry.last_observed)
            .map(|(key, _)| key.clone());
        oldest.is_some_and(|key| self.events.remove(&key).is_some())
    }

    fn queue_news(&mut self, key: &str) {
        if let Some(entry) = self.events.get_mut(key)
            && entry.is_news
            && entry.writing == Writing::No
        {
            entry.writing = Writing::Waits;
            self.news.push_back(key.to_owned());
        }
    }

    /// Returns the next write. The caller reports its result by [`written`](Self::written).
    pub(super) fn next(&mut self) -> Option<Write> {
        let (key, max_tries) = match self.news.pop_front() {
            Some(key) => (key, MAX_TRIES),
            // One try suffices: if the write fails, the next one includes its occurrences.
            None => (self.counts.pop_front()?, 1),
        };
        let entry = self.events.get_mut(&key)?;
        let patch = entry.event.series.as_ref().filter(|_| entry.is_created);
        let write = Write {
            patch: patch.map(|series| json!({"series": series})),
            event: entry.event.clone(),
            max_tries,
            events: std::mem::take(&mut entry.unwritten),
            key,
        };
        entry.writing = Writing::Runs;
        entry.is_news = false;
        entry.is_created = true;
        Some(write)
    }

    /// Records the result of a write. `settled` means that the occurrences in the write have an
    /// outcome. If they have none, the next write of the event includes them.
    pub(super) fn written(&mut self, write: Write, settled: bool) {
        let Some(entry) = self.events.get_mut(&write.key) else {
            return;
        };
        entry.writing = Writing::No;
        if !settled {
            entry.unwritten += write.events;
        } else if entry.is_finished {
            self.events.remove(&write.key);
            return;
        }
        self.queue_news(&write.key);
    }

    /// Queues a write for every event with unwritten occurrences, unless one is queued or in
    /// progress.
    pub(super) fn refresh(&mut self) {
        for (key, entry) in &mut self.events {
            entry.queue_count(key, &mut self.counts);
        }
    }

    /// Removes events that were not repeated for [`FINISH_TIME`]. If such an event has unwritten
    /// occurrences, queues a last write, after which the event is removed.
    pub(super) fn finish(&mut self, now: Instant) {
        let is_over = |entry: &SeriesEntry| {
            let idle = now.duration_since(entry.last_observed);
            entry.writing == Writing::No && idle > FINISH_TIME
        };
        self.events
            .retain(|_, entry| !is_over(entry) || entry.unwritten > 0);
        for (key, entry) in self.events.iter_mut().filter(|(_, entry)| is_over(entry)) {
            entry.is_finished = true;
            entry.queue_count(key, &mut self.counts);
        }
    }

    /// Queues writes of all unwritten occurrences.
    pub(super) fn flush(&mut self) {
        for (key, entry) in &mut self.events {
            // While a write of the event is in progress, `queue_count` does nothing. If the event
            // was repeated since that write began, `is_news` makes `written` queue another one.
            entry.is_news |= entry.unwritten > 0;
            entry.queue_count(key, &mut self.counts);
        }
    }

    pub(super) fn is_idle(&self) -> bool {
        self.news.is_empty() && self.counts.is_empty()
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.events.len()
    }
}

impl SeriesEntry {
    fn new(event: Event, now: Instant) -> Self {
        Self {
            event,
            unwritten: 1,
            last_observed: now,
            writing: Writing::No,
            is_news: true,
            is_created: false,
            is_finished: false,
        }
    }

    fn repeat(&mut self, time: Option<MicroTime>, now: Instant) {
        let last = &mut self.event.series;
        self.is_news |= last.is_none();
        let count = last.as_ref().map_or(1, |series| series.count);
        *last = time.map(|last_observed_time| EventSeries {
            count: count.saturating_add(1),
            last_observed_time,
        });
        self.unwritten += 1;
        self.last_observed = now;
        self.is_finished = false;
    }

    /// Whether every occurrence has an outcome.
    fn is_settled(&self) -> bool {
        self.unwritten == 0 && self.writing == Writing::No
    }

    fn queue_count(&mut self, key: &str, counts: &mut VecDeque<String>) {
        if self.unwritten > 0 && self.writing == Writing::No {
            self.writing = Writing::Waits;
            counts.push_back(key.to_owned());
        }
    }
}

/// Key shared by isomorphic events, which form one series. Their notes may differ.
pub(super) fn series_key(event: &Event) -> String {
    let nothing = ObjectReference::default();
    let regarding = event.regarding.as_ref().unwrap_or(&nothing);
    let related = event.related.as_ref().unwrap_or(&nothing);
    let what = [
        &event.type_,
        &event.action,
        &event.reason,
        &event.reporting_controller,
        &event.reporting_instance,
        &regarding.field_path,
        &related.field_path,
    ];
    let objects = [key::object_fields(regarding), key::object_fields(related)];
    key::join_fields(what.into_iter().chain(objects.into_iter().flatten()))
}
