//! Writing loop for events of `events.k8s.io/v1`, with concurrent writes and series of events.

use std::time::Duration;

use futures::StreamExt;
use futures::stream::FuturesUnordered;
use k8s_openapi::api::core::v1::ObjectReference;
use k8s_openapi::api::events::v1::Event;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use kube::Error;
use tokio::time::{Instant, sleep, timeout};

use super::queue::{EventOutcome, EventReceiver, RecordQueue};
use super::recorded_event::RecordedEvent;
use super::series::{FINISH_TIME, REFRESH_TIME, SeriesTracker, Write};
use super::writer::{
    EventObject, EventWriter, NotWritten, REQUEST_TIMEOUT, RETRY_INTERVAL, is_final,
};
use crate::time::every;
use crate::wait::jitter;

const MAX_CONCURRENT_WRITES: usize = 8;

/// Maximum length of a note that the server accepts, in bytes.
const MAX_NOTE_BYTES: usize = 1024;

/// Maximum length of a `reportingInstance`, in bytes.
const MAX_INSTANCE_BYTES: usize = 128;

/// Writes events until the queue is shut down and empty.
pub(super) async fn write_events(mut receiver: EventReceiver, writer: EventWriter) {
    let mut series = SeriesTracker::default();
    let mut writes = FuturesUnordered::new();
    let (mut finish, mut refresh) = (every(FINISH_TIME), every(REFRESH_TIME));
    let mut is_open = true;
    loop {
        while writes.len() < MAX_CONCURRENT_WRITES
            && let Some(next) = series.next()
        {
            writes.push(write_event(&writer, next));
        }
        tokio::select! {
            biased;
            Some((write, result)) = writes.next() => {
                record_outcome(&receiver.queue, &mut series, write, result);
            }
            now = finish.tick() => series.finish(now),
            _ = refresh.tick() => series.refresh(),
            event = receiver.next(), if is_open => match event {
                Some(event) => {
                    // False if the tracker is full.
                    if !series.record(to_events_v1(event), Instant::now()) {
                        receiver.queue.settle(EventOutcome::Dropped, 1);
                    }
                }
                None => {
                    is_open = false;
                    series.flush();
                }
            },
        }
        if !is_open && writes.is_empty() && series.is_idle() {
            return;
        }
    }
}

async fn write_event(writer: &EventWriter, write: Write) -> (Write, Result<(), NotWritten>) {
    let result = writer
        .write(&write.event, write.patch.as_ref(), write.max_tries)
        .await;
    (write, result.map(drop))
}

/// Records the outcome of the events in a finished write.
fn record_outcome(
    queue: &RecordQueue,
    series: &mut SeriesTracker,
    write: Write,
    result: Result<(), NotWritten>,
) {
    let outcome = match result {
        Ok(()) => Some(EventOutcome::Written),
        Err(NotWritten::Refused) => Some(EventOutcome::Refused),
        Err(NotWritten::GivenUp) if write.event.series.is_none() => Some(EventOutcome::GivenUp),
        // No outcome yet: the next write of the event includes these occurrences. It follows when
        // the series is refreshed, or flushed at the shutdown, after which they are given up.
        Err(NotWritten::GivenUp | NotWritten::Stopped) => None,
    };
    if let Some(outcome) = outcome {
        queue.settle(outcome, write.events);
    }
    series.written(write, outcome.is_some());
}

/// Returns whether the server serves `events.k8s.io/v1`. Asks again while the server is
/// unreachable. At shutdown, returns `true` without a response.
pub(super) async fn is_api_served(writer: &EventWriter) -> bool {
    loop {
        tokio::select! {
            biased;
            () = writer.stop.cancelled() => return true,
            answer = discover_api(writer) => if let Some(answer) = answer {
                return answer;
            },
        }
        tokio::select! {
            () = sleep(Event::pause(1)) => {}
            () = writer.stop.cancelled() => {}
        }
    }
}

/// Requests the discovery document of the API group. Returns whether the server has it, or `None`
/// if the server is unreachable.
async fn discover_api(writer: &EventWriter) -> Option<bool> {
    let question = writer.client.list_api_group_resources("events.k8s.io/v1");
    match timeout(REQUEST_TIMEOUT, question).await {
        Ok(Err(Error::Api(status))) if status.code == 404 => Some(false),
        Ok(Err(error)) if !is_final(&error) => {
            tracing::warn!(%error, "failed to discover events.k8s.io/v1");
            None
        }
        // On errors such as 403, assume that the API is served, since writes may be permitted.
        Ok(_) => Some(true),
        Err(_) => {
            tracing::warn!("timed out discovering events.k8s.io/v1");
            None
        }
    }
}

impl EventObject for Event {
    fn about(&self) -> (Option<&ObjectReference>, Option<&str>) {
        (self.regarding.as_ref(), self.reason.as_deref())
    }

    /// As in client-go's `tools/events`, every pause is random.
    fn pause(_tries: u32) -> Duration {
        jitter(RETRY_INTERVAL, 0.25)
    }
}

pub(super) fn to_events_v1(event: RecordedEvent) -> Event {
    Event {
        metadata: event.metadata(),
        event_time: Some(MicroTime(event.time)),
        type_: Some(event.event_type.to_string()),
        action: Some(event.action().to_owned()),
        reporting_controller: Some(event.reporter.component.clone()),
        reporting_instance: Some(truncate(event.reporter.instance(), MAX_INSTANCE_BYTES, "")),
        reason: Some(event.reason),
        regarding: Some(event.regarding),
        related: event.related,
        note: Some(truncate(event.message, MAX_NOTE_BYTES, " ...")),
        ..Event::default()
    }
}

/// Truncates `text` to `max` bytes, including the suffix `end`, which marks truncated texts.
fn truncate(mut text: String, max: usize, end: &str) -> String {
    if text.len() > max {
        let mut cut = max - end.len();
        while !text.is_char_boundary(cut) {
            cut -= 1;
        }
        text.truncate(cut);
        text.push_str(end);
    }
    text
}
