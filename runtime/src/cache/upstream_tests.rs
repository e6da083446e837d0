//! Tests of store, indexer and object names: client-go's cases, and random operations compared with
//! a model.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::thread;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::core::{Expression, Selector};

use super::{Indexer, NAMESPACE_INDEX, ObjectName, ParseObjectNameError, Store};
use crate::lister::Lister;

fn object(name: &str, values: &str) -> Arc<ConfigMap> {
    let name: ObjectName = name.parse().unwrap();
    let mut object = ConfigMap::default();
    object.metadata.namespace = name.namespace().map(str::to_owned);
    object.metadata.name = Some(name.name().to_owned());
    object.data = Some([("values".to_owned(), values.to_owned())].into());
    Arc::new(object)
}

/// Splits like Go's `strings.Split`: an empty text has one empty part, which is an ordinary value.
fn values(object: &ConfigMap) -> Vec<String> {
    let values = &object.data.as_ref().unwrap()["values"];
    values.split(',').map(str::to_owned).collect()
}

fn names(objects: impl IntoIterator<Item = Arc<ConfigMap>>) -> Vec<String> {
    let mut names: Vec<_> = objects
        .into_iter()
        .map(|object| ObjectName::from_object(&*object).to_string())
        .collect();
    names.sort();
    names
}

/// Executes `steps`, and compares the objects of each value after every step. A step is
/// `name=values` or `-name`; the expected result is `value:name,name`.
#[track_caller]
fn check_index(steps: &[(&str, &[&str])]) {
    let mut store = Store::new();
    let cache = store.indexer();
    cache.add_indexer("by_val", values).unwrap();
    for (step, expected) in steps {
        match step.split_once('=') {
            Some((name, values)) => {
                store.upsert(object(name, values));
            }
            None => {
                store.remove(&ObjectName::cluster(step.trim_start_matches('-')));
            }
        }
        let mut found = cache.index_values("by_val").unwrap();
        found.sort();
        let found: Vec<_> = found
            .iter()
            .map(|value| {
                let names = names(cache.by_index("by_val", value).unwrap());
                format!("{value}:{}", names.join(","))
            })
            .collect();
        assert_eq!(found, *expected, "after {step}");
    }
}

/// TestThreadSafeStoreIndexingFunctionsWithMultipleValues.
#[test]
fn objects_are_indexed_under_each_of_their_values() {
    check_index(&[
        ("key1=foo", &["foo:key1"]),
        ("key2=bar", &["bar:key2", "foo:key1"]),
        ("key2=foo,bar", &["bar:key2", "foo:key1,key2"]),
        ("key1=foo,bar", &["bar:key1,key2", "foo:key1,key2"]),
        (
            "key3=foo,bar,baz",
            &["bar:key1,key2,key3", "baz:key3", "foo:key1,key2,key3"],
        ),
        (
            "key1=foo",
            &["bar:key2,key3", "baz:key3", "foo:key1,key2,key3"],
        ),
        ("key2=bar", &["bar:key2,key3", "baz:key3", "foo:key1,key3"]),
        ("-key1", &["bar:key2,key3", "baz:key3", "foo:key3"]),
        ("-key3", &["bar:key2"]),
        // TestThreadSafeStoreDeleteRemovesEmptySetsFromIndex: a value without objects is removed.
        ("-key2", &[]),
    ]);
}

/// TestThreadSafeStoreAddKeepsNonEmptySetPostDeleteFromIndex, TestGetIndexFuncValues,
/// TestMultiIndexKeys and TestIndex.
#[test]
fn index_values_are_kept_while_any_object_has_them() {
    check_index(&[
        ("one=ernie,bert", &["bert:one", "ernie:one"]),
        (
            "two=bert,oscar",
            &["bert:one,two", "ernie:one", "oscar:two"],
        ),
        (
            "tre=ernie,elmo",
            &["bert:one,two", "elmo:tre", "ernie:one,tre", "oscar:two"],
        ),
        ("-tre", &["bert:one,two", "ernie:one", "oscar:two"]),
        ("two=oscar", &["bert:one", "ernie:one", "oscar:two"]),
        ("-never", &["bert:one", "ernie:one", "oscar:two"]),
        // A repeated value counts once, and an empty value is a value.
        ("two=bert,bert", &["bert:one,two", "ernie:one"]),
        ("two=", &[":two", "bert:one", "ernie:one"]),
    ]);
    let cache = Indexer::from_iter([(*object("a", "b")).clone(), (*object("c", "b")).clone()]);
    cache.add_indexer("by_val", values).unwrap();
    assert_eq!(
        names(cache.index("by_val", &object("x", "b")).unwrap()),
        ["a", "c"]
    );
    assert!(cache.by_index("by_val", "nothing").unwrap().is_empty());
}

