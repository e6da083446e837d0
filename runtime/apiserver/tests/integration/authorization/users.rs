//! Tests of clients of users, and of changes to their roles.

use bytes::Bytes;
use genclient::kube::api::{Api, DeleteParams, ListParams, Patch, PatchParams, PostParams};
use genclient::kube::{Client, Error, ResourceExt};
use genclient_apiserver::{ApiServer, User};
use http::Request;
use http_body_util::Empty;
use k8s_openapi::api::authorization::v1::SelfSubjectAccessReview;
use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use k8s_openapi::api::rbac::v1::{ClusterRole, ClusterRoleBinding, Role, RoleBinding};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tower::Service;

const MANAGER: &str = "system:serviceaccount:default:manager";

fn from_json<T: DeserializeOwned>(object: Value) -> T {
    serde_json::from_value(object).unwrap()
}

fn role(name: &str, verbs: &[&str], resources: &[&str]) -> Value {
    let rule = json!({ "verbs": verbs, "apiGroups": [""], "resources": resources });
    json!({ "metadata": { "name": name }, "rules": [rule] })
}

fn binding(name: &str, kind: &str) -> Value {
    json!({
        "metadata": { "name": name },
        "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": name },
        "subjects": [{ "kind": "ServiceAccount", "name": "manager", "namespace": "default" }],
    })
}

fn error_message<T: std::fmt::Debug>(result: Result<T, Error>) -> String {
    match result {
        Err(Error::Api(status)) => status.message.clone(),
        other => panic!("{other:?}"),
    }
}

async fn create<T>(client: &Client, object: Value)
where
    T: genclient::kube::Resource<DynamicType = ()> + DeserializeOwned + serde::Serialize,
    T: Clone + std::fmt::Debug,
{
    let objects: Api<T> = Api::all(client.clone());
    let object: T = serde_json::from_value(object).unwrap();
    objects
        .create(&PostParams::default(), &object)
        .await
        .unwrap();
}

#[tokio::test]
async fn users_are_authorized_by_their_roles() {
    let server = ApiServer::builder().build().unwrap();
    let (admin, manager) = (server.client(), server.client_as(MANAGER));
    let pods: Api<Pod> = Api::default_namespaced(manager.clone());
    let refused = error_message(pods.list(&ListParams::default()).await);
    let words = format!(
        "pods is forbidden: User \"{MANAGER}\" cannot list resource \"pods\" in API group \"\" in \
         the namespace \"default\""
    );
    assert_eq!(refused, words);

    let roles: Api<Role> = Api::default_namespaced(admin.clone());
    let bindings: Api<RoleBinding> = Api::default_namespaced(admin.clone());
    let bound = from_json(binding("reader", "Role"));
    bindings
        .create(&PostParams::default(), &bound)
        .await
        .unwrap();
    let refused = error_message(pods.list(&ListParams::default()).await);
    let reason = "RBAC: role.rbac.authorization.k8s.io \"reader\" not found";
    assert_eq!(refused, format!("{words}: {reason}"));

    let reader = from_json(role("reader", &["list"], &["pods"]));
    roles.create(&PostParams::default(), &reader).await.unwrap();
    pods.list(&ListParams::default()).await.unwrap();
    let all: Api<Pod> = Api::all(manager.clone());
    let refused = error_message(all.list(&ListParams::default()).await);
    assert!(refused.ends_with("at the cluster scope"), "{refused}");
    let refused = error_message(pods.get("a").await);
    assert!(refused.starts_with("pods \"a\" is forbidden"), "{refused}");

    roles
        .delete("reader", &DeleteParams::default())
        .await
        .unwrap();
    assert!(pods.list(&ListParams::default()).await.is_err());
    let served = manager.list_api_groups().await;
    assert!(served.is_ok(), "discovery is for everybody");
    let refused = server.requests();
    assert_eq!(refused[0], "list pods default");
    let users = refused.iter().map(|request| &*request.user);
    let of_admin = users.clone().filter(|user| *user == "admin").count();
    // The administrator wrote two roles and deleted one.
    assert_eq!(of_admin, 3);
    assert_eq!(users.filter(|user| *user == MANAGER).count(), 6);
}

