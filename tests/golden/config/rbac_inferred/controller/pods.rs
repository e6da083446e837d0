//! Reconciler with an explicit watch, which replaces the watch that follows from `type Object`.

use std::sync::Arc;

use genclient::kube::core::PartialObjectMeta;
use genclient_controller::{Action, Context, Controller, Reconciler, Request, Result, Watch};
use k8s_openapi::api::core::v1::Pod;

pub struct PodReconciler;

impl Reconciler for PodReconciler {
    type Object = PartialObjectMeta<Pod>;

    async fn reconcile(&self, pod: Arc<PartialObjectMeta<Pod>>, cx: &Context) -> Result {
        match pod.metadata.name {
            None => Err(cx.refuse(&*pod, "Nameless", "a Pod without a name")),
            Some(_) => Ok(Action::done()),
        }
    }
}

pub fn controller() -> Controller<Request> {
    let pods = Watch::<PartialObjectMeta<Pod>>::new().namespaces(["team"]);
    drop(pods);
    Controller::watching(
        Watch::<PartialObjectMeta<Pod>>::new().namespaces(["team"]),
        PodReconciler,
    )
}