/// TestCache.
#[test]
fn store_returns_the_stored_objects() {
    let mut store = Store::new();
    let cache = store.indexer();
    let value = |name| {
        cache
            .get_parts("", name)
            .map(|object| values(&object).concat())
    };
    assert!(store.upsert(object("foo", "bar")).is_none());
    assert_eq!(value("foo").as_deref(), Some("bar"));
    let before = store.upsert(object("foo", "baz")).unwrap();
    assert_eq!(values(&before), ["bar"]);
    assert_eq!(value("foo").as_deref(), Some("baz"));
    assert!(store.remove(&ObjectName::cluster("foo")).is_some());
    assert!(store.remove(&ObjectName::cluster("foo")).is_none());
    assert_eq!(value("foo"), None);
    for name in ["a", "c", "e"] {
        store.upsert(object(name, ""));
    }
    assert_eq!(names(cache.list()), ["a", "c", "e"]);
    store.replace(None, vec![object("foo", ""), object("bar", "")]);
    assert_eq!(names(cache.list()), ["bar", "foo"]);
}

/// TestListAll.
#[test]
fn lists_return_all_objects_matching_the_selector() {
    const OBJECTS: usize = 20_000;
    let selected = |key: &str| Selector::from_iter([Expression::Equal(key.into(), "true".into())]);
    for (matching, label, selector, expected) in [
        (2_000, "match", selected("match"), 2_000),
        (0, "match", Selector::default(), OBJECTS),
        (2_000, "nomatch", selected("match"), 0),
    ] {
        let objects = (0..OBJECTS).map(|at| {
            let mut object = ConfigMap::default();
            object.metadata.name = Some(format!("obj-{at}"));
            object.metadata.labels =
                (at < matching).then(|| [(label.to_owned(), "true".to_owned())].into());
            object
        });
        let lister: Lister<_> = objects.collect();
        assert_eq!(lister.list(&selector).len(), expected);
    }
}

/// Returns a random number below `end`, by SplitMix64.
fn below(state: &mut u64, end: usize) -> usize {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    usize::try_from((mixed ^ (mixed >> 31)) % (end as u64)).unwrap()
}

/// TestObjectNames.
#[test]
fn object_names_round_trip_through_strings() {
    const LETTERS: &[u8] = b"abcdefghi/";
    let mut chance = 1;
    for _ in 0..5_000 {
        let key: String = (0..10)
            .map(|_| char::from(LETTERS[below(&mut chance, LETTERS.len())]))
            .collect();
        let parts: Vec<_> = key.split('/').collect();
        let expected = match parts[..] {
            [name] => Ok(ObjectName::cluster(name)),
            [namespace, name] => Ok(ObjectName::namespaced(namespace, name)),
            _ => Err(ParseObjectNameError { key: key.clone() }),
        };
        let parsed = key.parse::<ObjectName>();
        assert_eq!(parsed, expected, "{key}");
        if let Ok(name) = parsed {
            // An empty namespace is the same as none.
            assert_eq!(name.to_string(), key.trim_start_matches('/'));
        }
    }
}

/// Objects by name, each with its values.
type Model = BTreeMap<String, String>;

fn sorted(texts: impl IntoIterator<Item = impl ToString>) -> Vec<String> {
    let mut texts: Vec<_> = texts.into_iter().map(|text| text.to_string()).collect();
    texts.sort();
    texts
}

fn in_namespace<'a>(model: &'a Model, namespace: &str) -> impl Iterator<Item = &'a String> {
    let prefix = format!("{namespace}/");
    model.keys().filter(move |name| name.starts_with(&prefix))
}

fn agree(cache: &Indexer<ConfigMap>, model: &Model, context: &str) {
    assert_eq!(
        names(cache.list()),
        Vec::from_iter(model.keys().cloned()),
        "{context}"
    );
    let keys = cache.keys();
    let found = keys.iter().map(|name| cache.get(name).unwrap());
    assert_eq!(names(found), names(cache.list()), "{context}");
    assert_eq!(cache.len(), model.len(), "{context}");
    assert_eq!(cache.is_empty(), model.is_empty(), "{context}");
    let namespaces: BTreeSet<_> = model.keys().map(|name| &name[..1]).collect();
    let indexed = cache.index_values(NAMESPACE_INDEX).unwrap();
    assert_eq!(sorted(indexed), sorted(namespaces), "{context}");
    for namespace in ["a", "b", "c"] {
        let expected: Vec<_> = in_namespace(model, namespace).cloned().collect();
        assert_eq!(
            names(cache.list_namespace(namespace)),
            expected,
            "{context}"
        );
        let by_index = cache.by_index(NAMESPACE_INDEX, namespace).unwrap();
        assert_eq!(names(by_index), expected, "{context}");
    }
    let found = |text: &String| text.split(',').map(str::to_owned).collect::<BTreeSet<_>>();
    for index in cache
        .index_names()
        .iter()
        .filter(|it| *it != NAMESPACE_INDEX)
    {
        let values: BTreeSet<_> = model.values().flat_map(found).collect();
        let indexed = BTreeSet::from_iter(cache.index_values(index).unwrap());
        assert_eq!(indexed, values, "{context}");
        for value in values {
            let expected: Vec<_> = model
                .iter()
                .filter(|(_, text)| found(text).contains(&value))
                .map(|(name, _)| name.clone())
                .collect();
            let found = cache.by_index(index, &value).unwrap();
            assert_eq!(names(found), expected, "{context}");
            let keys = cache.index_keys(index, &value).unwrap();
            assert_eq!(sorted(keys), expected, "{context}");
        }
    }
}

