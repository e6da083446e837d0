use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Waker;

use k8s_openapi::api::core::v1::ConfigMap;
use loom::thread;

use super::event::{Deleted, Event};
use super::processor::{ListenerQueue, Mark, Notification, Processor};
use crate::sync::Mutex;

/// Cache of one object: its version, if it exists.
type State = Option<u32>;
type Handlers = Mutex<(State, Processor<ConfigMap>)>;

fn handlers(state: State) -> Handlers {
    Mutex::new((state, Processor::new()))
}

fn object(version: u32) -> Arc<ConfigMap> {
    let mut object = ConfigMap::default();
    object.metadata.name = Some("one".into());
    object.metadata.resource_version = Some(version.to_string());
    Arc::new(object)
}

fn version(object: &ConfigMap) -> u32 {
    let version = object.metadata.resource_version.as_ref();
    version.unwrap().parse().unwrap()
}

/// Changes the state and notifies the handlers, as a reflector does.
fn change(handlers: &Handlers, new: State) {
    let mut locked = handlers.lock();
    let (state, processor) = &mut *locked;
    let old = std::mem::replace(state, new);
    let event = match (old, new) {
        (None, Some(new)) => Event::Added {
            object: object(new),
            is_initial: false,
        },
        (Some(old), Some(new)) => Event::Updated {
            old: object(old),
            new: object(new),
        },
        (Some(old), None) => Event::Deleted(Deleted::Known(object(old))),
        (None, None) => return,
    };
    let woken = processor.distribute(&event, old.is_some());
    drop(locked);
    woken.into_iter().for_each(Waker::wake);
}

fn synced(handlers: &Handlers) {
    let woken = handlers.lock().1.mark_synced();
    woken.into_iter().for_each(Waker::wake);
}

/// Closes the queues, as an informer does when it stops.
fn close(handlers: &Handlers) {
    let queues = handlers.lock().1.close();
    queues.for_each(|queue| queue.close());
}

/// Adds a handler, as an informer does.
fn add(handlers: &Handlers, coalesce_above: usize) -> Option<(u64, Arc<ListenerQueue<ConfigMap>>)> {
    let mut locked = handlers.lock();
    let initial = locked
        .0
        .iter()
        .map(|version| Event::Added {
            object: object(*version),
            is_initial: true,
        })
        .collect();
    locked
        .1
        .add_listener(ListenerQueue::new(coalesce_above, false, None), &initial)
}

/// Checks the notifications of a handler: fails if one does not follow from the previous ones.
#[derive(Default)]
struct Heard {
    state: State,
    synced: usize,
}

impl Heard {
    fn hear(&mut self, told: Notification<ConfigMap>) {
        match told {
            Notification::Mark(mark) => {
                assert_eq!(mark, Mark::Synced);
                self.synced += 1;
            }
            Notification::Event(Event::Added { object, .. }) => {
                assert_eq!(self.state, None);
                self.state = Some(version(&object));
            }
            Notification::Event(Event::Updated { old, new }) => {
                assert_eq!(self.state, Some(version(&old)));
                self.state = Some(version(&new));
            }
            Notification::Event(Event::Deleted(_)) => assert!(self.state.take().is_some()),
        }
    }

    fn drain(&mut self, queue: &ListenerQueue<ConfigMap>) {
        while let Some(told) = queue.try_pop() {
            self.hear(told);
        }
    }
}

/// Runs `model` for every interleaving of its threads with at most five preemptions, unless the
/// environment sets another bound.
fn explore(model: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = builder.preemption_bound.or(Some(5));
    let orders = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&orders);
    builder.check(move || {
        counted.fetch_add(1, Ordering::Relaxed);
        model();
    });
    let orders = orders.load(Ordering::Relaxed);
    println!("{orders} orders of its threads");
    assert!(orders >= 10, "{orders} orders: its threads do not race");
}

