//! Tests of subscriptions: cached objects and changes as a stream.

use futures::StreamExt;
use genclient::informer::Event;

use super::scripted::*;
use super::{describe, informer, informer_with, short};

/// `TestNewInformerWatcher`, listed and streamed, and
/// `TestInformerWatcherDeletedFinalStateUnknown`.
#[tokio::test(start_paused = true)]
async fn informer_watcher() {
    let changes = || {
        [
            added("a/pod-4@11"),
            modified("a/pod-2@12"),
            deleted("a/pod-3@13"),
            failed(410, "Expired"),
        ]
    };
    let first = ["a/pod-1@1", "a/pod-2@2", "a/pod-3@3"];
    let second = ["a/pod-1@1", "a/pod-2@12"];
    let streamed = |version, objects: &[&str]| {
        let objects = objects.iter().map(|object| added(object));
        objects
            .chain([initial_events_end(version)])
            .collect::<Vec<_>>()
    };
    for (is_streamed, answers) in [
        (
            false,
            vec![
                list("10", first),
                stream(changes()),
                list("20", second),
                hang(),
            ],
        ),
        (
            true,
            vec![
                stream(streamed("10", &first).into_iter().chain(changes())),
                stream(streamed("20", &second)),
            ],
        ),
    ] {
        let api = Api::new();
        api.answer(answers);
        let (factory, informer) = informer_with(&api, |builder| builder.watch_list(is_streamed));
        let events = informer.subscribe().map(|event| {
            let (verb, object) = short(event);
            format!("{verb} {}", describe(&object))
        });
        factory.start();
        let mut events: Vec<_> = events.take(7).collect().await;
        // Objects of a list are in no particular order.
        events[..3].sort();
        assert_eq!(
            events,
            [
                "add a/pod-1@1",
                "add a/pod-2@2",
                "add a/pod-3@3",
                "add a/pod-4@11",
                "update a/pod-2@12",
                "delete a/pod-3@13",
                "lose a/pod-4@11",
            ]
        );
        factory.shutdown().await;
    }
}

#[tokio::test(start_paused = true)]
async fn subscription_is_a_stream_of_the_same_events() {
    let api = Api::new();
    let (feed, answer) = feed();
    api.answer([answer]);
    let (factory, informer) = informer(&api);
    factory.start();
    feed.line(added("a/one@1"));
    feed.line(initial_events_end("10"));
    settle().await;
    let mut events = informer.subscribe();
    feed.line(modified("a/one@11"));
    feed.line(deleted("a/one@12"));
    let Some(Event::Added {
        object,
        is_initial: true,
    }) = events.next().await
    else {
        panic!("the cached object comes first");
    };
    assert_eq!(describe(&object), "a/one@1");
    assert!(matches!(events.next().await, Some(Event::Updated { .. })));
    assert!(matches!(events.next().await, Some(Event::Deleted(deleted)) if deleted.is_final()));
    factory.shutdown().await;
    assert!(events.next().await.is_none());
    assert!(informer.subscribe().next().await.is_none());
}
