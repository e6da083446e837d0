use genclient::kube::core::DynamicObject;
use genclient::rbac;
use genclient_controller::{Controller, Reconciler, StorageMigration, Watch};
use k8s_openapi::api::apps::v1::{DaemonSet, Deployment, ReplicaSet, StatefulSet};
use k8s_openapi::api::core::v1::{ConfigMap, Container, Node, Pod, Secret};

pub struct Generic<K>(K);

impl<K> Reconciler for Generic<K> {
    type Object = K;
}

pub struct Plain;

impl Reconciler for Plain {
    type Object = Container;
}

/// The rule grants permissions on another kind than the watched one.
#[rbac(resource = Pod, verbs = ["create", "list"])]
pub fn dynamic(kind: &ServedKind) -> Watch<DynamicObject> {
    Watch::<DynamicObject>::served(kind)
}

pub fn kinds<K>(namespaces: Vec<String>) {
    drop(Watch::<K>::new());
    Controller::new(Plain).owns(Watch::new()).owns(Watch::<Missing>::new());
    drop(Watch::<Pod>::new().namespaces(namespaces));
    drop(Watch::<Pod>::new().namespaces([namespaces[0].clone()]));
    select! { _ = stop => {}, watch = Watch::<Pod>::new() => {} }
}

#[rbac(resource = Deployment, verbs = ["get", "list", "watch"], namespace = "team")]
#[rbac(resource = ConfigMap, verbs = ["list", "watch"], names = ["settings"])]
#[rbac(resource = DaemonSet, verbs = ["list"], role = "other")]
impl Reconciler for Other {
    type Object = Deployment;

    async fn reconcile(&self) {
        self.watches(Watch::<ConfigMap>::new());
        self.watches(Watch::<DaemonSet>::new());
    }
}

#[rbac(resource = Secret, verbs = ["list"], namespace = "team")]
#[rbac(resource = Secret, verbs = ["watch"], namespace = "other")]
#[rbac(resource = StatefulSet, verbs = ["list", "watch"], namespace = "team")]
#[rbac(resource = Node, verbs = ["list", "watch"], namespace = "team")]
#[rbac(resource = ReplicaSet, verbs = ["list", "watch"], namespace = "team")]
pub fn limited() {
    drop(Watch::<Secret>::new().namespaces(["team", "other"]));
    drop(Watch::<StatefulSet>::new());
    drop(Watch::<Node>::new().namespaces(["team"]));
    drop(Watch::<ReplicaSet>::new().namespaces(["team"]));
}

pub fn migrations<K>() {
    drop(StorageMigration::new());
    drop(StorageMigration::<K>::new());
    select! { _ = stop => {}, migration = StorageMigration::<GPUTask>::new() => {} }
}

/// A migration also needs rules for the definition.
#[rbac(group = "example.com", resources = ["tasks"], verbs = ["get", "list", "patch"])]
pub fn objects_alone<K>() {
    drop(StorageMigration::<K>::new());
}
