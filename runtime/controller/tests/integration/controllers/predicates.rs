//! Tests of predicates: the cases of controller-runtime's `predicate_test.go`.

use genclient::informer::Deleted;
use genclient_controller::Predicate;
use genclient_controller::predicate::{
    And, AnnotationChanged, Event, GenerationChanged, LabelChanged, Not, Or, ResourceVersionChanged,
};

use super::*;

/// Returns a ConfigMap with this metadata.
fn config_map_with(metadata: Value) -> Arc<ConfigMap> {
    let object = json!({ "metadata": metadata });
    Arc::new(serde_json::from_value(object).unwrap())
}

fn added_event() -> Event<ConfigMap> {
    Event::Added {
        object: config_map_with(json!({})),
        is_initial: false,
    }
}

fn updated_event(old: Value, new: Value) -> Event<ConfigMap> {
    Event::Updated {
        old: config_map_with(old),
        new: config_map_with(new),
    }
}

fn deleted_event() -> Event<ConfigMap> {
    Event::Deleted(Deleted::Known(config_map_with(json!({}))))
}

/// Every combination of a change in one part of the metadata, and an update without this change.
#[test]
fn change_predicates_admit_updates_of_their_field() {
    let none = json!({});
    let rows: [(&dyn Predicate<ConfigMap>, &str, Value, Value); 4] = [
        (
            &ResourceVersionChanged,
            "resourceVersion",
            json!("1"),
            json!("2"),
        ),
        (&GenerationChanged, "generation", json!(1), json!(2)),
        (
            &AnnotationChanged,
            "annotations",
            json!({"a": "1"}),
            json!({"a": "2"}),
        ),
        (
            &LabelChanged,
            "labels",
            json!({"a": "1"}),
            json!({"a": "2"}),
        ),
    ];
    for (predicate, part, one, two) in &rows {
        let with = |value: &Value| json!({ *part: value });
        for (old, new, is_admitted) in [
            (&with(one), &with(two), true),
            (&with(one), &with(one), false),
            // The part is added, and removed.
            (&none, &with(one), true),
            (&with(one), &none, true),
            (&none, &none, false),
        ] {
            let event = updated_event(old.clone(), new.clone());
            assert_eq!(predicate.admits(&event), is_admitted, "{old} {new}");
        }
        // A change of another part is not admitted.
        for (_, other, one, two) in rows.iter().filter(|(_, other, ..)| other != part) {
            let event = updated_event(json!({ *other: one }), json!({ *other: two }));
            assert!(!predicate.admits(&event), "{part}: {other}");
        }
        for event in [added_event(), deleted_event()] {
            assert!(predicate.admits(&event), "{part}");
        }
    }
    // One key is added or removed. An empty map equals a missing one.
    for (predicate, part) in [
        (
            &AnnotationChanged as &dyn Predicate<ConfigMap>,
            "annotations",
        ),
        (&LabelChanged, "labels"),
    ] {
        for (old, new, is_admitted) in [
            (json!({"a": "1"}), json!({"a": "1", "b": "2"}), true),
            (json!({"a": "1", "b": "2"}), json!({"a": "1"}), true),
            (json!({}), json!(null), false),
        ] {
            let event = updated_event(json!({ part: old }), json!({ part: new }));
            assert_eq!(predicate.admits(&event), is_admitted, "{part}");
        }
    }
}

#[test]
fn predicates_are_combined_with_and_or_not() {
    let yes = |_: &Event<ConfigMap>| true;
    let no = |_: &Event<ConfigMap>| false;
    for event in [
        added_event(),
        updated_event(json!({}), json!({})),
        deleted_event(),
    ] {
        assert!(And(yes, yes).admits(&event));
        assert!(!And(yes, no).admits(&event));
        assert!(!And(no, yes).admits(&event));
        assert!(Or(yes, no).admits(&event));
        assert!(Or(no, yes).admits(&event));
        assert!(!Or(no, no).admits(&event));
        // `Not` inverts updates, but not other events.
        let is_update = matches!(event, Event::Updated { .. });
        assert_eq!(Not(yes).admits(&event), !is_update);
        assert_eq!(Not(no).admits(&event), is_update);
    }
}

/// A closure gets the event, so it can tell kinds of events apart.
#[test]
fn closure_is_a_predicate() {
    fn event_kind(event: &Event<ConfigMap>) -> &'static str {
        match event {
            Event::Added { .. } => "added",
            Event::Updated { .. } => "updated",
            Event::Deleted(_) => "deleted",
        }
    }

    let events = [
        added_event(),
        updated_event(json!({}), json!({})),
        deleted_event(),
    ];
    for admitted in ["added", "updated", "deleted"] {
        let predicate = move |event: &Event<ConfigMap>| event_kind(event) == admitted;
        let found: Vec<_> = events
            .iter()
            .filter(|event| predicate.admits(event))
            .map(event_kind)
            .collect();
        assert_eq!(found, [admitted]);
    }
}