#[test]
fn random_operations_keep_indices_consistent() {
    const NAMES: [&str; 6] = ["a/1", "a/2", "b/1", "b/2", "b/3", "c/1"];
    const VALUES: [&str; 5] = ["x", "y", "x,y", "z,x,z", ""];
    for seed in 0..300 {
        let mut chance = seed;
        let (mut store, mut model) = (Store::new(), Model::new());
        let cache = store.indexer();
        for step in 0..60 {
            let mut draw = |end| below(&mut chance, end);
            let (name, text) = (NAMES[draw(NAMES.len())], VALUES[draw(VALUES.len())]);
            match draw(8) {
                0..=3 => {
                    store.upsert(object(name, text));
                    model.insert(name.into(), text.into());
                }
                4 => {
                    let parsed: ObjectName = name.parse().unwrap();
                    store.remove(&parsed);
                    model.remove(name);
                }
                5 if step % 20 == 0 => cache.add_indexer(step.to_string(), values).unwrap(),
                _ => {
                    let namespace = [None, Some("a"), Some("b")][draw(3)];
                    let listed: BTreeMap<_, _> = NAMES
                        .iter()
                        .filter(|it| namespace.is_none_or(|namespace| it.starts_with(namespace)))
                        .filter_map(|it| match draw(2) {
                            0 => Some((*it, VALUES[draw(VALUES.len())])),
                            _ => None,
                        })
                        .collect();
                    let objects = listed.iter().map(|(name, text)| object(name, text));
                    // Objects named in `kept` stay cached, for example undecodable ones.
                    let kept: ObjectName = NAMES[draw(NAMES.len())].parse().unwrap();
                    let keeps = |it: &String| {
                        namespace.is_some_and(|namespace| !it.starts_with(namespace))
                            || *it == kept.to_string()
                    };
                    store.replace_keeping(
                        namespace,
                        objects.collect(),
                        &HashSet::from([kept.clone()]),
                    );
                    model.retain(|it, _| keeps(it));
                    model.extend(
                        listed
                            .iter()
                            .map(|(it, text)| ((*it).into(), (*text).into())),
                    );
                }
            }
            agree(&cache, &model, &format!("seed {seed}, step {step}"));
        }
    }
}

/// Returns an index function that blocks on the object `big` until something is sent.
fn waits_for(release: Receiver<()>) -> impl Fn(&ConfigMap) -> Vec<String> {
    let release = Mutex::new(release);
    move |object| {
        if object.metadata.name.as_deref() == Some("big") {
            let _ = release.lock().unwrap().recv();
        }
        values(object)
    }
}

#[test]
fn readers_are_not_blocked_while_a_list_is_indexed() {
    for namespace in [None, Some("a")] {
        let mut store = Store::new();
        let cache = store.indexer();
        store.upsert(object("a/old", "x"));
        let (release, held) = channel();
        cache.add_indexer("slow", waits_for(held)).unwrap();
        let list = vec![object("a/big", "y"), object("a/new", "x")];
        let writing = thread::spawn(move || {
            store.replace(namespace, list);
            store
        });
        // While the list is blocked, reads of the cache and of the index work, and so does adding
        // another index.
        assert_eq!(names(cache.by_index("slow", "x").unwrap()), ["a/old"]);
        cache.add_indexer("meanwhile", values).unwrap();
        assert_eq!(names(cache.by_index("meanwhile", "x").unwrap()), ["a/old"]);
        assert!(!writing.is_finished());
        drop(release);
        let _store = writing.join().unwrap();
        for index in ["slow", "meanwhile"] {
            assert_eq!(names(cache.by_index(index, "x").unwrap()), ["a/new"]);
            assert_eq!(names(cache.by_index(index, "y").unwrap()), ["a/big"]);
        }
    }
}

#[test]
fn removed_objects_release_index_memory() {
    let mut store = Store::new();
    let cache = store.indexer();
    cache
        .add_indexer("all", |_: &ConfigMap| vec!["all".to_owned()])
        .unwrap();
    for at in 0..10_000 {
        store.upsert(object(&format!("a/{at}"), ""));
    }
    for at in 1..10_000 {
        store.remove(&ObjectName::namespaced("a", &at.to_string()));
    }
    let state = cache.state.read();
    let capacities = state.capacities("a", "all", "all");
    assert!(
        capacities.iter().all(|capacity| *capacity <= 128),
        "{capacities:?}"
    );
}
