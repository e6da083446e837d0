//! Tests of [`FakeRecorder`], for both client-go packages.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::Node;

use super::{object_reference, pod};
use crate::record::{EventType, FakeRecorder};

/// Records an event by each method of a recorder.
fn record(fake: &FakeRecorder) {
    let recorder = fake.recorder().with_host("node-1");
    let annotations = BTreeMap::from([("who".to_owned(), "me".to_owned())]);
    let pod = pod("bar");
    recorder.event(&pod, EventType::Normal, "Synced", "all is well");
    recorder.regarding(&pod).annotations(annotations).event(
        EventType::Warning,
        "Failed",
        "it broke",
    );
    let object = object_reference("Pod", "foo", "baz");
    recorder
        .regarding_reference(object)
        .event(EventType::Normal, "Started", "100 %s");
    recorder
        .regarding(&pod)
        .related(&Node::default())
        .action("Binding")
        .event(EventType::Normal, "Scheduled", "to a node");
}

#[tokio::test]
async fn fake_recorder_formats_events_as_lines() {
    let mut fake = FakeRecorder::new();
    record(&fake);
    assert_eq!(fake.next().await, "Normal Synced all is well");
    let others = [
        r#"Warning Failed it broke {"who": "me"}"#,
        "Normal Started 100 %s",
        "Normal Scheduled to a node",
    ];
    assert_eq!(fake.take(), others);
    assert_eq!(fake.take(), [""; 0]);
}

#[tokio::test]
async fn verbose_fake_recorder_includes_the_objects() {
    let mut fake = FakeRecorder::verbose();
    record(&fake);
    let lines = [
        "Normal Synced Synced all is well {kind=Pod,apiVersion=v1}",
        r#"Warning Failed Failed it broke {kind=Pod,apiVersion=v1} {"who": "me"}"#,
        "Normal Started Started 100 %s {kind=Pod,apiVersion=version}",
        "Normal Scheduled Binding to a node {kind=Pod,apiVersion=v1} {kind=Node,apiVersion=v1}",
    ];
    assert_eq!(fake.take(), lines);
}

/// client-go's fake blocks once its channel is full.
#[test]
fn events_that_nobody_takes_do_not_block() {
    let mut fake = FakeRecorder::new();
    let recorder = fake.recorder();
    for number in 0..5000 {
        recorder.event(&pod("bar"), EventType::Normal, "Synced", number.to_string());
    }
    let lines = fake.take();
    assert_eq!(lines.len(), 5000);
    assert_eq!(lines[4999], "Normal Synced 4999");
}

#[test]
fn recorder_can_outlive_its_fake_recorder() {
    let fake = FakeRecorder::new();
    let recorder = fake.recorder();
    drop(fake);
    recorder.event(&pod("bar"), EventType::Normal, "Synced", "all is well");
}
