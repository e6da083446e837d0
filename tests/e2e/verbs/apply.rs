//! `apply`, `apply_status`: server-side apply of whole objects with unset options, which are no nulls to it.

use fixture::apis::v1::{Access, FleetStatus};
use kube::api::{GetParams, PatchParams};
use serde_json::json;
use tests::ControlPlane;

use super::{Stage, fleet, refusal};
use crate::suite::{Outcome, Suite};

pub(super) fn tests(suite: &mut Suite) {
    suite.shared("verbs::apply", apply);
    suite.shared("verbs::apply_of_what_was_read", apply_of_what_was_read);
    suite.shared("verbs::apply_conflict", apply_conflict);
    suite.shared("verbs::apply_status", apply_status);
}

async fn apply(plane: &ControlPlane) -> Outcome {
    let stage = Stage::new(plane).await?;
    let mut mine = fleet("fleet");
    mine.spec.access = Some(Access {
        port: Some(80),
        host: None,
    });
    let created = stage
        .fleets
        .apply("fleet", &mine, &PatchParams::apply("me"))
        .await?;
    assert_eq!(created.spec, mine.spec);
    let expected = json!({ "replicas": 2, "access": { "port": 80 } });
    assert_eq!(
        stage.raw("fleet").await?["spec"],
        expected,
        "unset options are left out"
    );

    // Another manager owns what the first leaves unset, and keeps it.
    let theirs = json!({ "spec": { "note": "theirs", "access": { "host": "example.com" } } });
    stage
        .fleets
        .apply("fleet", &theirs, &PatchParams::apply("them"))
        .await?;
    mine.spec.replicas = 3;
    let applied = stage
        .fleets
        .apply("fleet", &mine, &PatchParams::apply("me"))
        .await?;
    assert_eq!(
        (applied.spec.replicas, applied.spec.note.as_deref()),
        (3, Some("theirs"))
    );

    // What a manager does not state any more is gone, if nobody else does.
    mine.spec.access = None;
    let applied = stage
        .fleets
        .apply("fleet", &mine, &PatchParams::apply("me"))
        .await?;
    let host_alone = Access {
        port: None,
        host: Some("example.com".to_owned()),
    };
    assert_eq!(applied.spec.access, Some(host_alone));

    assert!(
        stage
            .fleets
            .apply("fleet", &mine, &PatchParams::default())
            .await
            .is_err()
    );
    Ok(())
}

async fn apply_of_what_was_read(plane: &ControlPlane) -> Outcome {
    let stage = Stage::new(plane).await?;
    stage.create("fleet", |_| {}).await?;
    let mut read = stage.fleets.get("fleet", &GetParams::default()).await?;
    assert!(read.metadata.managed_fields.is_some());
    read.spec.note = Some("applied".to_owned());
    let applied = stage
        .fleets
        .apply("fleet", &read, &PatchParams::apply("me").force())
        .await?;
    assert_eq!(applied.spec, read.spec);
    Ok(())
}

async fn apply_conflict(plane: &ControlPlane) -> Outcome {
    let stage = Stage::new(plane).await?;
    stage
        .fleets
        .apply("fleet", &fleet("fleet"), &PatchParams::apply("me"))
        .await?;
    let theirs = json!({ "spec": { "replicas": 8 } });
    let params = PatchParams::apply("them");
    assert_eq!(
        refusal(stage.fleets.apply("fleet", &theirs, &params).await),
        Ok(409)
    );
    let forced = stage
        .fleets
        .apply("fleet", &theirs, &params.force())
        .await?;
    assert_eq!(forced.spec.replicas, 8);
    Ok(())
}

async fn apply_status(plane: &ControlPlane) -> Outcome {
    let stage = Stage::new(plane).await?;
    let mut mine = stage.create("fleet", |_| {}).await?;
    mine.spec.replicas = 9;
    mine.status = Some(FleetStatus {
        replicas: Some(1),
        ..FleetStatus::default()
    });
    let applied = stage
        .fleets
        .apply_status("fleet", &mine, &PatchParams::apply("me"))
        .await?;
    assert_eq!(applied.status, mine.status);
    assert_eq!(
        applied.spec.replicas, 2,
        "apply_status leaves the spec alone"
    );
    assert_eq!(
        stage.raw("fleet").await?["status"],
        json!({ "replicas": 1 })
    );

    let theirs = json!({ "status": { "message": "theirs" } });
    stage
        .fleets
        .apply_status("fleet", &theirs, &PatchParams::apply("them"))
        .await?;
    let read = stage.fleets.get("fleet", &GetParams::default()).await?;
    let status = read.status.unwrap_or_default();
    assert_eq!(
        (status.replicas, status.message.as_deref()),
        (Some(1), Some("theirs"))
    );

    let missing = stage
        .fleets
        .apply_status("other", &theirs, &PatchParams::apply("me"))
        .await;
    assert_eq!(refusal(missing), Ok(404));
    Ok(())
}
