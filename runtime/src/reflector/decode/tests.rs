//! Tests of the decoder of watch frames, and of the removal of managed fields.

use std::sync::atomic::{AtomicUsize, Ordering};

use k8s_openapi::api::core::v1::ConfigMap;
use kube::core::ApiResource;

use super::*;

/// Decodes `line` and returns the event as text.
fn meaning(line: &str) -> String {
    let options = ReflectorOptions {
        drop_last_applied: true,
        shrink_to_fit: true,
        ..ReflectorOptions::default()
    };
    let transform: Transform<ConfigMap> = Arc::new(|map| {
        assert!(map.metadata.name.as_deref() != Some("panics"), "no");
        assert!(map.metadata.managed_fields.is_none());
        assert!(
            map.metadata
                .annotations
                .as_ref()
                .is_none_or(|it| !it.contains_key(LAST_APPLIED))
        );
    });
    let mut decoder = Decoder::new((), options, Some(transform));
    let name = |map: Arc<ConfigMap>| map.metadata.name.clone().unwrap();
    let skipped = |skipped: Skipped| {
        format!(
            "{}@{}: {}",
            skipped.name, skipped.resource_version, skipped.cause
        )
    };
    match decoder.event(line.as_bytes()) {
        Ok(WatchEvent::Added(map)) => format!("added {}", name(map)),
        Ok(WatchEvent::Modified(map)) => format!("modified {}", name(map)),
        Ok(WatchEvent::Deleted(map)) => format!("deleted {}", name(map)),
        Ok(WatchEvent::SkippedDeletion(object)) => format!("vanished {}", skipped(object)),
        Ok(WatchEvent::Skipped(object)) => format!("skipped {}", skipped(object)),
        Ok(WatchEvent::Bookmark {
            resource_version,
            ends_initial_events,
        }) => {
            format!("bookmark {resource_version} {ends_initial_events}")
        }
        Ok(WatchEvent::Outside {
            name,
            resource_version,
            is_added,
        }) => format!("outside {name}@{resource_version} {is_added}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn watch_frames_decode_independently_of_formatting() {
    for (line, means) in [
        (
            r#"{"type":"ADDED","object":{"metadata":{"name":"a"}}}"#,
            "added a",
        ),
        (
            r#"{"type":"MODIFIED","object":{"metadata":{"name":"a"}}}"#,
            "modified a",
        ),
        (
            r#"{"type":"DELETED","object":{"metadata":{"name":"a"}}}  "#,
            "deleted a",
        ),
        (
            r#" {"object": {"metadata":{"name":"a"}}, "type" : "ADDED", "x":{}}"#,
            "added a",
        ),
        (
            r#"{"type":"ADDED","object":{"metadata":{"name":"a","managedFields":[{}]}}}"#,
            "added a",
        ),
        (
            r#"{"type":"ADDED","object":{"metadata":{"name":"a","managed\u0046ields":[{}]}}}"#,
            "added a",
        ),
        (
            r#"{"type":"ADDED","object":{"metadata":{"name":"a","annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{}"}}}}"#,
            "added a",
        ),
    ] {
        assert_eq!(meaning(line), means, "{line}");
    }
}

#[test]
fn undecodable_objects_keep_their_name_and_version() {
    for (line, means) in [
        (
            r#"{"type":"ADDED","object":{"metadata":{"namespace":"n","name":"a","resourceVersion":"7"},"data":1}}"#,
            "skipped n/a@7: .data: invalid type: integer, expected",
        ),
        (
            r#"{"type":"DELETED","object":{"metadata":{"name":"a"},"data":1}}"#,
            "vanished a@: .data: invalid type",
        ),
        (
            r#"{"type":"ADDED","object":{"metadata":{"name":""}}}"#,
            "skipped @: missing name",
        ),
        (
            r#"{"type":"ADDED","object":{"metadata":{"name":"panics","resourceVersion":"9"}}}"#,
            "skipped panics@9: decoding or transforming it panicked",
        ),
        (
            r#"{"type":"ADDED","object":{"kind":"Table","apiVersion":"meta.k8s.io/v1"}}"#,
            "skipped @: invalid value",
        ),
    ] {
        assert!(meaning(line).starts_with(means), "{}", meaning(line));
    }
}

#[test]
fn bookmarks_errors_and_invalid_frames_are_distinguished() {
    for (line, means) in [
        (
            r#"{"type":"BOOKMARK","object":{"kind":"ConfigMap","metadata":{"resourceVersion":"9"}}}"#,
            "bookmark 9 false",
        ),
        (
            r#"{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"9","annotations":{"k8s.io/initial-events-end":"true"}}}}"#,
            "bookmark 9 true",
        ),
        (
            r#"{"type":"ERROR","object":{"status":"Failure","code":410,"reason":"Expired","message":"too old"}}"#,
            "the API server returned 410 Expired: too old",
        ),
        (
            r#"{"type":"RENAMED","object":{}}"#,
            "the response is not a watch: an event of type `RENAMED`",
        ),
        (
            "<html>",
            "the response is not a watch: expected value at line 1 column 1",
        ),
    ] {
        assert_eq!(meaning(line), means, "{line}");
    }
}

/// An object is decoded only once, even if this panics: `Deserialize` and the transform are user
/// code, which may have side effects or be slow.
#[test]
fn panicking_transform_is_called_once() {
    let calls = Arc::new(AtomicUsize::new(0));
    for (number, kind) in ["ADDED", "MODIFIED", "DELETED"].into_iter().enumerate() {
        let called = Arc::clone(&calls);
        let transform: Transform<ConfigMap> = Arc::new(move |_| {
            called.fetch_add(1, Ordering::Relaxed);
            panic!("as told");
        });
        let mut decoder = Decoder::new((), ReflectorOptions::default(), Some(transform));
        let object = r#"{"metadata":{"namespace":"n","name":"a","resourceVersion":"7"}}"#;
        let line = format!(r#"{{"type":"{kind}","object":{object}}}"#);
        let skipped = match decoder.event(line.as_bytes()) {
            Ok(WatchEvent::Skipped(skipped)) if kind != "DELETED" => skipped,
            Ok(WatchEvent::SkippedDeletion(skipped)) if kind == "DELETED" => skipped,
            _ => panic!("{kind}"),
        };
        assert_eq!(skipped.name.to_string(), "n/a");
        assert_eq!(skipped.cause, "decoding or transforming it panicked");
        assert_eq!(calls.load(Ordering::Relaxed), number + 1);
    }
}

/// Decodes an event of an object with a field that is nested `levels` deep, and returns it as text.
fn nested(levels: usize) -> String {
    let types = ApiResource::erase::<ConfigMap>(&());
    let options = ReflectorOptions {
        shrink_to_fit: true,
        ..ReflectorOptions::default()
    };
    let mut decoder = Decoder::<DynamicObject>::new(types, options, None);
    let (open, close) = ("[".repeat(levels), "]".repeat(levels));
    let metadata = r#"{"namespace":"n","name":"a","resourceVersion":"7","uid":"u"}"#;
    let object = format!(
        r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{metadata},"data":{open}{close}}}"#
    );
    let line = format!(r#"{{"type":"ADDED","object":{object}}}"#);
    match decoder.event(line.as_bytes()) {
        Ok(WatchEvent::Added(object)) => {
            format!("added {}", object.metadata.name.clone().unwrap())
        }
        Ok(WatchEvent::Skipped(skipped)) => {
            let Skipped {
                name, uid, cause, ..
            } = skipped;
            format!("skipped {name} {uid}: {cause}")
        }
        Ok(_) => panic!("it was added"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn objects_nested_too_deeply_are_skipped_by_name() {
    for (levels, means) in [
        (1, "added a"),
        (120, "added a"),
        (130, "added a"),
        (249, "added a"),
        (
            250,
            "skipped n/a u: recursion limit exceeded at line 1 column ",
        ),
        (
            100_000,
            "skipped n/a u: recursion limit exceeded at line 1 column ",
        ),
    ] {
        let found = nested(levels);
        assert!(found.starts_with(means), "{levels}: {found}");
    }
}

#[track_caller]
fn check_pruned(json: &str, expected: Option<&str>) {
    let mut rest = b"of another object".to_vec();
    let is_pruned = without_managed_fields(json.as_bytes(), &mut rest);
    let rest = String::from_utf8(rest).unwrap();
    assert_eq!(is_pruned.then_some(&*rest), expected, "{json}");
}

#[test]
fn managed_fields_are_removed_at_any_position() {
    for (json, expected) in [
        (
            r#"{"metadata":{"name":"a","managedFields":[{"f:x":{}}]},"data":{}}"#,
            r#"{"metadata":{"name":"a"},"data":{}}"#,
        ),
        (
            r#"{"metadata":{"managedFields":[{"x":"]}\\\""}],"name":"a"}}"#,
            r#"{"metadata":{"name":"a"}}"#,
        ),
        (
            r#"{"data":{"metadata":{"managedFields":1}},"metadata":{"managedFields":null}}"#,
            r#"{"data":{"metadata":{"managedFields":1}},"metadata":{}}"#,
        ),
        (
            r#"{"metadata":{"a-key-longer-than-what-is-looked-at-byte-by-byte\"":"\\","managedFields":{}}}"#,
            r#"{"metadata":{"a-key-longer-than-what-is-looked-at-byte-by-byte\"":"\\"}}"#,
        ),
        (
            " { \"metadata\" : { \"a\" : 1 ,\n \"managedFields\" : [ ] } } ",
            " { \"metadata\" : { \"a\" : 1  } } ",
        ),
    ] {
        check_pruned(json, Some(expected));
    }
}

#[test]
fn json_without_plain_managed_fields_is_unchanged() {
    for json in [
        "",
        "[]",
        "7",
        r#"{"metadata":[]}"#,
        r#"{"metadata":{"name":"a"}}"#,
        r#"{"metadata":{"name":"a"},"managedFields":[]}"#,
        r#"{"metadata":{"labels":{"managedFields":"a"}}}"#,
        r#"{"metadata":{"name":"\"managedFields\":[]"}}"#,
        r#"{"metadata":{"managed\u0046ields":[]}}"#,
        r#"{"metadata":{"managedFields":["#,
        r#"{"metadata":{"managedFields":"\"#,
        r#"{"metadata":{"managedFields""#,
        r#"{"metadata":}]}"#,
    ] {
        check_pruned(json, None);
    }
}
