use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use k8s_openapi::api::core::v1::ConfigMap;

use super::store::shrink;
use super::{IndexFunc, Indexer, NAMESPACE_INDEX, ObjectName, Store};

/// Returns an object with `version` as its resource version, and `values` as its values in the
/// index `values`.
fn object(name: &str, version: &str, values: &str) -> Arc<ConfigMap> {
    let name: ObjectName = name.parse().unwrap();
    let mut object = ConfigMap::default();
    object.metadata.namespace = name.namespace().map(str::to_owned);
    object.metadata.name = Some(name.name().to_owned());
    object.metadata.resource_version = Some(version.into());
    object.data = Some([("values".to_owned(), values.to_owned())].into());
    Arc::new(object)
}

fn values(object: &ConfigMap) -> Vec<String> {
    let values = &object.data.as_ref().unwrap()["values"];
    values.split_whitespace().map(str::to_owned).collect()
}

fn described(objects: impl IntoIterator<Item = Arc<ConfigMap>>) -> Vec<String> {
    let mut described: Vec<_> = objects
        .into_iter()
        .map(|object| describe(&object))
        .collect();
    described.sort();
    described
}

fn describe(object: &ConfigMap) -> String {
    let version = object.metadata.resource_version.as_deref().unwrap();
    format!("{}@{version}", ObjectName::from_object(object))
}

fn under(cache: &Indexer<ConfigMap>, value: &str) -> Vec<String> {
    described(cache.by_index("values", value).unwrap())
}

#[test]
fn keys_are_formatted_and_parsed_as_in_client_go() {
    for (key, namespace, name) in [("a/b", "a", "b"), ("b", "", "b"), ("", "", "")] {
        let parsed: ObjectName = key.parse().unwrap();
        assert_eq!(parsed, ObjectName::new(namespace, name));
        assert_eq!(parsed.to_string(), key);
    }
    let error = "a/b/c".parse::<ObjectName>().unwrap_err();
    assert_eq!(error.to_string(), "unexpected key format: \"a/b/c\"");
}

#[test]
fn names_are_ordered_by_namespace_first() {
    let keys = ["", "a", "b", "a/b", "a/b-c", "a-b/a", "a-b/b", "b/a"];
    let names = keys.map(|key| key.parse::<ObjectName>().unwrap());
    assert!(names.is_sorted(), "{names:?}");
    let not_a_key = ObjectName::cluster("a/b");
    assert_ne!(not_a_key, names[3]);
    assert_eq!((not_a_key.namespace(), not_a_key.name()), (None, "a/b"));
}

#[test]
fn object_names_of_any_length_keep_namespace_and_name() {
    for (namespace, name) in [(1, 1), (63, 253), (64, 253), (1000, 1000), (3, 0)] {
        let (namespace, name) = ("ä".repeat(namespace), "ö".repeat(name));
        let joined = ObjectName::namespaced(&namespace, &name);
        assert_eq!(joined.namespace(), Some(&*namespace));
        assert_eq!(joined.name(), name);
        assert_eq!(joined.to_string(), format!("{namespace}/{name}"));
        assert!(
            std::ptr::eq(joined.name(), joined.clone().name()),
            "one text"
        );
    }
}

#[test]
fn add_indexers_accepts_an_iterator_that_reads_the_cache() {
    let cache = Indexer::from_iter([(*object("a/one", "1", "x")).clone()]);
    let names = (0..cache.len()).map(|at| {
        let func: IndexFunc<ConfigMap> = Arc::new(values);
        (format!("{at} of {}", cache.len()), func)
    });
    cache.add_indexers(names).unwrap();
    assert_eq!(cache.index_names(), ["0 of 1", NAMESPACE_INDEX]);
}

#[test]
fn indices_are_updated_on_every_change() {
    let mut store = Store::new();
    let cache = store.indexer();
    store.upsert(object("a/one", "1", "x y"));
    cache.add_indexer("values", values).unwrap();
    store.upsert(object("a/two", "2", "y y"));
    assert_eq!(under(&cache, "x"), ["a/one@1"]);
    assert_eq!(under(&cache, "y"), ["a/one@1", "a/two@2"]);

    store.upsert(object("a/one", "3", "z"));
    assert_eq!(under(&cache, "y"), ["a/two@2"]);
    assert_eq!(under(&cache, "z"), ["a/one@3"]);

    store.remove(&ObjectName::namespaced("a", "two"));
    assert_eq!(cache.index_values("values").unwrap(), ["z"]);
    store.remove(&ObjectName::namespaced("a", "one"));
    assert!(cache.index_values("values").unwrap().is_empty());
    assert!(cache.index_values(NAMESPACE_INDEX).unwrap().is_empty());
}

