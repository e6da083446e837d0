//! Tests of patches and server-side apply.

use genclient::applyconfiguration::{ApiVersion, Applicable, ApplyConfiguration, KindName};
use genclient::client::{Patch, PatchParams, TypedClient};
use genclient::prelude::*;
use serde_json::json;

use super::apis::v1::{GPUTask, GPUTaskStatus};
use super::{TASKS, serve, stored, task};

#[derive(Clone, Serialize, Deserialize)]
struct GPUTaskApply {
    #[serde(rename = "apiVersion")]
    api_version: ApiVersion<GPUTask>,
    kind: KindName<GPUTask>,
    metadata: ObjectMeta,
    #[serde(skip_serializing_if = "Option::is_none")]
    spec: Option<GPUTaskSpecApply>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<GPUTaskStatus>,
}

#[derive(Clone, Serialize, Deserialize)]
struct GPUTaskSpecApply {
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

impl GPUTaskApply {
    fn new(name: &str, namespace: &str) -> Self {
        Self {
            api_version: ApiVersion::default(),
            kind: KindName::default(),
            metadata: ObjectMeta {
                name: Some(name.to_owned()),
                namespace: Some(namespace.to_owned()),
                ..ObjectMeta::default()
            },
            spec: None,
            status: None,
        }
    }
}

impl Applicable for GPUTaskApply {
    type Object = GPUTask;

    fn metadata(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn metadata_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}

impl ApplyConfiguration for GPUTaskApply {}

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

#[tokio::test]
async fn apply_configuration_is_sent_to_the_object_that_it_names() {
    let (server, tasks) = serve(&stored());
    let mut config = GPUTaskApply::new("train", "default");
    config.metadata.uid = Some("7".to_owned());
    config.metadata_mut().labels = Some([("a".to_owned(), "b".to_owned())].into());
    config.spec = Some(GPUTaskSpecApply {
        note: Some("soon".to_owned()),
    });
    config.status = Some(GPUTaskStatus {
        phase: "Done".to_owned(),
    });
    let params = PatchParams::apply("demo");

    tasks.apply_with(&config, &params).await.unwrap();
    let (path, content_type, body) = server.last();
    assert_eq!(path, format!("PATCH {TASKS}/train?&fieldManager=demo"));
    assert_eq!(content_type, "application/apply-patch+yaml");
    let name = json!({"name": "train", "namespace": "default", "uid": "7"});
    let mut sent = json!({
        "apiVersion": "falldio.com/v1",
        "kind": "GPUTask",
        "metadata": name,
        "spec": {"note": "soon"},
        "status": {"phase": "Done"},
    });
    sent["metadata"]["labels"] = json!({"a": "b"});
    assert_eq!(body, sent);

    tasks.apply_status_with(&config, &params).await.unwrap();
    let (path, _, body) = server.last();
    assert_eq!(
        path,
        format!("PATCH {TASKS}/train/status?&fieldManager=demo")
    );
    sent["metadata"] = name;
    sent.as_object_mut().unwrap().remove("spec");
    assert_eq!(body, sent);

    // A whole object, too.
    tasks.apply_with(&task(), &params).await.unwrap();
    assert_eq!(server.last().2["spec"], json!({"gpu": "h100"}));
}

#[tokio::test]
async fn apply_configuration_of_another_client_is_not_sent() {
    let (server, tasks) = serve(&stored());
    let params = PatchParams::apply("demo");
    let all = TypedClient::<GPUTask>::all_namespaces(tasks.client().clone());
    for (client, name, namespace, expected) in [
        (
            &tasks,
            "train",
            "other",
            "the apply configuration has the namespace `other`, this client `default`",
        ),
        (&tasks, "", "default", "the apply configuration has no name"),
        (
            &all,
            "train",
            "default",
            "an empty namespace may not be set during creation or when a resource name is provided",
        ),
    ] {
        let config = GPUTaskApply::new(name, namespace);
        for refused in [
            client.apply_with(&config, &params).await,
            client.apply_status_with(&config, &params).await,
        ] {
            let error = refused.unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
    assert!(server.is_untouched());

    // The namespace is in the path, and cluster-scoped kinds have none.
    let cluster = TypedClient::<GPUTask>::cluster(tasks.client().clone());
    for (client, namespace) in [(&tasks, ""), (&cluster, "other")] {
        let config = GPUTaskApply::new("train", namespace);
        client.apply_with(&config, &params).await.unwrap();
    }
}
