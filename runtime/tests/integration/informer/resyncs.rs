//! Tests of resync periods of handlers.

use std::time::Duration;

use genclient::informer::{HandlerOptions, Handlers};
use k8s_openapi::api::core::v1::ConfigMap;
use tokio::time::sleep;

use super::scripted::*;
use super::{Recorder, describe, informer, informer_with, seconds};

#[tokio::test(start_paused = true)]
async fn each_handler_has_its_own_resync_period() {
    let api = Api::new();
    api.answer([stream([
        added("a/one@1"),
        initial_events_end("10"),
        bookmark("11"),
    ])]);
    let (factory, informer) = informer_with(&api, |builder| builder.resync(seconds(2)));
    let [never, two, three, least] = std::array::from_fn(|_| Recorder::default());
    let registrations = [
        informer.add_handler_with(never.clone(), HandlerOptions::new().resync(Duration::ZERO)),
        informer.add_handler(two.clone()),
        informer.add_handler_with(three.clone(), HandlerOptions::new().resync(seconds(3))),
        informer.add_handler_with(
            least.clone(),
            HandlerOptions::new().resync(Duration::from_millis(1)),
        ),
    ];
    factory.start();
    settle().await;
    for recorder in [&never, &two, &three, &least] {
        assert_eq!(recorder.take(), ["add a/one@1 initial"]);
    }
    // The clock is 1 ms past the first second, and past all following ones.
    for (never_told, two_told, three_told) in [
        (0, 0, 0),
        (0, 1, 0),
        (0, 0, 1),
        (0, 1, 0),
        (0, 0, 0),
        (0, 1, 1),
    ] {
        sleep(seconds(1)).await;
        assert_eq!(never.take().len(), never_told);
        assert_eq!(two.take(), vec!["update a/one@1 from 1"; two_told]);
        assert_eq!(three.take(), vec!["update a/one@1 from 1"; three_told]);
        assert_eq!(least.take(), ["update a/one@1 from 1"]);
    }
    drop(registrations);
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn resyncs_do_not_delay_changes_for_a_slow_handler() {
    let api = Api::new();
    let (feed, answer) = feed();
    api.answer([answer]);
    let (factory, informer) = informer(&api);
    let recorder = Recorder::default();
    let inner = recorder.clone();
    let slow = Handlers::<ConfigMap>::new().on_update(move |_, new| {
        inner.write(describe(&new));
        panic!("a second each");
    });
    let _registration = informer
        .add_handler_with(slow, HandlerOptions::new().resync(seconds(1)))
        .unwrap();
    factory.start();
    for line in [
        added("a/one@1"),
        added("a/two@2"),
        added("a/three@3"),
        initial_events_end("10"),
    ] {
        feed.line(line);
    }
    sleep(seconds(60)).await;
    // Each of these takes as long as the resync period.
    for version in 11..21 {
        feed.line(modified(&format!("a/one@{version}")));
    }
    sleep(seconds(16)).await;
    feed.line(modified("a/two@30"));
    sleep(seconds(8)).await;
    assert!(recorder.take().contains(&"a/two@30".to_owned()));
    factory.shutdown().await;
}
