//! Every form of a declaration from which RBAC rules are inferred.

pub mod limited;
pub mod owners;
pub mod pods;

use std::sync::Arc;

use genclient::kube::core::DynamicObject;
use genclient::rbac;
use genclient::record::EventType;
use genclient::scheme::Object;
use genclient_controller::{
    Action, Cluster, Context, Controller, Manager, Reconciler, Request, Result, SetupError,
    StorageMigration,
};
#[rbac(group = "example.com", resources = ["imports"], verbs = ["get"])]
use genclient_controller::{ServedKind, Watch, Watch as Look};
use k8s_openapi::api::apps::v1::{Deployment, StatefulSet};
use k8s_openapi::api::core::v1::{ConfigMap, Node, Secret, Service, ServiceAccount};
use k8s_openapi::api::networking::v1::Ingress;

use crate::config_rbac_inferred::apis::v1::{Pool, Task};

const SYSTEM: &str = "kube-system";

type Nodes = Watch<Node>;

pub struct TaskReconciler;

#[rbac(resource = Task, verbs = ["update"])]
#[rbac(resource = Deployment, verbs = ["create", "patch"])]
impl Reconciler for TaskReconciler {
    type Object = Task;

    async fn reconcile(&self, task: Arc<Task>, cx: &Context) -> Result {
        cx.recorder().event(&*task, EventType::Normal, "Seen", "it");
        cx.client()
            .apply_owned(&*task, &Deployment::default())
            .await?;
        Ok(Action::done())
    }
}

pub fn controller(edge: &Cluster) -> Controller<Request> {
    Controller::new(TaskReconciler)
        .owns(Watch::<Deployment>::new())
        .owns(<Watch<StatefulSet>>::new().labels("app=train"))
        .watches(
            Nodes::new(),
            |_: &Node| None::<genclient::cache::ObjectName>,
        )
        .caches(Look::<Service>::default())
        .caches(Watch::<Pool>::new().namespaces(["nowhere"]))
        .caches(
            Watch::<Secret>::new()
                .namespaces([SYSTEM, "team"])
                .labels("a=b"),
        )
        .caches(
            Watch::<Secret>::new()
                .namespaces(["other"])
                .all_namespaces()
                .namespaces(["a"]),
        )
        .caches(Watch::<ServiceAccount>::new().in_cluster(edge))
}

/// Declarations in macros that take expressions, such as `vec!`, are read.
pub fn add(manager: &mut Manager) {
    let maps = vec![Watch::<ConfigMap>::new().namespaces(["team"])];
    drop(maps);
    let _recorder = manager.recorder();
}

pub fn migrate(manager: &mut Manager) -> std::result::Result<(), SetupError> {
    manager.add(StorageMigration::<Pool>::new().concurrency(4))?;
    Ok(())
}

/// Namespaces that only the running program knows need a stated rule.
#[rbac(resource = Ingress, verbs = ["list", "watch"])]
pub fn computed(namespaces: Vec<String>) -> Watch<Ingress> {
    Watch::<Ingress>::new().namespaces(namespaces)
}

#[rbac(group = "example.com", resources = ["others"], verbs = ["get", "list", "watch"])]
pub fn dynamic(kind: &ServedKind) -> Watch<DynamicObject> {
    Watch::<DynamicObject>::served(kind)
}

#[rbac(group = "example.com", resources = ["generics"], verbs = ["*"])]
pub fn generic<K: Object<DynamicType = ()>>() -> Watch<K> {
    Watch::<K>::new()
}

/// A type with a method that only tests call.
pub struct Fixture;

impl Fixture {
    /// Watches a kind that the program does not.
    #[cfg(test)]
    pub fn watch() {
        drop(Watch::<k8s_openapi::api::apps::v1::DaemonSet>::new());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use k8s_openapi::api::batch::v1::Job;

    #[test]
    fn tests_need_no_rights() {
        drop(Watch::<Job>::new());
    }
}
