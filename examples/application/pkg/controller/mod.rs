//! Controller that keeps a Deployment and a Service for each Application.

mod desired;
mod status;

use std::sync::Arc;

use genclient::cache::ObjectName;
use genclient::kube::ResourceExt;
use genclient::rbac;
use genclient::record::EventType;
use genclient_controller::{
    Action, Context, Controller, Manager, OperationResult, Reconciler, Request, Result, SetupError,
    Watch, finalizer,
};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::Service;

use crate::apis::apps::v1beta1::Application;

/// Name of the program. It is also the name of its lease, its field manager and the source of its
/// events.
pub const NAME: &str = "application-controller";

/// Finalizer that delays the deletion of an Application until the controller has deleted its
/// Service and Deployment.
const CLEANUP: &str = "apps.example.io/cleanup";

/// Keeps a Deployment and a Service for each Application.
#[derive(Clone, Copy, Debug)]
pub struct ApplicationReconciler;

/// Returns the controller.
pub fn controller() -> Controller<Request> {
    Controller::new(ApplicationReconciler)
        .owns(Watch::<Deployment>::new())
        .owns(Watch::<Service>::new())
}

/// Adds the controller to a manager.
///
/// # Errors
///
/// See [`SetupError`].
pub fn add(manager: &mut Manager) -> Result<(), SetupError> {
    manager.add(controller())?;
    Ok(())
}

#[rbac(resource = Application, verbs = ["update"])]
#[rbac(group = "apps.example.io", resources = ["applications/status"], verbs = ["patch"])]
#[rbac(resource = Deployment, verbs = ["create", "patch", "delete"])]
#[rbac(resource = Service, verbs = ["create", "patch", "delete"])]
impl Reconciler for ApplicationReconciler {
    type Object = Application;

    async fn reconcile(&self, application: Arc<Application>, cx: &Context) -> Result {
        let client = cx.client();
        if application.metadata.deletion_timestamp.is_some() {
            return clean_up((*application).clone(), cx).await;
        }
        let mut changed = (*application).clone();
        if finalizer::add(&mut changed, CLEANUP) {
            client.update(&changed).await?;
        }
        let deployment = desired::deployment(&application);
        let deployment = client.apply_owned(&*application, &deployment).await?;
        let service = desired::service(&application);
        let service = client.apply_owned(&*application, &service).await?;
        for (kind, result) in [
            ("Deployment", deployment.result),
            ("Service", service.result),
        ] {
            if result != OperationResult::Unchanged {
                let message = format!("{kind} {}: {result:?}", application.name_any());
                let recorder = cx.recorder();
                recorder.event(&*application, EventType::Normal, "Applied", message);
            }
        }
        let status = status::of(&application, &deployment.object, cx.now());
        if application.status.as_ref() != Some(&status) {
            client
                .apply_status(&status::applied(&application, status))
                .await?;
        }
        Ok(Action::done())
    }
}

/// Deletes the Service first, so that no client calls Pods that are ending. Then deletes the
/// Deployment and removes the finalizer.
async fn clean_up(mut application: Application, cx: &Context) -> Result {
    let name = ObjectName::from_object(&application);
    if let Some(service) = cx.client().get::<Service>(&name).await? {
        cx.client().delete(&*service).await?;
    }
    if let Some(deployment) = cx.client().get::<Deployment>(&name).await? {
        cx.client().delete(&*deployment).await?;
    }
    if finalizer::remove(&mut application, CLEANUP) {
        cx.client().update(&application).await?;
    }
    Ok(Action::done())
}
