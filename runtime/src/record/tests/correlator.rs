//! Tests of event correlation: client-go's `events_cache_test.go`.

use k8s_openapi::api::core::v1::{Event, EventSource};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use k8s_openapi::jiff::{SignedDuration, Timestamp};
use serde_json::json;

use super::{make_event, object_reference};
use crate::record::CorrelatorOptions;
use crate::record::correlator::{Correlated, Correlator, aggregate_key};

/// A clock that advances by `step` whenever it is read.
struct IntervalClock {
    now: Timestamp,
    step: SignedDuration,
}

impl IntervalClock {
    fn new(seconds: i64) -> Self {
        Self {
            now: Timestamp::UNIX_EPOCH,
            step: SignedDuration::from_secs(seconds),
        }
    }

    fn now(&mut self) -> Timestamp {
        self.now += self.step;
        self.now
    }
}

/// Correlates an event as if the server had accepted it.
fn correlate_as_written(
    correlator: &mut Correlator,
    mut event: Event,
    clock: &mut IntervalClock,
) -> Option<Correlated> {
    let recorded = Time(clock.now());
    event.first_timestamp = Some(recorded.clone());
    event.last_timestamp = Some(recorded);
    let correlated = correlator.correlate(event, clock.now())?;
    correlator.written(&correlated, &correlated.event);
    Some(correlated)
}

fn my_event(reason: &str, message: &str) -> Event {
    make_event(reason, message, object_reference("Pod", "my-pod", "my-ns"))
}

fn in_container(mut event: Event, container: &str) -> Event {
    event.involved_object.field_path = Some(format!("spec.containers{{{container}}}"));
    event
}

fn unique_events(count: usize) -> Vec<Event> {
    let event = |i| {
        let object = object_reference("Pod", &format!("pod-{i}"), &format!("ns-{i}"));
        make_event(&format!("reason-{i}"), &format!("message-{i}"), object)
    };
    (0..count).map(event).collect()
}

fn similar_events(count: usize) -> Vec<Event> {
    let message = |i| Some(format!("similar message-{i}"));
    let event = |i| Event {
        message: message(i),
        ..similar_event()
    };
    (0..count).map(event).collect()
}

/// Expected write for the last event.
enum Expect {
    Skip,
    Count(i32),
    Combined(i32),
}

/// Checks a case of `TestEventCorrelator`: previous events, the event, and the seconds between two
/// events.
#[track_caller]
fn check_correlation(previous: Vec<Event>, event: &Event, seconds: i64, expect: Expect) {
    let mut clock = IntervalClock::new(seconds);
    let mut correlator = Correlator::new(CorrelatorOptions::default());
    for event in previous {
        correlate_as_written(&mut correlator, event, &mut clock);
    }
    let written = correlate_as_written(&mut correlator, event.clone(), &mut clock);
    let message = event.message.as_deref().unwrap();
    match (expect, written) {
        (Expect::Skip, None) => {}
        (Expect::Count(count), Some(written)) => check_written(written, event, message, count),
        (Expect::Combined(count), Some(written)) => {
            let message = format!("(combined from similar events): {message}");
            check_written(written, event, &message, count);
        }
        (_, written) => panic!("skipped: {}", written.is_none()),
    }
}

#[track_caller]
fn check_written(written: Correlated, event: &Event, message: &str, count: i32) {
    let expected = Event {
        count: Some(count),
        message: Some(message.to_owned()),
        // These contain the current time.
        metadata: written.event.metadata.clone(),
        first_timestamp: written.event.first_timestamp.clone(),
        last_timestamp: written.event.last_timestamp.clone(),
        ..event.clone()
    };
    assert_eq!(written.event, expected);
    let same_time = written.event.first_timestamp == written.event.last_timestamp;
    assert_eq!(same_time, count == 1, "{:?}", written.event);
    let last_timestamp = &written.event.last_timestamp;
    let patch = json!({"count": count, "lastTimestamp": last_timestamp, "message": message});
    assert_eq!(written.patch, (count > 1).then_some(patch));
}

fn duplicate_event() -> Event {
    my_event("duplicate", "me again")
}

fn similar_event() -> Event {
    in_container(my_event("similar", "similar message"), "container1")
}

#[test]
fn create_a_single_event() {
    check_correlation(
        vec![],
        &my_event("first", "i am first"),
        5,
        Expect::Count(1),
    );
}

#[test]
fn the_same_event_should_just_count() {
    check_correlation(
        vec![duplicate_event()],
        &duplicate_event(),
        5,
        Expect::Count(2),
    );
}

#[test]
fn the_same_event_should_just_count_even_if_more_than_aggregate() {
    check_correlation(
        vec![duplicate_event(); 10],
        &duplicate_event(),
        30,
        Expect::Count(11),
    );
}

#[test]
fn the_same_event_is_spam_if_happens_too_frequently() {
    check_correlation(
        vec![duplicate_event(); 26],
        &duplicate_event(),
        1,
        Expect::Skip,
    );
}

#[test]
fn create_many_unique_events() {
    check_correlation(
        unique_events(30),
        &my_event("unique", "snowflake"),
        5,
        Expect::Count(1),
    );
}

#[test]
fn similar_events_should_aggregate_event() {
    check_correlation(similar_events(9), &similar_event(), 5, Expect::Combined(1));
}

#[test]
fn similar_events_many_times_should_count_the_aggregate() {
    check_correlation(similar_events(10), &similar_event(), 5, Expect::Combined(2));
}

#[test]
fn events_from_different_containers_do_not_aggregate() {
    check_correlation(
        vec![in_container(similar_event(), "container2")],
        &similar_event(),
        5,
        Expect::Count(1),
    );
}

