//! Tests of handlers that enqueue keys into a work queue.

use genclient::informer::{Enqueue, Filtered};
use genclient::workqueue::{PriorityQueue, Queue};
use k8s_openapi::api::core::v1::ConfigMap;

use super::informer;
use super::scripted::*;

#[tokio::test(start_paused = true)]
async fn every_event_enqueues_the_name_of_its_object() {
    let api = Api::new();
    let (events, answer) = feed();
    api.answer([answer]);
    let (factory, informer) = informer(&api);
    let (queue, other) = (Queue::new(), PriorityQueue::new());
    let is_two = |map: &ConfigMap| map.metadata.name.as_deref() == Some("two");
    let _keys = informer.add_handler(Enqueue::keys(&queue)).unwrap();
    let only = Filtered::new(is_two, Enqueue::keys(&other));
    let _only = informer.add_handler(only).unwrap();
    factory.start();
    events.line(added("a/two@9"));
    events.line(initial_events_end("10"));
    factory.wait_for_cache_sync().await.unwrap();
    assert_eq!(queue.get().await.unwrap().to_string(), "a/two");
    for event in [added("a/one@11"), modified("a/one@12"), deleted("a/one@13")] {
        events.line(event);
        assert_eq!(queue.get().await.unwrap().to_string(), "a/one");
    }
    assert_eq!(other.get().await.unwrap().to_string(), "a/two");
    assert!(other.is_empty());
    factory.shutdown().await;
}