#[test]
fn replace_returns_deletions_and_keeps_list_order() {
    let mut store = Store::new();
    let cache = store.indexer();
    cache.add_indexer("values", values).unwrap();
    for known in [
        object("a/one", "1", "x"),
        object("a/two", "1", "x"),
        object("b/two", "1", "x"),
    ] {
        store.upsert(known);
    }
    let list = vec![
        object("a/zero", "2", "x"),
        object("a/one", "2", "y"),
        object("a/again", "2", "y"),
        object("a/again", "3", "z"),
    ];
    let replaced = store.replace(Some("a"), list);

    let deleted: Vec<_> = replaced
        .deleted
        .iter()
        .map(|(name, _)| name.to_string())
        .collect();
    assert_eq!(deleted, ["a/two"]);
    let present: Vec<_> = replaced
        .present
        .iter()
        .map(|(old, new)| (old.as_deref().map(describe), describe(new)))
        .collect();
    assert_eq!(
        present,
        [
            (None, "a/zero@2".to_owned()),
            (Some("a/one@1".to_owned()), "a/one@2".to_owned()),
            (None, "a/again@3".to_owned()),
        ]
    );
    assert_eq!(
        described(cache.list()),
        ["a/again@3", "a/one@2", "a/zero@2", "b/two@1"]
    );
    assert_eq!(cache.len(), 4);
    assert_eq!(under(&cache, "x"), ["a/zero@2", "b/two@1"]);
    assert_eq!(under(&cache, "z"), ["a/again@3"]);
}

/// If a list of one namespace contains objects of others, the cached objects of the others stay
/// unchanged.
#[test]
fn namespace_replace_keeps_objects_of_other_namespaces() {
    let mut store = Store::new();
    let cache = store.indexer();
    cache.add_indexer("values", values).unwrap();
    store.upsert(object("b/one", "1", "x"));
    store.upsert(object("b/two", "1", "y"));
    let list = vec![object("a/one", "2", "x"), object("b/one", "2", "z")];
    let replaced = store.replace(Some("a"), list);
    assert_eq!(replaced.present.len(), 1);
    assert!(replaced.deleted.is_empty());
    assert_eq!(described(cache.list()), ["a/one@2", "b/one@1", "b/two@1"]);
    assert_eq!(cache.len(), 3);
    assert_eq!(under(&cache, "x"), ["a/one@2", "b/one@1"]);
    assert!(under(&cache, "z").is_empty());
}

/// If a list of one namespace copied the index entries of others, the first lists of n namespaces
/// would take time proportional to n².
#[test]
fn namespace_replace_copies_no_index_entries_of_others() {
    let mut store = Store::new();
    let cache = store.indexer();
    let [one, two] = ["a/one", "b/two"].map(|name| object(name, "1", "x"));
    store.replace(None, vec![Arc::clone(&one), Arc::clone(&two)]);
    let (counts, counted) = std::sync::mpsc::channel();
    let counting = Arc::clone(&two);
    let index = move |object: &ConfigMap| {
        counts.send(Arc::strong_count(&counting)).unwrap();
        values(object)
    };
    cache.add_indexer("values", index).unwrap();
    counted.try_iter().for_each(drop);
    let held = Arc::strong_count(&two);
    store.replace(Some("a"), vec![object("a/one", "2", "x y")]);
    assert_eq!(counted.try_iter().collect::<Vec<_>>(), [held, held]);
    assert_eq!(under(&cache, "x"), ["a/one@2", "b/two@1"]);
    assert_eq!(under(&cache, "y"), ["a/one@2"]);
}

/// Index functions run without the lock, so an index may be added while a list is indexed.
#[test]
fn indexer_added_during_a_replace_includes_the_new_list() {
    for namespace in [None, Some("a")] {
        let mut store = Store::new();
        let cache = store.indexer();
        store.upsert(object("a/old", "1", "x"));
        store.upsert(object("b/old", "1", "x"));
        let (adding, is_added) = (cache.clone(), AtomicBool::new(false));
        let slow = move |object: &ConfigMap| {
            let is_listed = object.metadata.resource_version.as_deref() == Some("2");
            if is_listed && !is_added.swap(true, Ordering::Relaxed) {
                let adding = adding.clone();
                let add = move || adding.add_indexer("values", values);
                std::thread::spawn(add).join().unwrap().unwrap();
            }
            Vec::new()
        };
        cache.add_indexer("slow", slow).unwrap();
        store.replace(namespace, vec![object("a/new", "2", "x")]);
        assert_eq!(under(&cache, "x"), described(cache.list()), "{namespace:?}");
        store.remove(&ObjectName::namespaced("a", "new"));
        assert_eq!(under(&cache, "x"), described(cache.list()), "{namespace:?}");
    }
}

