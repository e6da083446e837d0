//! Tests of event series: client-go's `eventseries_test.go`, and the maximum number of tracked
//! events, which client-go does not have.

use std::time::Duration;

use k8s_openapi::api::events::v1::Event;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{MicroTime, ObjectMeta};
use k8s_openapi::jiff::Timestamp;
use serde_json::json;
use tokio::time::Instant;

use super::{MINUTE, object_reference};
use crate::record::series::{SeriesTracker, Write, series_key};

pub(super) fn event(name: &str) -> Event {
    let text = |text: &str| Some(text.to_owned());
    Event {
        type_: text("Normal"),
        action: text("started"),
        reason: text("test"),
        reporting_controller: text("eventTest"),
        reporting_instance: text("eventTest-host"),
        regarding: Some(object_reference("Pod", name, "baz")),
        related: Some(object_reference("Node", "node", "")),
        note: text("some verbose message: 1"),
        event_time: Some(MicroTime(Timestamp::UNIX_EPOCH)),
        ..Event::default()
    }
}

/// Returns the count of a written series, and whether it is a patch.
fn count(write: &Write) -> (i32, bool) {
    let count = write.event.series.as_ref().map_or(1, |series| series.count);
    let patched = write.patch.as_ref();
    assert!(patched.is_none_or(|patch| patch["series"]["count"] == count));
    (count, patched.is_some())
}

/// Performs all queued writes, with or without success.
fn write_all(series: &mut SeriesTracker, settled: bool) -> Vec<(i32, bool)> {
    let mut written = Vec::new();
    while let Some(write) = series.next() {
        written.push(count(&write));
        series.written(write, settled);
    }
    written
}

/// Returns an event that was recorded at `second`.
fn event_at(second: i64) -> Event {
    Event {
        event_time: Some(micro_time(second)),
        ..event("foo")
    }
}

fn micro_time(second: i64) -> MicroTime {
    MicroTime(Timestamp::new(second, 0).unwrap())
}

/// Returns a series with count 10 at time `start`, of which 2 are written. Its events were recorded
/// at the seconds 1 to 10.
fn series_of_ten(start: Instant) -> SeriesTracker {
    let mut series = SeriesTracker::default();
    assert!(series.record(event_at(1), start));
    assert_eq!(write_all(&mut series, true), [(1, false)]);
    assert!(series.record(event_at(2), start));
    assert_eq!(write_all(&mut series, true), [(2, true)]);
    for second in 3..=10 {
        assert!(series.record(event_at(second), start));
    }
    assert_eq!(write_all(&mut series, true), [], "counted, not written");
    series
}

#[test]
fn finish_series() {
    let start = Instant::now();
    let mut series = series_of_ten(start);
    let now = start + 9 * MINUTE;
    assert!(series.record(event("of another object"), now));
    assert_eq!(write_all(&mut series, true), [(1, false)]);
    series.finish(now);
    let write = series.next().unwrap();
    let expected = json!({"series": {"count": 10, "lastObservedTime": micro_time(10)}});
    assert_eq!(write.patch, Some(expected));
    series.written(write, true);
    assert_eq!(write_all(&mut series, true), [], "one write");
    assert_eq!(series.len(), 1, "the other is young");
    series.finish(now + 6 * MINUTE);
    assert_eq!(series.len(), 1, "it is over when it is older than that");
    series.finish(now + 6 * MINUTE + Duration::from_nanos(1));
    assert_eq!(series.len(), 0, "it was written");
    assert_eq!(write_all(&mut series, true), []);
}

#[test]
fn failed_final_count_is_written_at_the_next_finish() {
    let start = Instant::now();
    let mut series = series_of_ten(start);
    series.finish(start + 9 * MINUTE);
    assert_eq!(write_all(&mut series, false), [(10, true)]);
    assert_eq!(series.len(), 1);
    series.finish(start + 15 * MINUTE);
    assert_eq!(write_all(&mut series, true), [(10, true)]);
    assert_eq!(series.len(), 0);
}

#[test]
fn series_continues_if_recorded_while_finishing() {
    let start = Instant::now();
    let mut series = series_of_ten(start);
    series.finish(start + 9 * MINUTE);
    let write = series.next().unwrap();
    assert!(series.record(event("foo"), start + 9 * MINUTE));
    series.written(write, true);
    assert_eq!(series.len(), 1);
    series.refresh();
    assert_eq!(write_all(&mut series, true), [(11, true)]);
}

#[test]
fn events_recorded_during_a_write_are_kept() {
    let start = Instant::now();
    let mut series = SeriesTracker::default();
    assert!(series.record(event("foo"), start));
    let write = series.next().unwrap();
    assert!(series.record(event("foo"), start));
    series.finish(start + 7 * MINUTE);
    series.written(write, true);
    assert_eq!(write_all(&mut series, true), [(2, true)]);
    series.finish(start + 7 * MINUTE);
    assert_eq!(series.len(), 0);
}

