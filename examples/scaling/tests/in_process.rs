//! Test of informer and lister against an in-process API server.

use genclient::kube::ResourceExt;
use genclient::kube::api::{DeleteParams, Patch, PatchParams, PostParams};
use genclient::lister::Selector;
use genclient::prelude::ObjectMeta;
use genclient_apiserver::{ApiServer, NotYet, User, eventually};
use scaling::apis::control::v1::{Scaling, ScalingSpec};
use scaling::client::clientset::Clientset;
use scaling::client::crds;
use scaling::client::informers::SharedInformerFactory;
use scaling::client::listers::control::v1::ScalingLister;
use serde_json::json;

/// The role that `genclient update` generates.
const ROLE: &str = "manager-role";

fn scaling(name: &str) -> Scaling {
    Scaling {
        metadata: ObjectMeta {
            name: Some(name.to_owned()),
            ..ObjectMeta::default()
        },
        spec: ScalingSpec {
            target_deployment: "web".to_owned(),
            max_replicas: 5,
            ..ScalingSpec::default()
        },
    }
}

/// Waits until exactly these Scalings are cached: name and maximum replicas of each.
async fn until(lister: &ScalingLister, expected: &[(&str, i32)]) -> Result<(), NotYet> {
    let cached = || {
        let mut cached: Vec<_> = lister
            .list(&Selector::default())
            .iter()
            .map(|scaling| (scaling.name_any(), scaling.spec.max_replicas))
            .collect();
        cached.sort();
        cached
    };
    let expected: Vec<_> = expected
        .iter()
        .map(|(name, most)| ((*name).to_owned(), *most))
        .collect();
    let is_cached = async || match cached() {
        cached if cached == expected => Ok(()),
        other => Err(format!("{other:?}")),
    };
    eventually(format!("{expected:?}"), is_cached).await
}

#[tokio::test]
async fn the_cache_follows_the_server() {
    let binding = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRoleBinding",
        "metadata": { "name": "scaling" },
        "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": ROLE },
        "subjects": [{ "kind": "ServiceAccount", "namespace": "default", "name": "scaling" }],
    });
    let server = ApiServer::builder()
        .crds(crds::all())
        .manifests("config/rbac")
        .objects([binding])
        .build()
        .unwrap();
    let clientset = Clientset::from(server.client());
    let scalings = clientset.control_v1().scalings("default");
    let params = PostParams::default();
    scalings.create(&scaling("a"), &params).await.unwrap();

    let account = server.client_as(User::service_account("default", "scaling"));
    let factory = SharedInformerFactory::builder(Clientset::from(account)).build();
    let lister = factory.control().v1().scalings().lister();
    factory.start();
    factory.wait_for_cache_sync().await.unwrap();
    until(&lister, &[("a", 5)]).await.unwrap();

    scalings.create(&scaling("b"), &params).await.unwrap();
    let more = Patch::Merge(json!({ "spec": { "maxReplicas": 7 } }));
    scalings
        .patch("a", &more, &PatchParams::default())
        .await
        .unwrap();
    until(&lister, &[("a", 7), ("b", 5)]).await.unwrap();

    // No change is lost when watches end.
    server.watches("scalings").cut();
    scalings
        .delete("a", &DeleteParams::default())
        .await
        .unwrap();
    until(&lister, &[("b", 5)]).await.unwrap();
    server.compact();
    server.watches("scalings").expire();
    scalings.create(&scaling("c"), &params).await.unwrap();
    until(&lister, &[("b", 5), ("c", 5)]).await.unwrap();
    factory.shutdown().await;
    assert_eq!(server.unused_rules(ROLE).unwrap(), [""; 0]);
}
