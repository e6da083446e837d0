//! Tests of patches and server-side apply.

use genclient::client::{Patch, PatchParams};
use serde_json::json;

use super::{TASKS, serve, stored, task};

#[tokio::test]
async fn patch_is_sent_unchanged_and_apply_without_nulls() {
    let (server, tasks) = serve(&stored());
    let patch = Patch::Merge(json!({"spec": {"note": null}}));
    tasks
        .patch("train", &patch, &PatchParams::default())
        .await
        .unwrap();
    let (path, content_type, body) = server.last();
    assert_eq!(path, format!("PATCH {TASKS}/train?"));
    assert_eq!(content_type, "application/merge-patch+json");
    assert_eq!(body, json!({"spec": {"note": null}}));

    let mut object = task();
    object.metadata.managed_fields = Some(vec![Default::default()]);
    let applied = PatchParams::apply("demo").force();
    tasks.apply("train", &object, &applied).await.unwrap();
    let (path, content_type, body) = server.last();
    assert_eq!(
        path,
        format!("PATCH {TASKS}/train?&force=true&fieldManager=demo")
    );
    assert_eq!(content_type, "application/apply-patch+yaml");
    let mut expected = stored();
    expected["spec"] = json!({"gpu": "h100"});
    assert_eq!(body, expected);
}

#[tokio::test]
async fn partial_apply_is_completed_with_type_meta_and_name() {
    let (server, tasks) = serve(&stored());
    let part = json!({"status": {"phase": "Done", "list": [null, {"left": null}]}});
    tasks
        .apply_status("train", &part, &PatchParams::apply("demo"))
        .await
        .unwrap();
    let (path, _, body) = server.last();
    assert_eq!(
        path,
        format!("PATCH {TASKS}/train/status?&fieldManager=demo")
    );
    assert_eq!(
        body,
        json!({
            "apiVersion": "falldio.com/v1",
            "kind": "GPUTask",
            "metadata": {"name": "train"},
            "status": {"phase": "Done", "list": [null, {}]},
        })
    );

    // Without a field manager, the connection or the API server decides.
    let nobody = PatchParams {
        field_manager: Some(String::new()),
        ..PatchParams::default()
    };
    tasks.apply("train", &part, &nobody).await.unwrap();
    assert_eq!(server.last().0, format!("PATCH {TASKS}/train?"));
}

/// The given `metadata`, and the one that is sent.
#[tokio::test]
async fn apply_sets_the_name_in_the_body() {
    let (server, tasks) = serve(&stored());
    for (metadata, sent) in [
        (json!(null), json!({"name": "train"})),
        (json!({"name": null}), json!({"name": "train"})),
        (
            json!({"labels": {"a": "b"}}),
            json!({"labels": {"a": "b"}, "name": "train"}),
        ),
        // The API server rejects this.
        (json!({"name": "other"}), json!({"name": "other"})),
    ] {
        let part = json!({"metadata": metadata});
        let params = PatchParams::apply("demo");
        tasks.apply("train", &part, &params).await.unwrap();
        assert_eq!(server.last().2["metadata"], sent);
    }
}

#[tokio::test]
async fn apply_escapes_strings_that_yaml_would_change() {
    let (server, tasks) = serve(&stored());
    let text = json!({"spec": {"line\u{2028}end": "next\u{85}line"}});
    let params = PatchParams::apply("demo");
    tasks.apply("train", &text, &params).await.unwrap();
    let sent = server.text();
    assert!(
        sent.contains(r#"{"line\u2028end":"next\u0085line"}"#),
        "{sent}"
    );
    let applied = Patch::Apply(text.clone());
    tasks.patch("train", &applied, &params).await.unwrap();
    assert!(server.text().is_ascii());
    // Any other patch is parsed as JSON.
    let merged = Patch::Merge(text.clone());
    tasks.patch("train", &merged, &params).await.unwrap();
    assert_eq!(server.text(), text.to_string());
}
