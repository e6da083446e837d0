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
use super::writer::{EventObject, Failure, REQUEST_TIMEOUT, SLEEP, Writer, is_final};
use crate::time::every;
use crate::wait::jitter;

const WRITERS: usize = 8;

/// Maximum length of a note that the server accepts, in bytes.
const MAX_NOTE: usize = 1024;

/// Maximum length of a `reportingInstance`, in bytes.
const MAX_INSTANCE: usize = 128;

/// Writes events until the queue is shut down and empty.
pub(super) async fn run(mut receiver: EventReceiver, writer: Writer) {
    let mut series = SeriesTracker::default();
    let mut writes = FuturesUnordered::new();
    let (mut finish, mut refresh) = (every(FINISH_TIME), every(REFRESH_TIME));
    let mut is_open = true;
    loop {
        while writes.len() < WRITERS
            && let Some(next) = series.next()
        {
            writes.push(write(&writer, next));
        }
        tokio::select! {
            biased;
            Some((write, result)) = writes.next() => book(&receiver.queue, &mut series, write, result),
            now = finish.tick() => series.finish(now),
            _ = refresh.tick() => series.refresh(),
            event = receiver.next(), if is_open => match event {
                Some(event) => {
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

async fn write(writer: &Writer, write: Write) -> (Write, Result<(), Failure>) {
    let result = writer
        .write(&write.event, write.patch.as_ref(), write.max_tries)
        .await;
    (write, result.map(drop))
}

/// Records the outcome of the events in a finished write.
fn book(
    queue: &RecordQueue,
    series: &mut SeriesTracker,
    write: Write,
    result: Result<(), Failure>,
) {
    let outcome = match result {
        Ok(()) => Some(EventOutcome::Written),
        Err(Failure::Refused) => Some(EventOutcome::Refused),
        Err(Failure::GivenUp) if write.event.series.is_none() => Some(EventOutcome::GivenUp),
        // No outcome yet: the next write of the event includes these occurrences. If the shutdown
        // ends before it, they are given up.
        Err(Failure::GivenUp | Failure::Stopped) => None,
    };
    if let Some(outcome) = outcome {
        queue.settle(outcome, write.events);
    }
    series.written(write, outcome.is_some());
}

/// Returns whether the server serves `events.k8s.io/v1`. Asks again while the server is
/// unreachable. At shutdown, returns `true` without an answer.
pub(super) async fn is_served(writer: &Writer) -> bool {
    loop {
        tokio::select! {
            biased;
            () = writer.stop.cancelled() => return true,
            answer = ask(writer) => if let Some(answer) = answer {
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
async fn ask(writer: &Writer) -> Option<bool> {
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
        jitter(SLEEP, 0.25)
    }
}

pub(super) fn to_events_v1(event: RecordedEvent) -> Event {
    Event {
        metadata: event.metadata(),
        event_time: Some(MicroTime(event.time)),
        type_: Some(event.event_type.to_string()),
        action: Some(event.action().to_owned()),
        reporting_controller: Some(event.reporter.component.clone()),
        reporting_instance: Some(cut(event.reporter.instance(), MAX_INSTANCE, "")),
        reason: Some(event.reason),
        regarding: Some(event.regarding),
        related: event.related,
        note: Some(cut(event.message, MAX_NOTE, " ...")),
        ..Event::default()
    }
}

/// Truncates `text` to `max` bytes, including the suffix `end`, which marks truncated texts.
fn cut(mut text: String, max: usize, end: &str) -> String {
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
