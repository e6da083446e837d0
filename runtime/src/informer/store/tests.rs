//! Tests of [`InformerStore`], without a reflector and a runtime.

use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;

use super::*;

/// Parses an object `namespace/name@uid`.
fn object(text: &str) -> Arc<ConfigMap> {
    let Skipped { name, uid, .. } = skipped(text);
    let mut object = ConfigMap::default();
    object.metadata.namespace = name.namespace().map(str::to_owned);
    object.metadata.name = Some(name.name().to_owned());
    object.metadata.uid = Some(uid);
    Arc::new(object)
}

/// Parses an undecodable object `namespace/name@uid`.
fn skipped(text: &str) -> Skipped {
    let (name, uid) = text.split_once('@').unwrap();
    Skipped {
        name: name.parse().unwrap(),
        uid: uid.to_owned(),
        resource_version: String::new(),
        cause: String::new(),
    }
}

fn bookmark() -> WatchEvent<ConfigMap> {
    WatchEvent::Bookmark {
        resource_version: String::new(),
        ends_initial_events: false,
    }
}

fn listed(version: &str, objects: &[&str], undecodable: &[&str]) -> Listed<ConfigMap> {
    Listed {
        outside: 0,
        objects: objects.iter().map(|text| object(text)).collect(),
        skipped: undecodable.iter().map(|text| skipped(text)).collect(),
        resource_version: version.to_owned(),
        restored: None,
    }
}

fn store(namespaces: &[Option<&str>]) -> InformerStore<ConfigMap> {
    let namespaces = namespaces.iter().map(|name| name.map(str::to_owned));
    InformerStore::new(&namespaces.collect::<Vec<_>>())
}

fn text(event: &Event<ConfigMap>) -> String {
    let name = event.name();
    match event {
        Event::Added {
            is_initial: true, ..
        } => format!("initial {name}"),
        Event::Added { .. } => format!("added {name}"),
        Event::Updated { .. } => format!("updated {name}"),
        Event::Deleted(deleted) if deleted.is_final() => format!("deleted {name}"),
        Event::Deleted(_) => format!("vanished {name}"),
    }
}

fn replace(store: &mut InformerStore<ConfigMap>, scope: usize, list: Listed<ConfigMap>) -> String {
    let events = store.replace(scope, list)();
    let texts: Vec<_> = events.iter().map(text).collect();
    texts.join(", ")
}

fn names(store: &InformerStore<ConfigMap>) -> [Vec<String>; 2] {
    let mut cached: Vec<_> = store
        .indexer()
        .keys()
        .iter()
        .map(ToString::to_string)
        .collect();
    cached.sort();
    [
        cached,
        store.skipped().keys().map(ToString::to_string).collect(),
    ]
}

#[test]
fn undecodable_object_is_removed_from_the_cache_only_if_it_is_another_one() {
    for (undecodable, event, cached) in [
        ("n/a@1", None, &["n/a"][..]),
        ("n/a@", None, &["n/a"]),
        ("n/a@2", Some(("vanished n/a", true)), &[]),
        ("n/b@1", None, &["n/a"]),
    ] {
        let mut store = store(&[None]);
        replace(&mut store, 0, listed("1", &["n/a@1"], &[]));
        let applied = store
            .apply(0, WatchEvent::Skipped(skipped(undecodable)), "2")
            .map(|(event, was_cached)| (text(&event), was_cached));
        let expected = event.map(|(text, was_cached)| (text.to_owned(), was_cached));
        assert_eq!(applied, expected, "{undecodable}");
        let name = skipped(undecodable).name.to_string();
        assert_eq!(names(&store), [cached, &[&*name]], "{undecodable}");
        assert_eq!(store.oldest_version(), Some("2"));

        let applied = store.apply(0, WatchEvent::Modified(object(undecodable)), "3");
        let was_cached = cached.contains(&&*name);
        assert_eq!(applied.map(|(_, was_cached)| was_cached), Some(was_cached));
        assert!(store.skipped().is_empty(), "{undecodable}");
    }
}