/// Requests are recorded with their user, even if they are rejected.
#[tokio::test]
async fn requests_are_recorded_with_their_user() {
    let server = ApiServer::builder()
        .token("known", "alice")
        .build()
        .unwrap();
    for headers in [
        &[][..],
        &[("authorization", "Bearer known")],
        &[("authorization", "Bearer unknown")],
        &[("impersonate-user", "bob")],
        &[
            ("authorization", "Bearer known"),
            ("impersonate-user", "bob"),
        ],
    ] {
        let request = headers
            .iter()
            .fold(Request::get("/api/v1/pods"), |request, (name, value)| {
                request.header(*name, *value)
            })
            .body(Empty::<Bytes>::new())
            .unwrap();
        server.clone().call(request).await.unwrap();
    }
    let requests = server.requests();
    let users: Vec<_> = requests.iter().map(|request| &*request.user).collect();
    // Alice may not impersonate.
    assert_eq!(users, ["admin", "alice", "", "bob", "alice"]);
    assert_eq!(requests, ["list pods"; 5]);
}

#[tokio::test]
async fn aggregated_roles_are_updated_when_selected_roles_change() {
    let server = ApiServer::builder().build().unwrap();
    let (admin, manager) = (server.client(), server.client_as(MANAGER));
    let roles: Api<ClusterRole> = Api::all(admin.clone());
    let edit = roles.get("edit").await.unwrap();
    assert!(
        edit.rules.unwrap().len() > 10,
        "bootstrap roles are aggregated"
    );
    create::<ClusterRoleBinding>(&admin, {
        let mut bound = binding("view", "ClusterRole");
        bound["metadata"]["name"] = "managers-view".into();
        bound
    })
    .await;
    let maps: Api<ConfigMap> = Api::default_namespaced(manager.clone());
    maps.list(&ListParams::default()).await.unwrap();
    let widgets = "/apis/acme.io/v1/namespaces/default/widgets";
    let get = || {
        let request = http::Request::get(widgets).body(Vec::new()).unwrap();
        manager.request_text(request)
    };
    let refused = error_message(get().await);
    assert!(
        refused.starts_with("widgets.acme.io is forbidden"),
        "{refused}"
    );

    let mut part = role("widgets-view", &["list"], &["widgets"]);
    part["rules"][0]["apiGroups"] = json!(["acme.io"]);
    part["metadata"]["labels"] = json!({ "rbac.authorization.k8s.io/aggregate-to-view": "true" });
    create::<ClusterRole>(&admin, part).await;
    let allowed = error_message(get().await);
    assert!(!allowed.contains("forbidden"), "{allowed}");
    let count = async |name: &str| roles.get(name).await.unwrap().rules.unwrap().len();
    let before = [
        count("view").await,
        count("edit").await,
        count("admin").await,
    ];
    roles
        .delete("widgets-view", &DeleteParams::default())
        .await
        .unwrap();
    let after = [
        count("view").await,
        count("edit").await,
        count("admin").await,
    ];
    assert_eq!(before.map(|count| count - 1), after);
}