#[test]
fn refresh_existing_event_series() {
    for settled in [true, false] {
        let mut series = series_of_ten(Instant::now());
        series.refresh();
        assert_eq!(write_all(&mut series, settled), [(10, true)]);
        assert_eq!(series.len(), 1);
        series.refresh();
        let again = [(10, true)];
        let expected = if settled { &[][..] } else { &again };
        assert_eq!(write_all(&mut series, true), expected, "{settled}");
    }
}

#[test]
fn writes_of_one_event_do_not_overlap() {
    let now = Instant::now();
    let mut series = SeriesTracker::default();
    assert!(series.record(event("foo"), now));
    let first = series.next().unwrap();
    for _ in 0..3 {
        assert!(series.record(event("foo"), now));
    }
    assert!(series.next().is_none());
    series.written(first, true);
    assert_eq!(write_all(&mut series, true), [(4, true)]);
}

#[test]
fn repeated_unwritten_events_are_created_as_a_series() {
    let now = Instant::now();
    let mut series = SeriesTracker::default();
    for _ in 0..5 {
        assert!(series.record(event("foo"), now));
    }
    let write = series.next().unwrap();
    assert_eq!((count(&write), write.events), ((5, false), 5));
}

#[test]
fn new_events_are_written_before_counts() {
    let mut series = series_of_ten(Instant::now());
    series.refresh();
    assert!(series.record(event("new"), Instant::now()));
    assert_eq!(write_all(&mut series, true), [(1, false), (10, true)]);
}

#[test]
fn pending_and_tracked_series_are_bounded() {
    let now = Instant::now();
    let mut series = SeriesTracker::default();
    let mut next = 0..;
    let mut record = |series: &mut SeriesTracker, now| {
        let accepted = |_: &i32| series.record(event(&format!("{}", next.next().unwrap())), now);
        (0..1100).filter(accepted).count()
    };
    assert_eq!(record(&mut series, now), 1000, "as many may wait");
    for _ in 0..5 {
        write_all(&mut series, true);
        assert_eq!(record(&mut series, now + MINUTE), 1000);
    }
    assert_eq!(series.len(), 4096);
    write_all(&mut series, true);
    assert!(series.record(event("6499"), now), "one that is remembered");
    assert_eq!(write_all(&mut series, true), [(2, true)]);
    assert!(series.record(event("0"), now), "one that was forgotten");
    assert_eq!(write_all(&mut series, true), [(1, false)]);
}

#[test]
fn series_with_unwritten_counts_are_not_evicted() {
    let start = Instant::now();
    let mut series = series_of_ten(start);
    for number in 0..4200 {
        assert!(series.record(event(&number.to_string()), start + MINUTE));
        assert_eq!(write_all(&mut series, true), [(1, false)]);
    }
    series.refresh();
    assert_eq!(write_all(&mut series, true), [(10, true)]);
}

/// For each field, whether events that differ in it are isomorphic.
#[test]
fn event_key() {
    let cases = [
        ("/note", true),
        ("/metadata/name", true),
        ("/metadata/labels", true),
        ("/regarding/resourceVersion", true),
        ("/related/resourceVersion", true),
        ("/type", false),
        ("/action", false),
        ("/reason", false),
        ("/reportingController", false),
        ("/reportingInstance", false),
        ("/regarding/kind", false),
        ("/regarding/namespace", false),
        ("/regarding/name", false),
        ("/regarding/uid", false),
        ("/regarding/apiVersion", false),
        ("/regarding/fieldPath", false),
        ("/related/name", false),
        ("/related/fieldPath", false),
    ];
    let complete = Event {
        metadata: ObjectMeta {
            labels: Some([("a".to_owned(), "b".to_owned())].into()),
            ..ObjectMeta::default()
        },
        ..event("foo")
    };
    for (pointer, same) in cases {
        let mut changed = serde_json::to_value(&complete).unwrap();
        let (parent, field) = pointer.rsplit_once('/').unwrap();
        let parent = changed.pointer_mut(parent).unwrap();
        parent[field] = if field == "labels" {
            json!({})
        } else {
            json!("another")
        };
        let changed: Event = serde_json::from_value(changed).unwrap();
        assert_ne!(changed, complete, "{pointer}");
        assert_eq!(
            series_key(&changed) == series_key(&complete),
            same,
            "{pointer}"
        );
    }
    let alone = Event {
        related: None,
        ..complete.clone()
    };
    assert_ne!(series_key(&alone), series_key(&complete));
    let later = Event {
        event_time: Some(MicroTime(Timestamp::MAX)),
        ..complete.clone()
    };
    assert_eq!(series_key(&later), series_key(&complete));
}

#[test]
fn flush_writes_everything_once() {
    let now = Instant::now();
    let mut series = series_of_ten(now);
    assert!(series.record(event("new"), now));
    let under_way = series.next().unwrap();
    assert!(series.record(event("new"), now));
    series.flush();
    assert_eq!(write_all(&mut series, true), [(10, true)]);
    series.written(under_way, true);
    assert_eq!(write_all(&mut series, false), [(2, true)]);
    assert!(series.is_idle(), "one try, no more");
}
