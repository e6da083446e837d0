//! Tests of `delete` and `delete_collection`, and of the verbs of a cluster-scoped kind.

use e2e::{ControlPlane, eventually};
use fixture::apis::v1::{Site, SiteSpec};
use genclient::client::Deletion;
use kube::ResourceExt;
use kube::api::{
    DeleteParams, GetParams, ListParams, ObjectMeta, Patch, PatchParams, PostParams, Preconditions,
};
use serde_json::json;

use super::{SITES, Stage, label, refusal};
use crate::suite::{Outcome, Suite};

pub(super) fn tests(suite: &mut Suite) {
    suite.both("verbs::delete", delete);
    suite.both("verbs::delete_collection", delete_collection);
    suite.both("verbs::cluster_scoped", cluster_scoped);
}

async fn delete(plane: &ControlPlane) -> Outcome {
    let stage = Stage::new(plane).await?;
    let created = stage.create("fleet", |_| {}).await?;
    let another = DeleteParams::default().preconditions(Preconditions {
        uid: Some("another".to_owned()),
        ..Preconditions::default()
    });
    assert_eq!(
        refusal(stage.fleets.delete("fleet", &another).await),
        Ok(409)
    );

    let answer = stage
        .fleets
        .delete("fleet", &DeleteParams::default())
        .await?;
    let Deletion::Completed(status) = answer else {
        return Err("an object, although it is gone".into());
    };
    let uid = status.details.map(|details| details.uid);
    assert_eq!(uid, created.uid());
    assert_eq!(
        refusal(stage.fleets.delete("fleet", &DeleteParams::default()).await),
        Ok(404)
    );

    let finalizer = "fixture.example.com/held".to_owned();
    stage
        .create("held", |fleet| {
            fleet.metadata.finalizers = Some(vec![finalizer])
        })
        .await?;
    let answer = stage
        .fleets
        .delete("held", &DeleteParams::default())
        .await?;
    let Deletion::Accepted(held) = answer else {
        return Err("a status, although it is held".into());
    };
    assert!(held.metadata.deletion_timestamp.is_some());
    let release = Patch::Merge(json!({ "metadata": { "finalizers": null } }));
    stage
        .fleets
        .patch("held", &release, &PatchParams::default())
        .await?;
    assert_eq!(
        refusal(stage.fleets.get("held", &GetParams::default()).await),
        Ok(404)
    );
    Ok(())
}

async fn delete_collection(plane: &ControlPlane) -> Outcome {
    let stage = Stage::new(plane).await?;
    for (name, tier) in [("a", "old"), ("b", "old"), ("c", "new")] {
        stage
            .create(name, |fleet| label(fleet, "tier", tier))
            .await?;
    }
    let old = ListParams::default().labels("tier=old");
    stage
        .fleets
        .delete_collection(&DeleteParams::default(), &old)
        .await?;
    eventually("one left", async || {
        let left = stage
            .fleets
            .list(&ListParams::default())
            .await
            .map_err(|e| e.to_string())?;
        let names: Vec<_> = left.iter().map(ResourceExt::name_any).collect();
        if names == ["c"] {
            Ok(())
        } else {
            Err(format!("{names:?}"))
        }
    })
    .await?;
    Ok(())
}

async fn cluster_scoped(plane: &ControlPlane) -> Outcome {
    let stage = Stage::new(plane).await?;
    plane.apply_crd(SITES).await?;
    let sites = stage.clientset.fixture_v1().sites();
    // Cluster-scoped objects outlive the test's namespace, so their name is derived from it.
    let name = &stage.namespace;
    let site = Site {
        metadata: ObjectMeta {
            name: Some(name.clone()),
            ..ObjectMeta::default()
        },
        spec: SiteSpec {
            town: "Kyoto".to_owned(),
        },
    };
    let mut created = sites.create(&site, &PostParams::default()).await?;
    assert_eq!(created.metadata.namespace, None);
    created.spec.town = "Osaka".to_owned();
    sites.update(&created, &PostParams::default()).await?;
    assert_eq!(
        sites.get(name, &GetParams::default()).await?.spec.town,
        "Osaka"
    );
    let list = sites
        .list(&ListParams::default().fields(&format!("metadata.name={name}")))
        .await?;
    assert_eq!(list.items.len(), 1);
    sites.delete(name, &DeleteParams::default()).await?;
    assert_eq!(
        refusal(sites.get(name, &GetParams::default()).await),
        Ok(404)
    );
    Ok(())
}
