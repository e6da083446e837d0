//! Tests of caches on the real API server: controller-runtime's `pkg/cache/cache_test.go`.

use genclient::kube::core::Expression;
use genclient::lister::Selector;
use genclient::scheme::Object;
use genclient_controller::ReadError;
use k8s_openapi::api::core::v1::{Node, Secret};
use kube::core::{ApiResource, DynamicObject, PartialObjectMeta};

use super::*;

pub(super) fn tests(suite: &mut Suite) {
    suite.both("controller::cache::selectors", selectors);
    suite.both("controller::cache::forms", forms);
    suite.both("controller::cache::cluster_scoped", cluster_scoped);
}

/// Creates ConfigMaps in three namespaces: three in the first, two in the second, one in the third.
/// Each has its number as a label, and the first of each namespace is `first`.
async fn filled(plane: &ControlPlane) -> std::result::Result<[String; 3], Failed> {
    let mut namespaces = Vec::new();
    for (number, count) in [3, 2, 1].into_iter().enumerate() {
        let namespace = plane.create_namespace("cached").await?;
        let maps: Api<ConfigMap> = Api::namespaced(plane.client(), &namespace);
        for map in 0..count {
            let name = format!("map-{number}-{map}");
            let mut object = config_map(&namespace, &name, "1")?;
            let position = if map == 0 { "first" } else { "later" };
            object.metadata.labels = Some(
                [
                    ("test", &*namespaces_label(&namespace)),
                    ("position", position),
                ]
                .map(|(key, value)| (key.to_owned(), value.to_owned()))
                .into(),
            );
            maps.create(&PostParams::default(), &object).await?;
        }
        namespaces.push(namespace);
    }
    namespaces.try_into().map_err(|_| "three namespaces".into())
}

fn namespaces_label(namespace: &str) -> String {
    format!("in-{namespace}")
}

/// Cached objects, by the namespaces of the manager and the selectors of the watch.
async fn selectors(plane: &ControlPlane) -> Outcome {
    let namespaces = filled(plane).await?;
    let [one, two, three] = namespaces.each_ref().map(String::as_str);
    let of_one = namespaces_label(one);
    let of_one = Some(("test", &[&*of_one][..]));
    let first = Some(("position", &["first"][..]));
    let any = Some(("position", &["first", "later"][..]));
    let none = Some(("position", &["none"][..]));
    let name = Some("metadata.name=map-0-1");
    let of_two = format!("metadata.namespace={two}");
    let of_two = Some(&*of_two);
    let all = [one, two, three];
    type Labels<'a> = Option<(&'a str, &'a [&'a str])>;
    let rows: [(&[&str], Labels, Option<&str>, usize); 16] = [
        (&all, None, None, 6),
        (&[one], None, None, 3),
        (&[one, two], None, None, 5),
        (&all, None, name, 1),
        (&all, None, Some("metadata.name!=map-0-1"), 5),
        (&all, None, of_two, 2),
        (&all, None, Some("metadata.name=none"), 0),
        (&[one], None, of_two, 0),
        (&all, first, None, 3),
        (&all, of_one, None, 3),
        (&[two], of_one, None, 0),
        (&all, none, None, 0),
        (&all, any, None, 6),
        (&all, of_one, name, 1),
        (&all, first, name, 0),
        (&[three], first, None, 1),
    ];
    for (namespaces, labels, fields, expected) in rows {
        let mut watch = Watch::<ConfigMap>::new();
        if let Some((key, values)) = labels {
            let values = values.iter().map(|value| (*value).to_owned()).collect();
            let selector = Expression::In(key.to_owned(), values);
            watch = watch.labels(Selector::from_iter([selector]));
        }
        if let Some(fields) = fields {
            watch = watch.fields(fields);
        }
        let found = selected(plane, namespaces, watch).await?;
        assert_eq!(
            found,
            (expected, expected),
            "{namespaces:?} {labels:?} {fields:?}"
        );
    }
    Ok(())
}

/// Returns the numbers of objects that a watch has reconciled and cached.
async fn selected(
    plane: &ControlPlane,
    namespaces: &[&str],
    watch: Watch<ConfigMap>,
) -> std::result::Result<(usize, usize), Failed> {
    let counting = Counting::default();
    let running = Running::start_with(
        plane,
        namespaces[0],
        |builder| builder.namespaces(namespaces.iter().copied()),
        |manager| manager.add(Controller::watching(watch, counting.clone())),
    )
    .await?;
    let listed = running.client.list::<ConfigMap>(&Query::new()).await?;
    let reconciled = eventually("the reconciles", async || {
        let reconciled = counting.0.lock().len();
        (reconciled == listed.len())
            .then_some(reconciled)
            .ok_or(reconciled)
    })
    .await?;
    running.stop().await?;
    Ok((reconciled, listed.len()))
}

