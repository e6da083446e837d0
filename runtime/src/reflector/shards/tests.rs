use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::json;

use super::*;

fn filter(shard_by: ShardBy, key: ShardKey, (namespace, name): (&str, &str)) -> ShardFilter {
    let hash = shard_by.hash(namespace, name);
    ShardFilter {
        shard_by,
        key: Arc::new(key),
        ranges: [hash..=hash].into_iter().collect(),
    }
}

#[test]
fn objects_are_outside_by_their_shard_key() {
    let owner = |group: &str, kind: &str, controller: bool| json!({ "apiVersion": format!("{group}v1"), "kind": kind, "name": "a", "controller": controller });
    let owned = [
        (json!([]), None),
        (json!([owner("", "ConfigMap", true)]), Some("a")),
        (json!([owner("", "ConfigMap", false)]), None),
        (json!([owner("", "Secret", true)]), None),
        (json!([owner("apps/", "ConfigMap", true)]), None),
        (
            json!([owner("", "Secret", false), owner("", "ConfigMap", true)]),
            Some("a"),
        ),
    ];
    let of_maps = |is_cluster_scoped| ShardKey::controller("", "ConfigMap", is_cluster_scoped);
    for (owners, owner) in owned {
        let metadata = json!({ "namespace": "one", "name": "x", "ownerReferences": owners });
        for (shard_by, key, decides) in [
            (ShardBy::Namespace, ShardKey::Itself, Some(("one", ""))),
            (ShardBy::Name, ShardKey::Itself, Some(("one", "x"))),
            (ShardBy::Namespace, of_maps(false), Some(("one", ""))),
            (ShardBy::Name, of_maps(false), owner.map(|it| ("one", it))),
            (ShardBy::Name, of_maps(true), owner.map(|it| ("", it))),
            (ShardBy::Namespace, of_maps(true), owner.map(|it| ("", it))),
        ] {
            for (held, is_held) in [
                (decides.unwrap_or(("one", "b")), true),
                (("two", "b"), decides.is_none()),
            ] {
                let filter = filter(shard_by, key.clone(), held);
                let case = format!("{shard_by} {key:?} {held:?} {metadata}");
                let json = json!({ "kind": "ConfigMap", "metadata": metadata }).to_string();
                assert_eq!(filter.outside(json.as_bytes()).is_none(), is_held, "{case}");
                let map: ConfigMap = serde_json::from_str(&json).unwrap();
                assert_eq!(filter.includes(&map.metadata), is_held, "{case}");
            }
        }
    }
}

#[test]
fn outside_objects_have_a_name_and_a_version() {
    let filter = filter(ShardBy::Namespace, ShardKey::Itself, ("one", ""));
    for (json, expected) in [
        (
            r#"{"metadata":{"name":"a","namespace":"two","resourceVersion":"7"}}"#,
            Some("two/a@7"),
        ),
        (
            r#"{"data":{"x":"}"},"metadata":{"managedFields":[{}],"name":"a"}}"#,
            Some("a@"),
        ),
        (
            r#"{"metadata":{"name":"\u0061","namespace":"two"}}"#,
            Some("two/a@"),
        ),
        (r#"{"metadata":{"name":"a","namespace":"on\u0065"}}"#, None),
        // Those that cannot be read are reported when they are decoded.
        (r#"{"metadata":{"namespace":"two"}}"#, None),
        (r#"{"metadata":{"name":3,"namespace":"two"}}"#, None),
        (r#"{"metadata":null}"#, None),
        (r#"{}"#, None),
        ("", None),
    ] {
        let outside = filter.outside(json.as_bytes());
        let found = outside.map(|it| format!("{}@{}", it.name, it.resource_version));
        assert_eq!(found.as_deref(), expected, "{json}");
    }
}

#[test]
fn the_api_server_filters_by_namespace_only() {
    let of_maps = |is_cluster_scoped| ShardKey::controller("", "ConfigMap", is_cluster_scoped);
    for (shard_by, key, is_filtered) in [
        (ShardBy::Namespace, ShardKey::Itself, true),
        (ShardBy::Namespace, of_maps(false), true),
        (ShardBy::Namespace, of_maps(true), false),
        (ShardBy::Name, ShardKey::Itself, false),
        (ShardBy::Name, of_maps(false), false),
    ] {
        let filter = filter(shard_by, key.clone(), ("one", ""));
        assert_eq!(filter.selector().is_some(), is_filtered, "{key:?}");
    }
}
