use std::sync::Arc;
use std::task::Waker;

use k8s_openapi::api::core::v1::ConfigMap;

use super::processor::{ListenerQueue, Mark, Notification};
use crate::cache::ObjectName;
use crate::informer::{Deleted, Event};

fn object(name: &str, version: &str) -> Arc<ConfigMap> {
    let mut object = ConfigMap::default();
    object.metadata.name = Some(name.into());
    object.metadata.resource_version = Some(version.into());
    Arc::new(object)
}

/// Parses an event: `a+1` is an addition, `a!1` an initial one, `a=1>2` an update, `a-3` a
/// deletion, `a?3` a deletion with an unknown final state.
fn event(text: &str) -> Event<ConfigMap> {
    let (name, rest) = text.split_at(1);
    let (kind, rest) = rest.split_at(1);
    match kind {
        "+" | "!" => Event::Added {
            object: object(name, rest),
            is_initial: kind == "!",
        },
        "=" => {
            let (old, new) = rest.split_once('>').unwrap();
            Event::Updated {
                old: object(name, old),
                new: object(name, new),
            }
        }
        "-" => Event::Deleted(Deleted::Known(object(name, rest))),
        _ => Event::Deleted(Deleted::Unknown {
            name: ObjectName::cluster(name),
            last: Some(object(name, rest)),
        }),
    }
}

fn text(notification: &Notification<ConfigMap>) -> String {
    let version = |object: &ConfigMap| object.metadata.resource_version.clone().unwrap();
    match notification {
        Notification::Mark(Mark::Synced) => "synced".into(),
        Notification::Mark(Mark::Resynced) => "resynced".into(),
        Notification::Event(event) => {
            let name = event.name();
            match event {
                Event::Added { object, is_initial } => {
                    let sign = if *is_initial { '!' } else { '+' };
                    format!("{name}{sign}{}", version(object))
                }
                Event::Updated { old, new } => {
                    format!("{name}={}>{}", version(old), version(new))
                }
                Event::Deleted(deleted) => {
                    let sign = if deleted.is_final() { '-' } else { '?' };
                    format!("{name}{sign}{}", version(deleted.object().unwrap()))
                }
            }
        }
    }
}

/// Checks that a push wakes no consumer, since none has polled the queue.
fn no_waker(waker: Option<Waker>) {
    assert!(waker.is_none());
}

/// Pushes `events` and returns everything that is delivered. `synced` and `resynced` are marks,
/// `[a+1,b+2]` is a list, `~` pops one entry. `_` before a deletion means that the object was not
/// cached.
fn deliveries(coalesce_above: usize, events: &str) -> String {
    // `distribute` leaves out unchanged objects for such a listener. The queue delivers them all.
    let (wants_unchanged, gauge) = (false, None);
    let queue = ListenerQueue::new(coalesce_above, wants_unchanged, gauge);
    let mut deliveries = Vec::new();
    for word in events.split_whitespace() {
        match word {
            "~" => deliveries.push(text(&queue.try_pop().unwrap())),
            "synced" => no_waker(queue.push_mark(Mark::Synced)),
            "resynced" => no_waker(queue.push_mark(Mark::Resynced)),
            list if list.starts_with('[') => {
                let list = list.trim_matches(['[', ']']).split(',');
                no_waker(queue.push_many(&list.map(event).collect()));
            }
            word => match word.strip_prefix('_') {
                Some(word) => no_waker(queue.push(event(word), false)),
                None => no_waker(queue.push(event(word), true)),
            },
        }
    }
    let mut waiting = queue.depth();
    while let Some(next) = queue.try_pop() {
        waiting -= usize::from(matches!(next, Notification::Event(_)));
        assert_eq!(queue.depth(), waiting, "{events}");
        deliveries.push(text(&next));
    }
    assert_eq!(waiting, 0, "{events}");
    assert!(queue.is_clean(), "{events}");
    deliveries.join(" ")
}

