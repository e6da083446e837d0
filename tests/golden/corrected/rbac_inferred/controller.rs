use genclient::kube::core::DynamicObject;
use genclient::rbac;
use genclient_controller::{Controller, Reconciler, StorageMigration, Watch};
use k8s_openapi::api::apps::v1::{DaemonSet, Deployment, ReplicaSet, StatefulSet};
use k8s_openapi::api::core::v1::{ConfigMap, Container, Node, Pod, Secret};

pub struct Generic<K>(K);

#[rbac(group = "example.com", resources = ["tasks"], verbs = ["list", "watch"])]
impl<K> Reconciler for Generic<K> {
    type Object = K;
}

pub struct Plain;

impl Reconciler for Plain {
    type Object = Pod;
}

#[rbac(resource = Pod, verbs = ["create", "list"])]
#[rbac(group = "example.com", resources = ["others"], verbs = ["list", "watch"])]
pub fn dynamic(kind: &ServedKind) -> Watch<DynamicObject> {
    Watch::<DynamicObject>::served(kind)
}

#[rbac(group = "", resources = ["pods"], verbs = ["list", "watch"])]
#[rbac(group = "example.com", resources = ["missing"], verbs = ["list", "watch"])]
pub fn kinds<K>(namespaces: Vec<String>) {
    drop(Watch::<K>::new());
    Controller::new(Plain).owns(Watch::<Pod>::new()).owns(Watch::<Missing>::new());
    drop(Watch::<Pod>::new().namespaces(namespaces));
    let watch = Watch::<Pod>::new();
    select! { _ = stop => {}, other = watch => {} }
}

#[rbac(resource = Deployment, verbs = ["get", "list", "watch"], namespace = "team")]
#[rbac(resource = ConfigMap, verbs = ["list", "watch"], names = ["settings"])]
#[rbac(resource = DaemonSet, verbs = ["list", "watch"], role = "other")]
impl Reconciler for Other {
    type Object = Deployment;

    async fn reconcile(&self) {
        self.watches(Watch::<ConfigMap>::new().fields("metadata.name=settings"));
        self.watches(Watch::<DaemonSet>::new());
    }
}

pub fn other() {
    Controller::watching(Watch::<Deployment>::new().namespaces(["team"]), Other);
}

#[rbac(resource = Secret, verbs = ["list", "watch"], namespace = "team")]
#[rbac(resource = Secret, verbs = ["list", "watch"], namespace = "other")]
#[rbac(resource = StatefulSet, verbs = ["list", "watch"], namespace = "team")]
#[rbac(resource = Node, verbs = ["list", "watch"])]
#[rbac(resource = ReplicaSet, verbs = ["list", "watch"], namespace = "team")]
pub fn limited() {
    drop(Watch::<Secret>::new().namespaces(["team", "other"]));
    drop(Watch::<StatefulSet>::new().namespaces(["team"]));
    drop(Watch::<Node>::new().namespaces(["team"]));
    drop(Watch::<ReplicaSet>::new().namespaces(["team"]));
}

#[rbac(group = "apiextensions.k8s.io", resources = ["customresourcedefinitions"], names = ["tasks.example.com"], verbs = ["get", "list", "watch"])]
#[rbac(group = "apiextensions.k8s.io", resources = ["customresourcedefinitions/status"], names = ["tasks.example.com"], verbs = ["patch"])]
#[rbac(group = "example.com", resources = ["tasks"], verbs = ["get", "list", "patch"])]
#[rbac(group = "example.com", resources = ["tasks/status"], verbs = ["patch"])]
pub fn migrations<K>() {
    drop(StorageMigration::<GPUTask>::new());
    drop(StorageMigration::<K>::new());
    let migration = StorageMigration::<GPUTask>::new();
    select! { _ = stop => {}, other = migration => {} }
}

#[rbac(groups = ["apiextensions.k8s.io", "example.com"], resources = ["*"], verbs = ["*"])]
pub fn objects_alone<K>() {
    drop(StorageMigration::<K>::new());
}
