//! Tests of `patch`, with each type of patch.

use e2e::ControlPlane;
use fixture::apis::v1::{Fleet, FleetSpec};
use kube::api::{Patch, PatchParams};
use serde::Serialize;
use serde_json::json;

use super::{Stage, refusal};
use crate::suite::{Outcome, Suite};

pub(super) fn tests(suite: &mut Suite) {
    suite.both("verbs::patch_merge", patch_merge);
    suite.both("verbs::patch_json", patch_json);
    suite.both("verbs::patch_apply", patch_apply);
    suite.both(
        "verbs::patch_strategic_is_refused",
        patch_strategic_is_refused,
    );
}

async fn patch_merge(plane: &ControlPlane) -> Outcome {
    let stage = with_note(plane).await?;
    let patch = Patch::Merge(json!({ "spec": { "replicas": 3 } }));
    let patched = stage
        .fleets
        .patch("fleet", &patch, &PatchParams::default())
        .await?;
    assert_eq!(
        (patched.spec.replicas, patched.spec.note.as_deref()),
        (3, Some("kept"))
    );

    // A patch is sent unchanged: a null in it removes a value.
    #[derive(Debug, Serialize)]
    struct SpecPatch {
        spec: FleetSpec,
    }
    let spec = FleetSpec {
        replicas: 4,
        ..FleetSpec::default()
    };
    let patch = Patch::Merge(SpecPatch { spec });
    let patched = stage
        .fleets
        .patch("fleet", &patch, &PatchParams::default())
        .await?;
    assert_eq!((patched.spec.replicas, patched.spec.note), (4, None));
    assert_eq!(
        refusal(
            stage
                .fleets
                .patch("other", &patch, &PatchParams::default())
                .await
        ),
        Ok(404)
    );
    Ok(())
}

async fn patch_json(plane: &ControlPlane) -> Outcome {
    let stage = with_note(plane).await?;
    let operations = |expected: &str| {
        serde_json::from_value(json!([
            { "op": "test", "path": "/spec/note", "value": expected },
            { "op": "replace", "path": "/spec/replicas", "value": 5 },
            { "op": "add", "path": "/metadata/labels", "value": { "patched": "yes" } },
        ]))
    };
    let patch: Patch<()> = Patch::Json(operations("kept")?);
    let patched = stage
        .fleets
        .patch("fleet", &patch, &PatchParams::default())
        .await?;
    assert_eq!(patched.spec.replicas, 5);
    assert_eq!(
        patched.metadata.labels.unwrap_or_default()["patched"],
        "yes"
    );

    let patch: Patch<()> = Patch::Json(operations("lost")?);
    assert_eq!(
        refusal(
            stage
                .fleets
                .patch("fleet", &patch, &PatchParams::default())
                .await
        ),
        Ok(422)
    );
    Ok(())
}

async fn patch_apply(plane: &ControlPlane) -> Outcome {
    let stage = with_note(plane).await?;
    let patch = Patch::Apply(json!({
        "apiVersion": "fixture.example.com/v1",
        "kind": "Fleet",
        "spec": { "tier": "front" },
    }));
    // The null from the creation belongs to the creator's field manager.
    let params = PatchParams::apply("tests").force();
    let patched = stage.fleets.patch("fleet", &patch, &params).await?;
    assert_eq!(patched.spec.tier.as_deref(), Some("front"));
    assert_eq!(patched.spec.note.as_deref(), Some("kept"));
    Ok(())
}

/// The API server refuses strategic merge patches of custom resources, which have no merge keys.
async fn patch_strategic_is_refused(plane: &ControlPlane) -> Outcome {
    let stage = with_note(plane).await?;
    let patch = Patch::Strategic(json!({ "spec": { "replicas": 3 } }));
    let patched = stage
        .fleets
        .patch("fleet", &patch, &PatchParams::default())
        .await;
    assert_eq!(refusal::<Fleet>(patched), Ok(415));
    Ok(())
}

async fn with_note(plane: &ControlPlane) -> Result<Stage, libtest_mimic::Failed> {
    let stage = Stage::new(plane).await?;
    stage
        .create("fleet", |fleet| fleet.spec.note = Some("kept".to_owned()))
        .await?;
    Ok(stage)
}