#[test]
fn replace_keeping_retains_the_given_names() {
    let mut store = Store::new();
    let cache = store.indexer();
    store.upsert(object("a/kept", "1", ""));
    store.upsert(object("a/gone", "1", ""));
    let kept = HashSet::from([ObjectName::new("a", "kept")]);
    let replaced = store.replace_keeping(None, vec![object("b/new", "2", "")], &kept);
    assert_eq!(replaced.deleted.len(), 1);
    assert_eq!(described(cache.list()), ["a/kept@1", "b/new@2"]);
}

#[test]
fn index_errors_match_client_go() {
    let cache = Indexer::<ConfigMap>::from_iter([]);
    cache.add_indexer("values", values).unwrap();
    assert_eq!(
        cache.by_index("nodes", "x").unwrap_err().to_string(),
        "index with name nodes does not exist"
    );
    for taken in ["values", NAMESPACE_INDEX] {
        let error = cache.add_indexer(taken, values).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("indexer conflict: {taken} exists already")
        );
    }
    assert_eq!(cache.index_names(), [NAMESPACE_INDEX, "values"]);
}

#[test]
fn index_returns_each_matching_object_once() {
    let mut store = Store::new();
    let cache = store.indexer();
    cache.add_indexer("values", values).unwrap();
    store.upsert(object("a/one", "1", "x y"));
    store.upsert(object("a/two", "1", "z"));
    let relatives = cache
        .index("values", &object("c/other", "9", "y x"))
        .unwrap();
    assert_eq!(described(relatives), ["a/one@1"]);
    let neighbours = cache
        .index(NAMESPACE_INDEX, &object("a/other", "9", ""))
        .unwrap();
    assert_eq!(neighbours.len(), 2);
}

#[test]
fn panicking_index_function_omits_the_object_from_the_index() {
    let mut store = Store::new();
    let cache = store.indexer();
    let strict = |object: &ConfigMap| match object.metadata.name.as_deref() {
        Some("bad") => panic!("no value"),
        _ => vec!["value".to_owned()],
    };
    cache.add_indexer("strict", strict).unwrap();
    store.upsert(object("a/bad", "1", ""));
    store.upsert(object("a/good", "1", ""));
    assert_eq!(cache.len(), 2);
    assert_eq!(
        described(cache.by_index("strict", "value").unwrap()),
        ["a/good@1"]
    );
}

/// The capacities of a table are 3, 7, 14, 28, and so on.
#[test]
fn tables_shrink_when_less_than_a_quarter_is_used() {
    for (before, entries, after) in [
        (56, 1, 56),
        (112, 28, 112),
        (112, 20, 56),
        (112, 13, 28),
        (448, 112, 448),
        (448, 111, 224),
    ] {
        let mut table = hashbrown::HashMap::with_capacity(before);
        assert_eq!(table.capacity(), before);
        table.extend((0..entries).map(|entry| (entry, ())));
        shrink(&mut table);
        assert_eq!(table.capacity(), after, "{before} {entries}");
    }
}

/// Objects may be secret, so only their names and number are printed.
#[test]
fn debug_output_omits_object_contents() {
    let mut store = Store::new();
    store.upsert(object("a/one", "1", "hunter2"));
    let replaced = store.replace(None, vec![object("b/two", "2", "hunter2")]);
    let name = ObjectName::namespaced("a", "one");
    let kind = std::any::type_name::<ConfigMap>();
    let indexer = format!("Indexer {{ kind: {kind:?}, len: 1, .. }}");
    assert_eq!(format!("{name:?}"), r#"ObjectName("a/one")"#);
    assert_eq!(format!("{:?}", store.indexer()), indexer);
    assert_eq!(format!("{store:?}"), format!("Store({indexer})"));
    assert_eq!(
        format!("{replaced:?}"),
        r#"Replaced { deleted: ["a/one"], present: ["b/two"] }"#
    );
}
