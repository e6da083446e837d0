//! Tests of `create`, `update` and `update_status`.

use e2e::ControlPlane;
use fixture::apis::v1::FleetStatus;
use kube::api::{GetParams, PostParams};
use serde_json::Value;

use super::{Stage, fleet, refusal};
use crate::suite::{Outcome, Suite};

pub(super) fn tests(suite: &mut Suite) {
    suite.both("verbs::create", create);
    suite.both("verbs::update", update);
    suite.both("verbs::update_status", update_status);
}

async fn create(plane: &ControlPlane) -> Outcome {
    let stage = Stage::new(plane).await?;
    let created = stage
        .create("fleet", |fleet| {
            fleet.status = Some(FleetStatus {
                replicas: Some(7),
                ..FleetStatus::default()
            });
        })
        .await?;
    assert_eq!(created.metadata.namespace, Some(stage.namespace.clone()));
    assert!(created.metadata.uid.is_some());
    assert_eq!(created.status, None, "a status is not created");
    assert_eq!(refusal(stage.create("fleet", |_| {}).await), Ok(409));
    assert_eq!(refusal(stage.create("Not a name", |_| {}).await), Ok(422));

    let mut unnamed = fleet("");
    unnamed.metadata.name = None;
    unnamed.metadata.generate_name = Some("generated-".to_owned());
    let dry_run = PostParams {
        dry_run: true,
        ..PostParams::default()
    };
    let dry = stage.fleets.create(&unnamed, &dry_run).await?;
    let name = dry.metadata.name.unwrap_or_default();
    assert!(name.starts_with("generated-"), "{name}");
    assert_eq!(
        refusal(stage.fleets.get(&name, &GetParams::default()).await),
        Ok(404)
    );
    Ok(())
}

async fn update(plane: &ControlPlane) -> Outcome {
    let stage = Stage::new(plane).await?;
    let created = stage.create("fleet", |_| {}).await?;
    let mut changed = created.clone();
    changed.spec.note = Some("changed".to_owned());
    changed.status = Some(FleetStatus::default());
    let updated = stage
        .fleets
        .update(&changed, &PostParams::default())
        .await?;
    assert_eq!(updated.spec, changed.spec);
    assert_eq!(updated.status, None, "update leaves the status alone");
    assert_ne!(
        updated.metadata.resource_version,
        created.metadata.resource_version
    );

    // The resource version is not the stored one any more.
    assert_eq!(
        refusal(stage.fleets.update(&changed, &PostParams::default()).await),
        Ok(409)
    );
    assert_eq!(
        refusal(
            stage
                .fleets
                .update(&fleet("other"), &PostParams::default())
                .await
        ),
        Ok(404)
    );
    Ok(())
}

async fn update_status(plane: &ControlPlane) -> Outcome {
    let stage = Stage::new(plane).await?;
    let mut fleet = stage.create("fleet", |_| {}).await?;
    fleet.spec.replicas = 9;
    fleet.status = Some(FleetStatus {
        replicas: Some(1),
        ..FleetStatus::default()
    });
    let updated = stage
        .fleets
        .update_status(&fleet, &PostParams::default())
        .await?;
    assert_eq!(updated.status, fleet.status);
    assert_eq!(
        updated.spec.replicas, 2,
        "update_status leaves the spec alone"
    );
    assert_eq!(updated.metadata.generation, Some(1));
    // Unset fields are null, because the type writes them, and the CRD admits null.
    assert_eq!(
        stage.raw("fleet").await?["status"].get("message"),
        Some(&Value::Null)
    );
    assert_eq!(
        refusal(
            stage
                .fleets
                .update_status(&fleet, &PostParams::default())
                .await
        ),
        Ok(409)
    );
    Ok(())
}