#[test]
fn events_of_one_object_are_coalesced() {
    for (events, expected) in [
        ("a+1", "a+1"),
        ("a=1>2 a=2>3 a=3>4", "a=1>4"),
        ("a+1 a=1>2", "a+2"),
        ("a!1 a=1>2", "a!2"),
        ("a+1 a-2", ""),
        ("a+1 a=1>2 a-3", ""),
        ("a=1>2 a-3", "a=1>2 a-3"),
        ("a=1>2 a?2", "a=1>2 a?2"),
        ("a-2 a+3", "a-2 a+3"),
        ("a-2 a+3 a=3>4", "a-2 a+4"),
        ("a=1>2 a-3 a+4 a=4>5", "a=1>2 a-3 a+5"),
        ("a-2 a+3 a-4", "a-2"),
        ("a-2 a+3 a-4 a+5", "a-2 a+5"),
        ("a+1 a-2 a+3", "a+3"),
        ("_a-9", ""),
        ("_a?9", ""),
        // A resync adds nothing to pending events.
        ("a=1>2 a=2>2", "a=1>2"),
        ("a=2>2 a=2>3", "a=2>3"),
        ("a+2 a=2>2", "a+2"),
        ("a-2 a+3 a=3>3", "a-2 a+3"),
    ] {
        assert_eq!(deliveries(0, events), expected, "{events}");
    }
}

#[test]
fn delivered_events_are_not_coalesced() {
    for (events, expected) in [
        ("a+1 ~ a=1>2 a=2>3", "a+1 a=1>3"),
        ("a+1 ~ a-2", "a+1 a-2"),
        ("a=1>2 a-3 ~ a+4 a-5 a+6", "a=1>2 a-3 a+6"),
        ("a-2 a+3 ~ a=3>4", "a-2 a+4"),
        ("a-2 a+3 ~ a-4", "a-2"),
    ] {
        assert_eq!(deliveries(0, events), expected, "{events}");
    }
}

#[test]
fn coalesced_events_keep_the_position_of_the_oldest() {
    for (events, expected) in [
        ("a+1 b+2 a=1>3", "a+3 b+2"),
        ("a+1 b+2 a-3 a+4", "b+2 a+4"),
        ("a!1 synced b+2 a=1>3", "a!3 synced b+2"),
        ("a!1 synced a-2 b+3", "synced b+3"),
        ("[a=1>1,b=2>2] resynced a=1>3", "a=1>3 b=2>2 resynced"),
    ] {
        assert_eq!(deliveries(0, events), expected, "{events}");
    }
}

#[test]
fn coalescing_starts_above_the_bound_and_ends_after_catching_up() {
    for (coalesce_above, events, expected) in [
        // Events up to the bound are not coalesced.
        (3, "a+1 a=1>2 a=2>3", "a+1 a=1>2 a=2>3"),
        (2, "a+1 a=1>2 a=2>3 a=3>4", "a+1 a=1>2 a=2>4"),
        // A new event does not overtake coalesced events, even if `entries` has space.
        (1, "a+1 b+2 ~ b=2>3 ~ b=3>4", "a+1 b+3 b=3>4"),
        (1, "a+1 b+2 ~ ~ a=1>3 a=3>4", "a+1 b+2 a=1>3 a=3>4"),
        // A list is pushed as a whole, and a mark is not an event.
        (1, "[a!1,b!2] synced a=1>3 a=3>4", "a!1 b!2 synced a=1>4"),
        (2, "[a+1,b+2] [a=1>3,c+4] c-5", "a+1 b+2 a=1>3"),
        // The deletion of an uncached object is delivered while there is space.
        (1, "_a-9 _b-9", "a-9"),
        (usize::MAX, "a+1 a-2 _a-3", "a+1 a-2 a-3"),
    ] {
        assert_eq!(deliveries(coalesce_above, events), expected, "{events}");
    }
}
