//! Context of docs/scale-out.md.

use std::sync::Arc;

use application::apis::apps::v1beta1::Application as Shop;
use genclient_controller::{
    Action, Context, Controller, Manager, ManagerFlags, Reconciler, Request, Result, Watch,
};
use k8s_openapi::api::apps::v1::Deployment;

struct ShopReconciler;

impl Reconciler for ShopReconciler {
    type Object = Shop;

    async fn reconcile(&self, shop: Arc<Shop>, cx: &Context) -> Result {
        Ok(Action::done())
    }
}

struct Flags {
    manager: ManagerFlags,
}

async fn turn_it_on(flags: Flags) -> anyhow::Result<()> {
    // block: Turn it on
    Ok(())
}

fn everywhere() -> Controller<Request> {
    // block: What a replica reads and caches
}
