//! Tests of the store: lists at older versions, and concurrent writes.

use super::*;
use serde_json::json;

fn pods() -> GroupResource {
    GroupResource::new("", "pods")
}

fn write(store: &Store, name: &str, data: u32) -> u64 {
    let (resource, key) = (pods(), Key::new("a", name));
    let live = store.get(&resource, &key);
    let object = json!({ "metadata": { "namespace": "a", "name": name }, "data": data });
    let written = store.commit(
        &resource,
        &key,
        live.as_ref(),
        |version| Some(Stored::new(object, version, 0)),
        Duration::ZERO,
        |_| {},
    );
    written.unwrap().version()
}

fn delete(store: &Store, name: &str) {
    let (resource, key) = (pods(), Key::new("a", name));
    let live = store.get(&resource, &key);
    let deleted = store.commit(
        &resource,
        &key,
        live.as_ref(),
        |_| None,
        Duration::ZERO,
        |_| {},
    );
    deleted.unwrap();
}

fn data(snapshot: &Listing) -> Vec<(String, u64)> {
    let objects = snapshot.objects.iter();
    let datum = |(key, object): &(Key, Arc<Stored>)| {
        let datum = object.value()["data"].as_u64().unwrap();
        (key.as_str().to_owned(), datum)
    };
    objects.map(datum).collect()
}

#[test]
fn list_at_returns_the_state_at_a_resource_version() {
    let store = Store::default();
    let mut states = vec![data(&store.list(&pods(), ""))];
    for step in 0..60u32 {
        let name = format!("p{}", step % 7);
        match step % 5 {
            4 if store.get(&pods(), &Key::new("a", &name)).is_some() => delete(&store, &name),
            _ => drop(write(&store, &name, step)),
        }
        states.push(data(&store.list(&pods(), "")));
    }
    for (version, state) in (0u64..).zip(&states) {
        let found = store.list_at(&pods(), "", version).unwrap();
        assert_eq!(&data(&found), state, "{version}");
    }
    let future = store.list_at(&pods(), "", 1000).map(|_| ());
    assert_eq!(future, Err(Unavailable::Future { current: 60 }));
    store.compact();
    let old = store.list_at(&pods(), "", 59).map(|_| ());
    assert_eq!(old, Err(Unavailable::TooOld { oldest: 60 }));
}

#[test]
fn commits_based_on_a_stale_object_are_rejected() {
    let store = Store::default();
    write(&store, "one", 1);
    let key = Key::new("a", "one");
    let live = store.get(&pods(), &key);
    write(&store, "one", 2);
    let late = store.commit(
        &pods(),
        &key,
        live.as_ref(),
        |_| None,
        Duration::ZERO,
        |_| {},
    );
    assert_eq!(late.map(|_| ()), Err(Raced));
    let again = store.commit(&pods(), &key, None, |_| None, Duration::ZERO, |_| {});
    assert_eq!(again.map(|_| ()), Err(Raced));
    assert_eq!(store.version(), 2);
}