#[test]
fn deletions_report_whether_the_object_was_cached() {
    let mut store = store(&[None]);
    replace(&mut store, 0, listed("1", &["n/a@1", "n/b@1"], &["n/c@1"]));
    for (event, expected, was_cached) in [
        (WatchEvent::Deleted(object("n/a@1")), "deleted n/a", true),
        (WatchEvent::Deleted(object("n/a@1")), "deleted n/a", false),
        (
            WatchEvent::SkippedDeletion(skipped("n/b@1")),
            "vanished n/b",
            true,
        ),
        (
            WatchEvent::SkippedDeletion(skipped("n/c@1")),
            "vanished n/c",
            false,
        ),
    ] {
        let (event, found) = store.apply(0, event, "2").unwrap();
        assert_eq!((&*text(&event), found), (expected, was_cached));
    }
    assert!(store.apply(0, bookmark(), "3").is_none());
    assert_eq!(names(&store), [[""; 0], [""; 0]]);
    assert_eq!(store.oldest_version(), Some("3"));
}

#[test]
fn list_replaces_the_objects_of_its_scope() {
    let mut store = store(&[Some("n"), Some("m")]);
    let first = listed("1", &["n/a@1", "n/b@1"], &["n/x@1"]);
    assert_eq!(replace(&mut store, 0, first), "initial n/a, initial n/b");
    assert!(!store.is_synced());
    let other = listed("1", &["m/a@1"], &["m/x@1"]);
    assert_eq!(replace(&mut store, 1, other), "initial m/a");
    assert!(store.is_synced());

    // `n/b` stays cached, since the list has it in a state that cannot be decoded.
    let second = listed("2", &["n/c@1"], &["n/b@1"]);
    assert_eq!(replace(&mut store, 0, second), "vanished n/a, added n/c");
    let [cached, undecodable] = names(&store);
    assert_eq!(cached, ["m/a", "n/b", "n/c"]);
    assert_eq!(undecodable, ["m/x", "n/b"]);

    // An undecodable namespace is that of the scope.
    replace(&mut store, 0, listed("3", &[], &["y@1"]));
    assert_eq!(names(&store), [&["m/a"][..], &["m/x", "n/y"]]);
}

#[test]
fn store_is_complete_up_to_the_version_of_the_slowest_scope() {
    let mut store = store(&[Some("n"), Some("m")]);
    replace(&mut store, 0, listed("9", &[], &[]));
    assert_eq!(store.oldest_version(), Some(""));
    assert_eq!(store.has_version("9", Some("n")), Some(Ok(true)));
    assert_eq!(store.has_version("9", None), Some(Ok(false)));
    replace(&mut store, 1, listed("8", &[], &[]));
    store.apply(0, bookmark(), "10");
    assert_eq!(store.oldest_version(), Some("8"));
    for (version, namespace, expected) in [
        ("8", None, Some(true)),
        ("9", None, Some(false)),
        ("10", Some("n"), Some(true)),
        ("11", Some("n"), Some(false)),
        ("1", Some("other"), None),
    ] {
        let found = store.has_version(version, namespace);
        assert_eq!(found, expected.map(Ok), "{version} {namespace:?}");
    }
    assert!(matches!(store.has_version("x", None), Some(Err(_))));
    assert!(
        super::InformerStore::<ConfigMap>::new(&[])
            .oldest_version()
            .is_none()
    );
}

#[test]
fn restores_are_known_until_the_next_one() {
    let mut store = store(&[Some("n"), Some("m")]);
    let early = Instant::now();
    let late = early + Duration::from_secs(1);
    for (scope, restored) in [(0, Some(late)), (1, Some(early)), (0, None)] {
        let list = Listed {
            restored,
            ..listed("1", &[], &[])
        };
        replace(&mut store, scope, list);
    }
    for (namespace, expected) in [
        (None, Some(late)),
        (Some("n"), Some(late)),
        (Some("m"), Some(early)),
        (Some("other"), None),
    ] {
        assert_eq!(store.restored_at(namespace), expected, "{namespace:?}");
    }
}