/// Typed, dynamic and metadata-only objects, of one namespace and of several.
async fn forms(plane: &ControlPlane) -> Outcome {
    let namespaces = filled(plane).await?;
    in_form::<ConfigMap>(plane, &namespaces, ()).await?;
    let resource = ApiResource::erase::<ConfigMap>(&());
    in_form::<DynamicObject>(plane, &namespaces, resource).await?;
    in_form::<PartialObjectMeta<ConfigMap>>(plane, &namespaces, ()).await
}

async fn in_form<K: Object>(
    plane: &ControlPlane,
    namespaces: &[String; 3],
    types: K::DynamicType,
) -> Outcome {
    let [one, two, three] = namespaces.each_ref().map(String::as_str);
    let running = Running::start_with(
        plane,
        one,
        |builder| builder.namespaces([one, two]),
        |manager| {
            let by_position = |object: &K| object.meta().labels.clone()?.remove("position");
            let by_test = |object: &K| object.meta().labels.clone()?.remove("test");
            let watch = Watch::<K>::of(types.clone())
                .index("position", by_position)
                .index("test", by_test);
            let controller = Controller::new(Counting::default()).named("cached");
            manager.add(controller.caches(watch))
        },
    )
    .await?;
    let maps = running.client.of::<K>(types);
    let get = async |namespace: &str, name: &str| {
        maps.get(&ObjectName::namespaced(namespace, name)).await
    };
    assert!(get(one, "map-0-0").await?.is_some());
    assert!(get(two, "map-1-1").await?.is_some());
    assert!(get(two, "map-0-0").await?.is_none());
    let elsewhere = get(three, "map-2-0").await;
    assert!(matches!(elsewhere, Err(ReadError::NotCovered { .. })));
    let labels = |value: &'static str| [("position", value)].into_iter().collect::<Selector>();
    for (query, expected) in [
        (Query::new().labels(labels("first")), 2),
        (Query::new().labels(labels("later")), 3),
        (Query::new().labels(labels("later")).namespace(two), 1),
        (Query::new().index("position", "first"), 2),
        (Query::new().index("position", "first").namespace(one), 1),
        (Query::new().index("position", "later").namespace(one), 2),
        (Query::new().index("test", namespaces_label(two)), 2),
        (Query::new().index("test", namespaces_label(three)), 0),
        (
            Query::new()
                .index("test", namespaces_label(one))
                .labels(labels("later")),
            2,
        ),
    ] {
        assert_eq!(maps.list(&query).await?.len(), expected, "{query:?}");
    }
    running.stop().await
}

/// A manager with selected namespaces caches cluster-scoped kinds whole. Their indexes have no
/// namespace.
async fn cluster_scoped(plane: &ControlPlane) -> Outcome {
    let namespace = plane.create_namespace("nodes").await?;
    let nodes: Api<Node> = Api::all(plane.client());
    let mut node = Node::default();
    node.metadata.name = Some(namespace.clone());
    node.metadata.labels = Some([("test".to_owned(), namespace.clone())].into());
    nodes.create(&PostParams::default(), &node).await?;
    let running = Running::start_with(
        plane,
        &namespace,
        |builder| builder,
        |manager| {
            let by_test = |node: &Node| node.metadata.labels.clone()?.remove("test");
            let watch = Watch::<Node>::new().index("test", by_test);
            let controller = Controller::new(Counting::default()).named("cached");
            manager.add(controller.caches(watch))
        },
    )
    .await?;
    let client = &running.client;
    let read = client.get::<Node>(&ObjectName::cluster(&namespace)).await?;
    assert!(read.is_some());
    let query = Query::new().index("test", &*namespace);
    assert_eq!(client.list::<Node>(&query).await?.len(), 1);
    let name = ObjectName::namespaced(&namespace, "undeclared");
    let undeclared = client.get::<Secret>(&name).await;
    assert!(matches!(undeclared, Err(ReadError::NotCached { .. })));
    nodes.delete(&namespace, &Default::default()).await?;
    running.stop().await
}