#[test]
fn similar_events_whose_interval_is_greater_than_aggregate_interval_do_not_aggregate() {
    check_correlation(similar_events(9), &similar_event(), 600, Expect::Count(1));
}

#[test]
fn similar_events_whose_interval_is_the_aggregate_interval_aggregate() {
    check_correlation(
        similar_events(9),
        &similar_event(),
        300,
        Expect::Combined(1),
    );
}

#[test]
fn count_continues_from_the_stored_event() {
    let mut correlator = Correlator::new(CorrelatorOptions::default());
    let mut clock = IntervalClock::new(5);
    let first = correlator
        .correlate(duplicate_event(), clock.now())
        .unwrap();
    let stored = Event {
        count: Some(7),
        ..first.event.clone()
    };
    correlator.written(&first, &stored);
    let second = correlator
        .correlate(duplicate_event(), clock.now())
        .unwrap();
    assert_eq!(second.event.count, Some(8));
}

#[test]
fn events_of_different_sources_are_not_deduplicated() {
    let source = |component: &str, host: &str| EventSource {
        component: Some(component.to_owned()),
        host: Some(host.to_owned()),
    };
    let sources = [
        None,
        Some(source("kubelet", "node-1")),
        Some(source("kubelet", "node-2")),
        Some(source("scheduler", "node-1")),
    ];
    let mut correlator = Correlator::new(CorrelatorOptions::default());
    let mut clock = IntervalClock::new(5);
    for expected in [1, 2] {
        for source in &sources {
            let event = Event {
                source: source.clone(),
                ..duplicate_event()
            };
            let written = correlate_as_written(&mut correlator, event, &mut clock).unwrap();
            assert_eq!(written.event.count, Some(expected), "{source:?}");
        }
    }
}

#[test]
fn event_aggregator_by_reason_func() {
    let fun = my_event("end-of-world", "it was fun");
    let awful = my_event("end-of-world", "it was awful");
    let bug = my_event("nevermind", "it was a bug");
    assert_eq!(aggregate_key(&fun), aggregate_key(&awful));
    assert_ne!(aggregate_key(&fun), aggregate_key(&bug));

    // Within an aggregate, events differ by their messages: client-go's local keys.
    let mut correlator = Correlator::new(CorrelatorOptions {
        max_events: 2,
        ..CorrelatorOptions::default()
    });
    let mut clock = IntervalClock::new(5);
    let cases = [
        (&fun, "it was fun"),
        (&fun, "it was fun"),
        (&bug, "it was a bug"),
        (&awful, "(combined from similar events): it was awful"),
    ];
    for (event, message) in cases {
        let written = correlate_as_written(&mut correlator, event.clone(), &mut clock).unwrap();
        assert_eq!(written.event.message.as_deref(), Some(message));
    }
}

#[test]
fn aggregate_keys_separate_namespace_and_name() {
    let one = make_event("r", "m", object_reference("Pod", "ab", "c"));
    let other = make_event("r", "m", object_reference("Pod", "b", "ca"));
    assert_ne!(aggregate_key(&one), aggregate_key(&other));
}

#[test]
fn event_spam_filter() {
    fn by_object_and_reason(event: &Event) -> String {
        format!("{:?} {:?}", event.involved_object, event.reason)
    }
    let default = CorrelatorOptions::default().spam_key;
    let other_reason = my_event("duplicate", "me again");
    let other_message = my_event("original", "me again");
    type Key = fn(&Event) -> String;
    let cases = [
        (
            "another reason is no other key by default",
            default as Key,
            &other_reason,
            false,
        ),
        (
            "another reason is another key of a key with reasons",
            by_object_and_reason as Key,
            &other_reason,
            true,
        ),
        (
            "another message is no other key of it",
            by_object_and_reason,
            &other_message,
            false,
        ),
    ];
    for (name, spam_key, event, accepted) in cases {
        let mut clock = IntervalClock::new(1);
        let options = CorrelatorOptions {
            burst: 1,
            spam_key,
            ..CorrelatorOptions::default()
        };
        let mut correlator = Correlator::new(options);
        assert!(
            correlate_as_written(
                &mut correlator,
                my_event("original", "i am first"),
                &mut clock
            )
            .is_some(),
            "{name}"
        );
        let written = correlate_as_written(&mut correlator, event.clone(), &mut clock);
        assert_eq!(written.is_some(), accepted, "{name}");
        if let Some(written) = written {
            check_written(written, event, "me again", 1);
        }
    }
}

#[test]
fn panicking_spam_key_falls_back_to_the_default() {
    let mut correlator = Correlator::new(CorrelatorOptions {
        burst: 1,
        spam_key: |_| panic!("as told"),
        ..CorrelatorOptions::default()
    });
    let mut clock = IntervalClock::new(0);
    assert!(correlate_as_written(&mut correlator, my_event("r", "first"), &mut clock).is_some());
    assert!(correlate_as_written(&mut correlator, my_event("r", "second"), &mut clock).is_none());
}

#[test]
fn spam_filter_allows_an_event_after_five_minutes() {
    let mut correlator = Correlator::new(CorrelatorOptions::default());
    let mut clock = IntervalClock::new(0);
    let mut accepted = || {
        (0..30)
            .filter_map(|_| correlate_as_written(&mut correlator, my_event("r", "m"), &mut clock))
            .collect::<Vec<_>>()
    };
    assert_eq!(accepted().len(), 25);
    clock.now += SignedDuration::from_secs(301);
    let mut accepted = || {
        (0..30)
            .filter_map(|_| correlate_as_written(&mut correlator, my_event("r", "m"), &mut clock))
            .collect::<Vec<_>>()
    };
    let later = accepted();
    assert_eq!(later.len(), 1);
    assert_eq!(
        later[0].event.count,
        Some(31),
        "those that were filtered count"
    );
}
