//! Tests of `get`, `list` and `watch`.

use e2e::ControlPlane;
use fixture::apis::v1::Fleet;
use futures::{Stream, TryStreamExt};
use genclient::client::TypedClient;
use kube::ResourceExt;
use kube::api::{
    DeleteParams, GetParams, ListParams, Patch, PatchParams, PostParams, WatchEvent, WatchParams,
};
use libtest_mimic::Failed;
use serde_json::json;

use super::{Stage, fleet, label, refusal};
use crate::suite::{Outcome, Suite};

pub(super) fn tests(suite: &mut Suite) {
    suite.both("verbs::get", get);
    suite.both("verbs::list", list);
    suite.both("verbs::list_of_all_namespaces", list_of_all_namespaces);
    suite.both("verbs::watch_with_a_selector", watch_with_a_selector);
}

async fn get(plane: &ControlPlane) -> Outcome {
    let stage = Stage::new(plane).await?;
    let created = stage
        .create("fleet", |fleet| fleet.spec.tier = Some("front".to_owned()))
        .await?;
    let read = stage.fleets.get("fleet", &GetParams::default()).await?;
    assert_eq!(read.spec, created.spec);
    assert_eq!(read.metadata, created.metadata);
    assert_eq!(
        refusal(stage.fleets.get("other", &GetParams::default()).await),
        Ok(404)
    );

    // Neither reaches the API server, where both would be paths of something else.
    for name in ["", "fleet/status"] {
        assert!(
            stage.fleets.get(name, &GetParams::default()).await.is_err(),
            "{name:?}"
        );
    }
    Ok(())
}

async fn list(plane: &ControlPlane) -> Outcome {
    let stage = Stage::new(plane).await?;
    for (name, tier) in [("a", "front"), ("b", "back"), ("c", "front")] {
        stage
            .create(name, |fleet| {
                fleet.spec.tier = Some(tier.to_owned());
                label(fleet, "name", name);
            })
            .await?;
    }
    for (params, names) in [
        (ListParams::default(), vec!["a", "b", "c"]),
        (
            ListParams::default().labels("name in (a, b)"),
            vec!["a", "b"],
        ),
        (
            ListParams::default().fields("spec.tier=front"),
            vec!["a", "c"],
        ),
        (ListParams::default().fields("metadata.name=b"), vec!["b"]),
        (ListParams::default().labels("name=d"), vec![]),
    ] {
        let list = stage.fleets.list(&params).await?;
        assert_eq!(
            list.iter().map(ResourceExt::name_any).collect::<Vec<_>>(),
            names,
            "{params:?}"
        );
    }
    let first = stage.fleets.list(&ListParams::default().limit(2)).await?;
    let token = first.metadata.continue_.unwrap_or_default();
    let second = stage
        .fleets
        .list(&ListParams::default().limit(2).continue_token(&token))
        .await?;
    assert_eq!((first.items.len(), second.items.len()), (2, 1));
    assert_eq!(
        refusal(
            stage
                .fleets
                .list(&ListParams::default().fields("spec.note=x"))
                .await
        ),
        Ok(400)
    );
    Ok(())
}

async fn list_of_all_namespaces(plane: &ControlPlane) -> Outcome {
    let (here, there) = (Stage::new(plane).await?, Stage::new(plane).await?);
    for stage in [&here, &there] {
        stage
            .create("fleet", |fleet| label(fleet, "of", &here.namespace))
            .await?;
    }
    let everywhere = here.clientset.fixture_v1().all_fleets();
    let typed = TypedClient::<Fleet>::all_namespaces(here.clientset.client().clone());
    let own = ListParams::default().labels(&format!("of={}", here.namespace));
    let mut expected = vec![here.namespace.clone(), there.namespace.clone()];
    expected.sort();
    for list in [everywhere.list(&own).await?, typed.list(&own).await?] {
        let mut found: Vec<_> = list.iter().filter_map(ResourceExt::namespace).collect();
        found.sort();
        assert_eq!(found, expected);
    }
    let params = DeleteParams::default();
    let deleted = typed.delete_collection(&params, &own).await;
    assert_eq!(refusal(deleted), Ok(404));
    // To get an object by name requires a namespace.
    assert!(
        everywhere
            .get("fleet", &GetParams::default())
            .await
            .is_err()
    );
    assert!(
        everywhere
            .create(&fleet("other"), &PostParams::default())
            .await
            .is_err()
    );
    Ok(())
}

async fn watch_with_a_selector(plane: &ControlPlane) -> Outcome {
    let stage = Stage::new(plane).await?;
    let list = stage.fleets.list(&ListParams::default()).await?;
    let version = list.metadata.resource_version.unwrap_or_default();
    let params = WatchParams::default().labels("watched=yes").timeout(30);
    let mut events = stage.fleets.watch(&params, &version).await?;

    stage.create("unwatched", |_| {}).await?;
    stage
        .create("watched", |fleet| label(fleet, "watched", "yes"))
        .await?;
    assert_eq!(next(&mut events).await?, "ADDED watched");
    let merge = |patch| async {
        stage
            .fleets
            .patch("watched", &Patch::Merge(patch), &PatchParams::default())
            .await
    };
    merge(json!({ "spec": { "note": "changed" } })).await?;
    assert_eq!(next(&mut events).await?, "MODIFIED watched");
    // An object that no longer matches the selector is deleted for the watch.
    merge(json!({ "metadata": { "labels": { "watched": "no" } } })).await?;
    assert_eq!(next(&mut events).await?, "DELETED watched");
    merge(json!({ "metadata": { "labels": { "watched": "yes" } } })).await?;
    assert_eq!(next(&mut events).await?, "ADDED watched");
    stage
        .fleets
        .delete("watched", &DeleteParams::default())
        .await?;
    assert_eq!(next(&mut events).await?, "DELETED watched");
    Ok(())
}

async fn next(
    events: &mut (impl Stream<Item = kube::Result<WatchEvent<Fleet>>> + Unpin),
) -> Result<String, Failed> {
    loop {
        let event = events.try_next().await?.ok_or("the watch has ended")?;
        let (change, fleet) = match event {
            WatchEvent::Added(fleet) => ("ADDED", fleet),
            WatchEvent::Modified(fleet) => ("MODIFIED", fleet),
            WatchEvent::Deleted(fleet) => ("DELETED", fleet),
            WatchEvent::Bookmark(_) => continue,
            WatchEvent::Error(status) => return Err(status.message.into()),
        };
        return Ok(format!("{change} {}", fleet.name_any()));
    }
}
