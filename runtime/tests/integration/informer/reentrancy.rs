//! Tests of wakers and handlers that use or drop the informer that calls them.

use std::sync::{Arc, Mutex};
use std::task::{Context, Wake, Waker};

use futures::{FutureExt, StreamExt};
use genclient::informer::{EventHandler, HandlerRegistration, ListWatchError, SharedInformer};
use k8s_openapi::api::core::v1::ConfigMap;

use super::scripted::*;
use super::{Recorder, informer, seconds};

/// Holds a registration of the informer that it is added to.
struct Holder {
    _registration: HandlerRegistration,
}

impl EventHandler<ConfigMap> for Holder {}

/// Guard that adds handlers when it is dropped.
struct AddOnDrop(SharedInformer<ConfigMap>);

impl Drop for AddOnDrop {
    fn drop(&mut self) {
        let _registration = self.0.add_handler(Recorder::default()).unwrap();
        let holder = Holder { _registration };
        self.0.add_handler(holder).unwrap().detach();
    }
}

/// A runtime that shuts down drops tasks as soon as they are spawned, and their handlers with them.
#[test]
fn handlers_may_be_added_while_the_runtime_shuts_down() {
    let (done, is_done) = std::sync::mpsc::channel();
    let shutting_down = std::thread::spawn(move || {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        let runtime = builder.enable_time().start_paused(true).build().unwrap();
        let informer = runtime.block_on(async {
            let api = Api::new();
            api.answer([stream([initial_events_end("10")])]);
            let (factory, informer) = informer(&api);
            // The oldest task is dropped first, when the informer still runs.
            let adding = AddOnDrop(informer.clone());
            tokio::spawn(async move {
                let _adding = adding;
                std::future::pending::<()>().await;
            });
            factory.start();
            factory.wait_for_cache_sync().await.unwrap();
            informer
        });
        drop(runtime);
        done.send(informer.is_stopped()).unwrap();
    });
    assert_eq!(is_done.recv_timeout(seconds(20)), Ok(true));
    shutting_down.join().unwrap();
}

/// Waker that drops its content when it wakes, as the waker of a task may whose executor is gone.
struct DropOnWake<T>(Mutex<Option<T>>);

impl<T: Send> Wake for DropOnWake<T> {
    fn wake(self: Arc<Self>) {
        let held = self.0.lock().unwrap().take();
        drop(held);
    }
}

/// Runs `check`, which may hang, on a separate thread and runtime. Returns whether it finished.
fn finishes<F: Future<Output = ()>>(check: impl FnOnce() -> F + Send + 'static) -> bool {
    let (done, is_done) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        let runtime = builder.enable_time().start_paused(true).build().unwrap();
        runtime.block_on(check());
        done.send(()).unwrap();
    });
    is_done.recv_timeout(seconds(5)).is_ok()
}

#[test]
fn woken_subscriber_may_drop_its_informer_handles() {
    assert!(finishes(|| async {
        let api = Api::new();
        let (feed, answer) = feed();
        api.answer([answer]);
        let (factory, informer) = informer(&api);
        factory.start();
        feed.line(initial_events_end("10"));
        factory.wait_for_cache_sync().await.unwrap();
        drop(factory);
        let woken = Arc::new(DropOnWake(Mutex::new(None)));
        let waker = Waker::from(Arc::clone(&woken));
        let mut events = informer.subscribe();
        let polled = events.poll_next_unpin(&mut Context::from_waker(&waker));
        assert!(polled.is_pending());
        let registration = informer.add_handler(Recorder::default()).unwrap();
        *woken.0.lock().unwrap() = Some((events, registration, informer));
        feed.line(added("a/one@11"));
        settle().await;
        assert!(woken.0.lock().unwrap().is_none());
    }));
}

#[test]
fn woken_sync_waiter_may_drop_its_informer_handles() {
    assert!(finishes(|| async {
        let api = Api::new();
        api.answer([stream([initial_events_end("10")])]);
        let (factory, informer) = informer(&api);
        factory.start();
        drop(factory);
        let registration = informer.add_handler(Recorder::default()).unwrap();
        let woken = Arc::new(DropOnWake(Mutex::new(None)));
        let waker = Waker::from(Arc::clone(&woken));
        let mut waiting = Box::pin(async move {
            informer.wait_for_cache_sync().await.unwrap();
            drop((informer, registration));
        });
        let polled = waiting.poll_unpin(&mut Context::from_waker(&waker));
        assert!(polled.is_pending());
        *woken.0.lock().unwrap() = Some(waiting);
        settle().await;
        assert!(woken.0.lock().unwrap().is_none());
    }));
}

#[test]
fn replaced_callbacks_may_hold_a_registration() {
    assert!(finishes(|| async {
        let (_factory, informer) = informer(&Api::new());
        let register = || informer.add_handler(Recorder::default()).unwrap();
        let (one, two) = (register(), register());
        let is_ready = move |_: &ListWatchError| {
            let _ = one.has_synced();
        };
        informer.set_watch_error_handler(is_ready).unwrap();
        informer.set_watch_error_handler(|_| {}).unwrap();
        let is_ready = move |_: &mut ConfigMap| {
            let _ = two.has_synced();
        };
        informer.set_transform(is_ready).unwrap();
        informer.set_transform(|_| {}).unwrap();
    }));
}
