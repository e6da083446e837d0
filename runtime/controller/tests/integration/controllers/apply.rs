//! Tests of apply configurations and field managers. Real server-side applies are in `tests/e2e`.

use std::collections::BTreeMap;

use genclient::applyconfiguration::Applicable;
use genclient::k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use genclient_controller::{Client, OperationResult, Watch, owner};
use k8s_openapi::api::core::v1::Pod;
use serde::Serialize;

use super::*;

/// Labels and phase of a Pod.
#[derive(Clone, Serialize)]
struct PodApply {
    metadata: ObjectMeta,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    status: BTreeMap<&'static str, &'static str>,
}

impl PodApply {
    fn new(name: &str) -> Self {
        Self {
            metadata: ObjectMeta {
                name: Some(name.to_owned()),
                namespace: Some("a".to_owned()),
                ..ObjectMeta::default()
            },
            status: BTreeMap::new(),
        }
    }

    fn label(mut self, value: &str) -> Self {
        let labels = self.metadata.labels.get_or_insert_default();
        labels.insert("label".to_owned(), value.to_owned());
        self
    }
}

impl Applicable for PodApply {
    type Object = Pod;

    fn metadata(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn metadata_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}

/// Applies the label of a Pod for each ConfigMap.
struct Labeler;

impl Reconciler for Labeler {
    type Object = ConfigMap;

    async fn reconcile(&self, map: Arc<ConfigMap>, cx: &Context) -> Result {
        let name = ObjectName::from_object(&*map);
        cx.client().apply(&PodApply::new(name.name())).await?;
        Ok(Action::done())
    }
}

async fn start_with_pods(api: &Api) -> (Client, Running) {
    let mut client = None;
    let running = Running::start(api, |manager| {
        manager
            .add(Scripted::idle().controller().caches(Watch::<Pod>::new()))
            .unwrap();
        client = Some(manager.client());
    })
    .await;
    settle().await;
    (client.unwrap(), running)
}

#[tokio::test(start_paused = true)]
async fn field_manager_is_that_of_the_manager_controller_or_client() {
    let api = Api::new();
    let mut client = None;
    let running = Running::start(&api, |manager| {
        manager.add(Controller::new(Labeler)).unwrap();
        manager
            .add(
                Controller::new(Labeler)
                    .named("second")
                    .field_manager("labeler"),
            )
            .unwrap();
        client = Some(manager.client());
    })
    .await;
    settle().await;
    api.put("configmaps", config_map_json("one", "1"));
    settle().await;
    let mut writes = api.writes();
    writes.sort();
    let pod = "PATCH /api/v1/namespaces/a/pods/one?&force=true&fieldManager=";
    assert_eq!(writes, [format!("{pod}labeler"), format!("{pod}tests")]);

    let client = client.unwrap().with_field_manager("other");
    client.apply(&PodApply::new("one")).await.unwrap();
    client.apply_status(&PodApply::new("one")).await.unwrap();
    let status = pod.replace('?', "/status?");
    assert_eq!(
        api.writes(),
        [format!("{pod}other"), format!("{status}other")]
    );
    running.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn only_the_status_is_applied_to_the_status() {
    let api = Api::new();
    let (client, running) = start_with_pods(&api).await;
    let mut config = PodApply::new("one").label("1");
    client.apply(&config).await.unwrap();

    config = config.label("2");
    config.status.insert("phase", "Running");
    let applied = client.apply_status(&config).await.unwrap();
    let phase = |pod: &Pod| pod.status.as_ref().and_then(|status| status.phase.clone());
    assert_eq!(phase(&applied).as_deref(), Some("Running"));
    // A whole object, too.
    let mut pod = applied;
    pod.metadata.labels = config.metadata.labels;
    client.apply_status(&pod).await.unwrap();
    let stored = api.get("pods", "a", "one").unwrap();
    assert_eq!(stored["metadata"]["labels"], json!({ "label": "1" }));
    running.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn owned_configuration_gets_the_owner_and_returns_the_result() {
    let api = Api::new();
    let owner: ConfigMap =
        serde_json::from_value(api.put("configmaps", config_map_json("owner", "1"))).unwrap();
    let (client, running) = start_with_pods(&api).await;
    for (value, expected) in [
        ("1", OperationResult::Created),
        ("1", OperationResult::Unchanged),
        ("2", OperationResult::Updated),
    ] {
        let config = PodApply::new("one").label(value);
        let written = client.apply_owned(&owner, &config).await.unwrap();
        assert_eq!(written.result, expected);
        let controller = owner::controller_of(&written.object).unwrap();
        assert_eq!(controller.name, "owner");
        assert_eq!(config.metadata.owner_references, None);
    }

    let mut elsewhere = PodApply::new("one");
    elsewhere.metadata.namespace = Some("b".to_owned());
    let error = client.apply_owned(&owner, &elsewhere).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "cross-namespace owner references are not allowed: Pod `one` is in namespace `b`, ConfigMap `owner` in `a`"
    );
    running.stop().await.unwrap();
}
