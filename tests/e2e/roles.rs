//! Test that the API server stores the roles of the golden tests unchanged.

use std::fs;

use e2e::ControlPlane;
use k8s_openapi::api::core::v1::Namespace;
use k8s_openapi::api::rbac::v1::{ClusterRole, Role};
use kube::Client;
use kube::api::{Api, PostParams};
use serde_json::{Value, json};

use crate::suite::{Outcome, Suite};

pub(crate) fn tests(suite: &mut Suite) {
    suite.both("roles::of_goldens_are_accepted", accepted);
}

async fn accepted(plane: &ControlPlane) -> Outcome {
    let (client, mut count) = (plane.client(), 0);
    for file in tests::golden_files("config/rbac") {
        let text = fs::read_to_string(&file)?;
        for document in text.split("---\n").skip(1) {
            let mut role: Value = serde_saphyr::from_str(document)?;
            // Several cases have a role of the same name.
            let name = role["metadata"]["name"].as_str().unwrap_or_default();
            role["metadata"]["name"] = format!("{name}-{count}").into();
            create(&client, &role).await?;
            count += 1;
        }
    }
    assert!(count > 5, "{count} roles");
    Ok(())
}

/// Creates a role, and compares its rules with those that the server has stored.
async fn create(client: &Client, document: &Value) -> Outcome {
    let post = PostParams::default();
    let created = match document["metadata"]["namespace"].as_str() {
        None => {
            let roles: Api<ClusterRole> = Api::all(client.clone());
            let role = serde_json::from_value(document.clone())?;
            json!(roles.create(&post, &role).await?)
        }
        Some(namespace) => {
            let namespaces: Api<Namespace> = Api::all(client.clone());
            if namespaces.get_opt(namespace).await?.is_none() {
                let object = json!({ "metadata": { "name": namespace } });
                namespaces
                    .create(&post, &serde_json::from_value(object)?)
                    .await?;
            }
            let roles: Api<Role> = Api::namespaced(client.clone(), namespace);
            let role = serde_json::from_value(document.clone())?;
            json!(roles.create(&post, &role).await?)
        }
    };
    assert_eq!(created["rules"], document["rules"]);
    Ok(())
}