#[test]
fn handler_added_during_changes_gets_each_event_once() {
    explore(|| {
        let handlers = Arc::new(handlers(None));
        let changing = {
            let handlers = Arc::clone(&handlers);
            thread::spawn(move || {
                for state in [Some(1), Some(2), None, Some(3)] {
                    change(&handlers, state);
                }
                synced(&handlers);
            })
        };
        let (_, queue) = add(&handlers, 1).unwrap();
        let mut heard = Heard::default();
        heard.drain(&queue);
        changing.join().unwrap();
        heard.drain(&queue);
        assert_eq!((heard.state, heard.synced), (Some(3), 1));
    });
}

#[test]
fn removed_handler_gets_no_more_events_and_others_get_all() {
    explore(|| {
        let handlers = Arc::new(handlers(Some(1)));
        let (first, gone) = add(&handlers, 8).unwrap();
        let (_, stays) = add(&handlers, 8).unwrap();
        let changing = {
            let handlers = Arc::clone(&handlers);
            thread::spawn(move || {
                change(&handlers, Some(2));
                change(&handlers, None);
            })
        };
        let told = {
            let stays = Arc::clone(&stays);
            thread::spawn(move || {
                let mut heard = Heard::default();
                heard.drain(&stays);
                heard
            })
        };
        let removed = handlers.lock().1.remove_listener(first);
        removed.unwrap().close();
        let depth = gone.depth();
        changing.join().unwrap();
        assert_eq!(gone.depth(), depth);
        assert!(handlers.lock().1.remove_listener(first).is_none());
        Heard::default().drain(&gone);
        let mut heard = told.join().unwrap();
        heard.drain(&stays);
        assert_eq!((heard.state, stays.depth()), (None, 0));
    });
}

/// The task of a handler sleeps until it is notified: a lost wake-up is a deadlock here.
#[test]
fn waiting_handler_is_woken_by_changes_and_shutdown() {
    explore(|| {
        let handlers = Arc::new(handlers(None));
        let (_, queue) = add(&handlers, 0).unwrap();
        let changing = {
            let handlers = Arc::clone(&handlers);
            thread::spawn(move || {
                change(&handlers, Some(1));
                change(&handlers, Some(2));
                close(&handlers);
            })
        };
        let mut heard = Heard::default();
        while let Some(told) = loom::future::block_on(poll_fn(|ctx| queue.poll_pop(ctx))) {
            heard.hear(told);
        }
        changing.join().unwrap();
        assert_eq!(heard.state, Some(2));
    });
}

#[test]
fn handler_added_during_shutdown_is_rejected_or_ended() {
    explore(|| {
        let handlers = Arc::new(handlers(Some(1)));
        let closing = {
            let handlers = Arc::clone(&handlers);
            thread::spawn(move || close(&handlers))
        };
        if let Some((id, queue)) = add(&handlers, 8) {
            // A task that polls it does not wait forever.
            while loom::future::block_on(poll_fn(|ctx| queue.poll_pop(ctx))).is_some() {}
            assert!(handlers.lock().1.listener(id).is_none());
        }
        closing.join().unwrap();
        assert!(add(&handlers, 8).is_none());
    });
}

#[test]
fn concurrent_scope_syncs_notify_handlers_once() {
    explore(|| {
        let handlers = Arc::new(handlers(None));
        let (_, early) = add(&handlers, 8).unwrap();
        let syncing = {
            let handlers = Arc::clone(&handlers);
            thread::spawn(move || synced(&handlers))
        };
        let adding = {
            let handlers = Arc::clone(&handlers);
            thread::spawn(move || add(&handlers, 8).unwrap().1)
        };
        synced(&handlers);
        let late = adding.join().unwrap();
        syncing.join().unwrap();
        for queue in [early, late] {
            let mut heard = Heard::default();
            heard.drain(&queue);
            assert_eq!(heard.synced, 1);
        }
    });
}
