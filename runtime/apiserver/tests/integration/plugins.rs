//! Tests of admission plug-ins.

use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use futures::future::join_all;
use genclient::k8s_openapi::api::authentication::v1::TokenRequest;
use genclient::k8s_openapi::api::core::v1::{ConfigMap, Namespace, ServiceAccount};
use genclient::kube::Client;
use genclient::kube::api::{Api, DeleteParams, Patch, PatchParams, PostParams};
use genclient_apiserver::{AdmissionPlugin, AdmissionRequest, ApiServer, Denied, Operation};
use serde_json::{Value, json};

/// Plug-in that labels new objects, denies the label `evil`, and requests namespaces from the
/// server itself.
#[derive(Default)]
struct Plugin {
    client: OnceLock<Client>,
}

/// Plug-in that the test keeps a reference to.
struct Shared(&'static Plugin);

impl AdmissionPlugin for Shared {
    async fn mutate(&self, request: &AdmissionRequest, object: &mut Value) -> Result<(), Denied> {
        if request.operation == Operation::Create && request.resource.resource == "configmaps" {
            object["metadata"]["labels"]["by"] = "plugin".into();
        }
        match &*request.name {
            "moved" => object["metadata"]["namespace"] = "kube-system".into(),
            "broken" => *object = json!([]),
            _ => {}
        }
        Ok(())
    }

    async fn validate(&self, request: &AdmissionRequest) -> Result<(), Denied> {
        if let Some(client) = self.0.client.get() {
            let namespaces: Api<Namespace> = Api::all(client.clone());
            let found = namespaces.get("default").await;
            found.map_err(|error| Denied::forbidden(error.to_string()))?;
        }
        let object = request.object.as_ref();
        let is_evil = object.is_some_and(|it| it["metadata"]["labels"]["evil"] == "yes");
        if is_evil {
            Err(Denied::forbidden("it is evil"))
        } else {
            Ok(())
        }
    }
}

fn start_server() -> ApiServer {
    let plugin: &'static Plugin = Box::leak(Box::default());
    let server = ApiServer::builder()
        .admission_plugin(Shared(plugin))
        .build()
        .unwrap();
    plugin.client.set(server.client()).ok().unwrap();
    server
}

fn map(name: &str) -> ConfigMap {
    serde_json::from_value(json!({ "metadata": { "name": name } })).unwrap()
}

#[tokio::test]
async fn plugins_mutate_and_deny_writes() {
    let server = start_server();
    let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
    let post = PostParams::default();
    let created = maps.create(&post, &map("a")).await.unwrap();
    assert_eq!(created.metadata.labels.unwrap()["by"], "plugin");

    let evil = Patch::Merge(json!({ "metadata": { "labels": { "evil": "yes" } } }));
    let denied = maps.patch("a", &PatchParams::default(), &evil).await;
    let message = r#"configmaps "a" is forbidden: it is evil"#;
    assert!(denied.unwrap_err().to_string().contains(message));

    let moved = maps.create(&post, &map("moved")).await.unwrap_err();
    let message = "the namespace of the provided object does not match the namespace sent on";
    assert!(moved.to_string().contains(message), "{moved}");
    let broken = maps.create(&post, &map("broken")).await.unwrap_err();
    assert!(broken.to_string().contains("Internal"), "{broken}");
}

#[tokio::test]
async fn plugins_can_deny_token_requests() {
    let server = start_server();
    let accounts: Api<ServiceAccount> = Api::default_namespaced(server.client());
    let account = serde_json::from_value(json!({ "metadata": { "name": "one" } })).unwrap();
    accounts
        .create(&PostParams::default(), &account)
        .await
        .unwrap();
    let request = |evil: &str| TokenRequest {
        metadata: serde_json::from_value(json!({ "labels": { "evil": evil } })).unwrap(),
        ..TokenRequest::default()
    };
    let post = PostParams::default();
    let (good, evil) = (request("no"), request("yes"));
    let issued = accounts.create_token_request("one", &post, &good).await;
    assert!(issued.unwrap().status.unwrap().token.is_some());
    let denied = accounts.create_token_request("one", &post, &evil).await;
    let message = r#"serviceaccounts "one" is forbidden: it is evil"#;
    assert!(denied.unwrap_err().to_string().contains(message));
}

#[tokio::test]
async fn plugins_can_send_requests_during_garbage_collection() {
    let server = start_server();
    let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
    let post = PostParams::default();
    let owner = maps.create(&post, &map("owner")).await.unwrap();
    let mut dependent = map("dependent");
    dependent.metadata.owner_references = Some(vec![
        serde_json::from_value(json!({
            "apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": owner.metadata.uid,
        }))
        .unwrap(),
    ]);
    maps.create(&post, &dependent).await.unwrap();
    maps.delete("owner", &DeleteParams::background())
        .await
        .unwrap();
    tokio::time::timeout(Duration::from_secs(10), server.settle())
        .await
        .unwrap();
    assert!(maps.get_opt("dependent").await.unwrap().is_none());
}

/// Plug-in that lets concurrent writes go first.
struct Slow;

impl AdmissionPlugin for Slow {
    async fn mutate(&self, _: &AdmissionRequest, _: &mut Value) -> Result<(), Denied> {
        Ok(())
    }

    async fn validate(&self, _: &AdmissionRequest) -> Result<(), Denied> {
        tokio::task::yield_now().await;
        Ok(())
    }
}

#[tokio::test]
async fn patches_without_a_resource_version_never_conflict() {
    let server = ApiServer::builder().admission_plugin(Slow).build().unwrap();
    let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
    let post = PostParams::default();
    maps.create(&post, &map("a")).await.unwrap();
    let patches = (0..16).map(|number| {
        let maps = maps.clone();
        async move {
            let patch = json!({ "data": { number.to_string(): "x" } });
            let params = PatchParams::default();
            maps.patch("a", &params, &Patch::Merge(patch)).await
        }
    });
    for patched in join_all(patches).await {
        patched.unwrap();
    }
    let patched = maps.get("a").await.unwrap();
    assert_eq!(patched.data.unwrap().len(), 16);
}

/// Plug-in that records the names and namespaces of requests.
struct Names(Arc<Mutex<Vec<String>>>);

impl Names {
    fn note(&self, step: &str, request: &AdmissionRequest) {
        let (name, namespace) = (&request.name, &request.namespace);
        let name = match name.strip_prefix("gen-") {
            Some(_) => "generated",
            None => name,
        };
        let seen = format!("{step} {name:?} in {namespace:?}");
        self.0.lock().unwrap().push(seen);
    }
}

impl AdmissionPlugin for Names {
    async fn mutate(&self, request: &AdmissionRequest, object: &mut Value) -> Result<(), Denied> {
        self.note("mutate", request);
        if request.name == "renamed" {
            object["metadata"]["name"] = "other".into();
        }
        Ok(())
    }

    async fn validate(&self, request: &AdmissionRequest) -> Result<(), Denied> {
        self.note("validate", request);
        Ok(())
    }
}

#[tokio::test]
async fn plugins_receive_the_name_of_the_request() {
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let server = ApiServer::builder()
        .admission_plugin(Names(Arc::clone(&seen)))
        .controllers(false)
        .build()
        .unwrap();
    let namespaces: Api<Namespace> = Api::all(server.client());
    for (metadata, expected) in [
        (
            json!({ "generateName": "gen-" }),
            [r#"mutate "" in """#, r#"validate "generated" in """#],
        ),
        (
            json!({ "name": "named" }),
            [
                r#"mutate "named" in "named""#,
                r#"validate "named" in "named""#,
            ],
        ),
        (
            json!({ "name": "renamed" }),
            [
                r#"mutate "renamed" in "renamed""#,
                r#"validate "renamed" in "renamed""#,
            ],
        ),
    ] {
        let namespace = serde_json::from_value(json!({ "metadata": metadata })).unwrap();
        let created = namespaces.create(&PostParams::default(), &namespace).await;
        created.unwrap();
        let seen = std::mem::take(&mut *seen.lock().unwrap());
        assert_eq!(seen, expected);
    }
}