#[tokio::test]
async fn users_cannot_grant_permissions_they_do_not_hold() {
    let server = ApiServer::builder().build().unwrap();
    let (admin, manager) = (server.client(), server.client_as(MANAGER));
    let mut author = role("author", &["create", "update", "patch", "get"], &["roles"]);
    author["rules"][0]["apiGroups"] = json!(["rbac.authorization.k8s.io"]);
    create::<ClusterRole>(&admin, author).await;
    create::<ClusterRoleBinding>(&admin, binding("author", "ClusterRole")).await;
    let roles: Api<Role> = Api::default_namespaced(manager.clone());
    let granted: Role = from_json(role("reader", &["list", "get"], &["pods"]));
    let refused = error_message(roles.create(&PostParams::default(), &granted).await);
    let words = format!(
        "roles.rbac.authorization.k8s.io \"reader\" is forbidden: user \"{MANAGER}\" \
         (groups=[\"system:serviceaccounts\" \"system:serviceaccounts:default\" \
         \"system:authenticated\"]) is attempting to grant RBAC permissions not currently held:\n\
         {{APIGroups:[\"\"], Resources:[\"pods\"], Verbs:[\"list\" \"get\"]}}"
    );
    assert_eq!(refused, words);
    create::<ClusterRole>(&admin, role("reader", &["*"], &["pods"])).await;
    create::<ClusterRoleBinding>(&admin, binding("reader", "ClusterRole")).await;
    roles
        .create(&PostParams::default(), &granted)
        .await
        .unwrap();
    let more =
        json!({ "rules": [{ "verbs": ["get"], "apiGroups": ["*"], "resources": ["pods"] }] });
    let patched = roles
        .patch("reader", &PatchParams::default(), &Patch::Merge(&more))
        .await;
    let refused = error_message(patched);
    assert!(
        refused.ends_with("{APIGroups:[\"*\"], Resources:[\"pods\"], Verbs:[\"get\"]}"),
        "{refused}"
    );
}

#[tokio::test]
async fn tokens_authenticate_as_their_users() {
    let server = ApiServer::builder()
        .token("secret", User::new("alice").group("devs"))
        .build()
        .unwrap();
    let review =
        json!({ "spec": { "nonResourceAttributes": { "path": "/metrics", "verb": "get" } } });
    let review: SelfSubjectAccessReview = from_json(review);
    let ask = async |client: Client| {
        let reviews: Api<SelfSubjectAccessReview> = Api::all(client);
        let answer = reviews
            .create(&PostParams::default(), &review)
            .await
            .unwrap();
        answer.status.unwrap().allowed
    };
    assert!(ask(server.client()).await);
    assert!(!ask(server.client_as("alice")).await);
    assert!(ask(server.client_as(User::new("eve").group("system:masters"))).await);
    for (token, expected) in [
        ("secret", "User \"alice\" cannot list"),
        ("other", "Unauthorized"),
    ] {
        let request =
            http::Request::get("/api/v1/nodes").header("Authorization", format!("Bearer {token}"));
        let answer = server
            .client()
            .request_text(request.body(Vec::new()).unwrap())
            .await;
        let refused = error_message(answer);
        assert!(refused.contains(expected), "{refused}");
    }
}

#[tokio::test]
async fn bootstrap_roles_do_not_advance_the_resource_version() {
    let server = ApiServer::builder().build().unwrap();
    let before = server.resource_version();
    let roles: Api<ClusterRole> = Api::all(server.client());
    let list = roles.list(&ListParams::default()).await.unwrap();
    assert!(list.items.len() > 60, "{}", list.items.len());
    assert!(
        list.items
            .iter()
            .all(|role| role.resource_version().as_deref() == Some("1"))
    );
    assert_eq!(server.resource_version(), before);
}

#[tokio::test]
async fn block_owner_deletion_requires_finalizers_permission_if_enforced() {
    for is_enforced in [false, true] {
        let builder = ApiServer::builder().enforce_owner_permissions(is_enforced);
        let server = builder.build().unwrap();
        let admin = server.client();
        create::<ClusterRole>(&admin, role("author", &["create"], &["configmaps"])).await;
        create::<ClusterRoleBinding>(&admin, binding("author", "ClusterRole")).await;
        let maps: Api<ConfigMap> = Api::default_namespaced(server.client_as(MANAGER));
        let owner = json!({
            "apiVersion": "v1", "kind": "Pod", "name": "a", "uid": "1", "blockOwnerDeletion": true,
        });
        let map = json!({ "metadata": { "name": "a", "ownerReferences": [owner] } });
        let created = maps.create(&PostParams::default(), &from_json(map)).await;
        if !is_enforced {
            created.unwrap();
            continue;
        }
        let words = "configmaps \"a\" is forbidden: cannot set blockOwnerDeletion if an \
                     ownerReference refers to a resource you can't set finalizers on: , <nil>";
        assert_eq!(error_message(created), words);
    }
}
