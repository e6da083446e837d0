//! Tests of users with certificates and tokens, as the API server authenticates them.

use genclient::kube::api::{Api, ListParams, PostParams};
use genclient::kube::config::{KubeConfigOptions, Kubeconfig};
use genclient::kube::{Client, Config};
use genclient_apiserver::{User, eventually};
use genclient_envtest::{ControlPlane, UserError};
use k8s_openapi::api::authentication::v1::SelfSubjectReview;
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::api::rbac::v1::ClusterRoleBinding;
use serde_json::json;

use crate::{Outcome, Tests, refusal};

pub(crate) fn tests(tests: &mut Tests) {
    tests.shared("users::certificates_state_name_groups_uid", certificates);
    tests.shared("users::tokens_state_name_groups_uid", tokens);
    tests.shared("users::extra_attributes_are_refused", extra);
    tests.shared("users::roles_decide", roles);
    tests.shared("users::kubeconfigs_can_be_copied", kubeconfigs);
    tests.shared("users::administrator", administrator);
}

/// Name, uid and groups.
type Seen = (String, String, Vec<String>);

async fn fetch_identity(client: Client) -> Result<Seen, libtest_mimic::Failed> {
    let reviews: Api<SelfSubjectReview> = Api::all(client);
    let review = SelfSubjectReview::default();
    let answer = reviews.create(&PostParams::default(), &review).await?;
    let info = answer
        .status
        .and_then(|status| status.user_info)
        .unwrap_or_default();
    Ok((
        info.username.unwrap_or_default(),
        info.uid.unwrap_or_default(),
        info.groups.unwrap_or_default(),
    ))
}

fn expected_identity(name: &str, uid: &str, groups: &[&str]) -> Seen {
    let groups = groups.iter().map(|group| (*group).to_owned()).collect();
    (name.to_owned(), uid.to_owned(), groups)
}

async fn certificates(plane: &ControlPlane) -> Outcome {
    let long = "x".repeat(300);
    let alice = User::new("alice")
        .with_uid("42")
        .group("a")
        .group("b")
        .group(&long);
    let account = User::service_account("default", "manager");
    let cases = [
        (
            alice,
            expected_identity("alice", "42", &["a", "b", &long, "system:authenticated"]),
        ),
        (
            User::new("bérénice"),
            expected_identity("bérénice", "", &["system:authenticated"]),
        ),
        (
            account,
            expected_identity(
                "system:serviceaccount:default:manager",
                "",
                &[
                    "system:serviceaccounts",
                    "system:serviceaccounts:default",
                    "system:authenticated",
                ],
            ),
        ),
    ];
    for (user, expected) in cases {
        let user = plane.user(user).await?;
        assert_eq!(fetch_identity(user.client()).await?, expected);
    }
    Ok(())
}

async fn tokens(plane: &ControlPlane) -> Outcome {
    let mut config = plane.config();
    config.auth_info = Default::default();
    config.auth_info.token = Some("token-of-the-robot".to_owned().into());
    let robot = expected_identity(
        "robot, \"the\" one",
        "7",
        &["robots", "system:authenticated"],
    );
    assert_eq!(fetch_identity(Client::try_from(config)?).await?, robot);
    Ok(())
}

async fn extra(plane: &ControlPlane) -> Outcome {
    match plane.user(User::new("a").extra("key", "value")).await {
        Err(UserError::Extra { name }) if name == "a" => Ok(()),
        Err(other) => Err(other.into()),
        Ok(_) => Err("accepted".into()),
    }
}

async fn roles(plane: &ControlPlane) -> Outcome {
    let viewer = plane.user(User::new("carol").group("viewers")).await?;
    let maps: Api<ConfigMap> = Api::namespaced(viewer.client(), "default");
    let refused = refusal(maps.list(&ListParams::default()).await)?;
    let message = r#"User "carol" cannot list resource "configmaps""#;
    assert!(refused.to_string().contains(message), "{refused}");
    let binding: ClusterRoleBinding = serde_json::from_value(json!({
        "metadata": { "name": "viewers" },
        "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole",
            // `view` itself is empty: no controller manager aggregates roles.
            "name": "system:aggregate-to-view" },
        "subjects": [{ "apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "viewers" }],
    }))?;
    let bindings: Api<ClusterRoleBinding> = Api::all(plane.client());
    bindings.create(&PostParams::default(), &binding).await?;
    eventually("a viewer lists", async || {
        maps.list(&ListParams::default()).await
    })
    .await?;
    Ok(())
}

async fn kubeconfigs(plane: &ControlPlane) -> Outcome {
    let dave = plane.user("dave").await?;
    let kubeconfig = Kubeconfig::from_yaml(&dave.read_kubeconfig()?)?;
    let options = KubeConfigOptions::default();
    let config = Config::from_custom_kubeconfig(kubeconfig, &options).await?;
    let seen = fetch_identity(Client::try_from(config)?).await?;
    assert_eq!(
        seen,
        expected_identity("dave", "", &["system:authenticated"])
    );
    Ok(())
}

async fn administrator(plane: &ControlPlane) -> Outcome {
    let kubeconfig = Kubeconfig::read_from(plane.kubeconfig())?;
    let options = KubeConfigOptions::default();
    let config = Config::from_custom_kubeconfig(kubeconfig, &options).await?;
    let admin = expected_identity("admin", "", &["system:masters", "system:authenticated"]);
    assert_eq!(fetch_identity(Client::try_from(config)?).await?, admin);
    Ok(())
}
