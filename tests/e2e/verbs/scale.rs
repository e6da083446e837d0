//! Tests of `get_scale`, `update_scale` and extension methods.

use e2e::ControlPlane;
use fixture::apis::v1::FleetStatus;
use kube::api::{GetParams, PostParams};

use super::{Stage, refusal};
use crate::suite::{Outcome, Suite};

pub(super) fn tests(suite: &mut Suite) {
    suite.both("verbs::scale", scale);
    suite.both("verbs::extension_methods", extension_methods);
}

async fn scale(plane: &ControlPlane) -> Outcome {
    let stage = Stage::new(plane).await?;
    let mut fleet = stage.create("fleet", |_| {}).await?;
    fleet.status = Some(FleetStatus {
        replicas: Some(1),
        selector: Some("app=fleet".to_owned()),
        ..FleetStatus::default()
    });
    stage
        .fleets
        .update_status(&fleet, &PostParams::default())
        .await?;

    let mut scale = stage.fleets.get_scale("fleet").await?;
    let status = scale.status.clone().unwrap_or_default();
    assert_eq!(scale.spec.clone().unwrap_or_default().replicas, Some(2));
    assert_eq!(
        (status.replicas, status.selector.as_deref()),
        (1, Some("app=fleet"))
    );

    scale.spec.get_or_insert_default().replicas = Some(5);
    let updated = stage
        .fleets
        .update_scale("fleet", &scale, &PostParams::default())
        .await?;
    assert_eq!(updated.spec.and_then(|spec| spec.replicas), Some(5));
    assert_eq!(
        stage
            .fleets
            .get("fleet", &GetParams::default())
            .await?
            .spec
            .replicas,
        5
    );

    // The scale has the resource version of its read.
    let again = stage
        .fleets
        .update_scale("fleet", &scale, &PostParams::default())
        .await;
    assert_eq!(refusal(again), Ok(409));
    assert_eq!(refusal(stage.fleets.get_scale("other").await), Ok(404));
    Ok(())
}

async fn extension_methods(plane: &ControlPlane) -> Outcome {
    let stage = Stage::new(plane).await?;
    stage.create("fleet", |_| {}).await?;
    let mut scale = stage.fleets.get_scale("fleet").await?;
    scale.spec.get_or_insert_default().replicas = Some(6);
    let resized = stage
        .fleets
        .resize("fleet", &scale, &PostParams::default())
        .await?;
    assert_eq!(resized.spec.and_then(|spec| spec.replicas), Some(6));
    let read = stage
        .fleets
        .read_status("fleet", &GetParams::default())
        .await?;
    assert_eq!(read.spec.replicas, 6);
    Ok(())
}
