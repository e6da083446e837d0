//! Decides what is written when, of `events.k8s.io/v1`: an event, the beginning of a series, a count. No I/O, no clock.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use k8s_openapi::api::core::v1::ObjectReference;
use k8s_openapi::api::events::v1::{Event, EventSeries};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::key;
use super::occurrence::MAX_QUEUED_EVENTS;
use super::writer::MAX_TRIES;

/// How long after its last event a series is over.
pub(super) const FINISH_TIME: Duration = Duration::from_secs(6 * 60);

/// How often the count of a series that goes on is written, which also keeps the server from forgetting it.
pub(super) const REFRESH_TIME: Duration = Duration::from_secs(30 * 60);

/// How many different events are remembered. client-go has no limit.
const MAX_EVENTS: usize = 4096;

/// The events of the last minutes, by what makes them the same.
#[derive(Default)]
pub(super) struct SeriesTracker {
    events: BTreeMap<String, SeriesEntry>,
    /// New events and beginnings of series.
    news: VecDeque<String>,
    /// Counts; they can wait for the news.
    counts: VecDeque<String>,
}

/// One event, or many that differ in their time only.
struct SeriesEntry {
    /// As the server should have it.
    event: Event,
    /// How many of it the server does not know of.
    unwritten: usize,
    last_observed: Instant,
    writing: Writing,
    /// It is to be written, not with the next count but now.
    is_news: bool,
    /// The server was asked to create it, so that it may have it.
    is_created: bool,
    /// It is written for the last time.
    is_finished: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Writing {
    No,
    /// Its key waits in one of the queues.
    Waits,
    /// It is under way.
    Runs,
}

/// What to write.
#[derive(Debug)]
pub(super) struct Write {
    key: String,
    pub(super) event: Event,
    /// If the server may have the event: what to change.
    pub(super) patch: Option<Value>,
    pub(super) max_tries: u32,
    /// How many events this is.
    pub(super) events: usize,
}

impl SeriesTracker {
    /// Takes note of an event. Returns whether there was room for it.
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

    /// Makes room by forgetting what was seen least recently, if the server knows all of it.
    /// Returns whether there is room.
    fn make_room(&mut self) -> bool {
        if self.events.len() < MAX_EVENTS {
            return true;
        }
        let settled = self.events.iter().filter(|(_, entry)| entry.is_settled());
        let oldest = settled.min_by_key(|(_, entry)| entry.last_observed);
        let oldest = oldest.map(|(key, _)| key.clone());
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

    /// What is to be written next; [`written`](Self::written) has to be told how it ended.
    pub(super) fn next(&mut self) -> Option<Write> {
        let (key, max_tries) = match self.news.pop_front() {
            Some(key) => (key, MAX_TRIES),
            // What fails is tried again with the next count.
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

    /// Takes note of how a write has ended. What is not `settled` is written with the next count.
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

    /// Has the counts of all series written.
    pub(super) fn refresh(&mut self) {
        for (key, entry) in &mut self.events {
            entry.queue_count(key, &mut self.counts);
        }
    }

    /// Forgets events that have not been seen for a while; those that the server does not know all of, after a last write.
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

    /// Has everything written that the server does not know of.
    pub(super) fn flush(&mut self) {
        for (key, entry) in &mut self.events {
            // What is under way is written once more, if there has been more since.
            entry.is_news |= entry.unwritten > 0;
            entry.queue_count(key, &mut self.counts);
        }
    }

    /// Whether nothing waits to be written.
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

    /// Whether the server knows all of it, as far as it wants to.
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

/// The same for isomorphic events: those that become one series. Their notes may differ.
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
    let objects = [key::object(regarding), key::object(related)];
    key::join(what.into_iter().chain(objects.into_iter().flatten()))
}
