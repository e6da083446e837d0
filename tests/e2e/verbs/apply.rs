//! Tests of `apply` and `apply_status`: server-side apply of whole objects, where unset options are
//! not nulls.

use e2e::ControlPlane;
use fixture::apis::v1::{Access, FleetStatus};
use fixture::client::clientset::Clientset;
use genclient::client;
use kube::api::{GetParams, PatchParams};
use serde_json::json;

use super::{Stage, fleet, refusal};
use crate::suite::{Outcome, Suite};

pub(super) fn tests(suite: &mut Suite) {
    suite.both("verbs::apply", apply);
    suite.both(
        "verbs::apply_of_an_object_with_managed_fields",
        apply_of_an_object_with_managed_fields,
    );
    suite.both(
        "verbs::apply_keeps_characters_that_are_special_in_yaml",
        apply_keeps_characters_that_are_special_in_yaml,
    );
    suite.both(
        "verbs::apply_without_a_field_manager",
        apply_without_a_field_manager,
    );
    suite.both("verbs::apply_conflict", apply_conflict);
    suite.both("verbs::apply_status", apply_status);
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

    // Another manager owns fields that the first one leaves unset, and keeps them.
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

    // A field that its manager no longer applies is removed, unless another manager owns it.
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

    Ok(())
}

async fn apply_of_an_object_with_managed_fields(plane: &ControlPlane) -> Outcome {
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

/// In YAML, most of these characters end a line or are not allowed, at any position.
async fn apply_keeps_characters_that_are_special_in_yaml(plane: &ControlPlane) -> Outcome {
    let stage = Stage::new(plane).await?;
    let mut mine = fleet("fleet");
    let special = [
        '\u{7f}',
        '\u{80}',
        '\u{85}',
        '\u{9f}',
        '\u{a0}',
        '\u{2028}',
        '\u{2029}',
        '\u{feff}',
        '\u{fffd}',
        '\u{fffe}',
        '\u{ffff}',
        '\u{1f600}',
        '\t',
        '\n',
        '\u{1}',
        '"',
        '\\',
    ];
    for character in special {
        let text = format!("a{character}b: c{character}");
        mine.spec.texts.insert(text.clone(), text);
    }
    let params = PatchParams::apply("me");
    let applied = stage.fleets.apply("fleet", &mine, &params).await?;
    assert_eq!(applied.spec, mine.spec);
    let read = stage.fleets.get("fleet", &GetParams::default()).await?;
    assert_eq!(read.spec, mine.spec);
    // The API server records the fields of the manager under those names.
    mine.spec.texts.clear();
    let applied = stage.fleets.apply("fleet", &mine, &params).await?;
    assert_eq!(applied.spec, mine.spec);
    Ok(())
}

/// Precedence of the field manager: parameters, then connection, then program. A connection of
/// plain kube names none.
async fn apply_without_a_field_manager(plane: &ControlPlane) -> Outcome {
    let stage = Stage::new(plane).await?;
    let builder = || client::builder(plane.config());
    let nobody = PatchParams::default();
    for (number, (builder, params, expected)) in [
        (
            builder().field_manager("connection"),
            PatchParams::apply("stated"),
            "stated",
        ),
        (
            builder().field_manager("connection"),
            nobody.clone(),
            "connection",
        ),
        (
            builder().user_agent("program/v1 (linux/amd64)"),
            nobody.clone(),
            "program",
        ),
        (
            builder()
                .user_agent("program/v1")
                .field_manager("connection"),
            nobody.clone(),
            "connection",
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let fleets = Clientset::from(builder.connect()?)
            .fixture_v1()
            .fleets(&stage.namespace);
        let name = format!("fleet-{number}");
        let applied = fleets.apply(&name, &fleet(&name), &params).await?;
        let entries = applied.metadata.managed_fields.unwrap_or_default();
        let managers: Vec<_> = entries.iter().map(|it| it.manager.as_deref()).collect();
        assert_eq!(managers, [Some(expected)]);
    }
    let refused = stage.fleets.apply("other", &fleet("other"), &nobody).await;
    assert_eq!(refusal(refused), Ok(422));
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
