//! Context of docs/controllers.md.

mod first {
    // block: The first controller
}

mod v1 {
    // block: With a type of your own
}

mod controller {
    use std::sync::Arc;

    use genclient::rbac;
    use genclient_controller::{Action, Context, Reconciler, Result};

    use super::v1::{Lighthouse, LighthouseStatus};

    struct Keeper;

    // block: With a type of your own 2
}

mod permissions {
    use std::sync::Arc;

    use application::apis::apps::v1beta1::Application;
    use genclient::rbac;
    use genclient_controller::{Action, Context, Reconciler, Result};
    use k8s_openapi::api::apps::v1::Deployment;

    struct ApplicationReconciler;

    // block: Permissions
    impl Reconciler for ApplicationReconciler {
        type Object = Application;

        async fn reconcile(&self, application: Arc<Application>, cx: &Context) -> Result {
            Ok(Action::done())
        }
    }
}

use std::sync::Arc;
use std::time::Duration;

use genclient::cache::ObjectName;
use genclient::kube::core::DynamicObject;
use genclient::kube::{self, ResourceExt as _};
use genclient_controller::predicate::LabelChanged;
use genclient_controller::{
    Action, Client, Context, Controller, Manager, OperationResult, Reconciler, Request, Result,
    ServedKind, StorageMigration, Watch, Written, finalizer, owner, source,
};
use gputask::apis::falldio::v1::GPUTask;
use gputask::reconciler::GPUTaskReconciler;
use k8s_openapi::api::core::v1::{ConfigMap, Node, Pod, Secret};

fn tasks_on(node: &Node) -> Vec<ObjectName> {
    Vec::new()
}

fn watches(
    reconciler: GPUTaskReconciler,
    period: Duration,
    name: ObjectName,
) -> Controller<Request> {
    // block: Watches and other sources
}

fn namespaces(reconciler: GPUTaskReconciler, bootstrap: &str) -> Controller<Request> {
    Controller::new(reconciler)
    // block: Namespaces
}

fn clusters(
    manager: &mut Manager,
    client: kube::Client,
    reconciler: GPUTaskReconciler,
) -> anyhow::Result<()> {
    // block: Several clusters
    Ok(())
}

fn pod(task: &GPUTask) -> Pod {
    Pod::default()
}

async fn writes(task: Arc<GPUTask>, cx: &Context) -> Result {
    // block: Reads and writes
    Ok(Action::done())
}

async fn clean_up(task: &GPUTask) -> Result<(), kube::Error> {
    Ok(())
}

async fn finalizers(task: Arc<GPUTask>, cx: &Context) -> Result {
    // block: Reads and writes 2
    Ok(Action::done())
}

struct OfAnyKind;

impl Reconciler for OfAnyKind {
    type Object = DynamicObject;

    async fn reconcile(&self, object: Arc<DynamicObject>, cx: &Context) -> Result {
        Ok(Action::done())
    }
}

async fn known_at_run_time(
    manager: &mut Manager,
    client: &Client,
    reconciler: OfAnyKind,
) -> anyhow::Result<()> {
    // block: Kinds that are known at run time
    Ok(())
}

async fn added(manager: Manager, kind: ServedKind, reconciler: OfAnyKind) -> anyhow::Result<()> {
    // block: Adding and removing while it runs
    Ok(())
}

fn old_storage_versions(manager: &mut Manager) -> anyhow::Result<()> {
    // block: Old storage versions
    Ok(())
}
