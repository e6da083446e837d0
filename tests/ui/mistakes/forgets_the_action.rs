//! `reconcile` that returns the result of a write instead of an `Action`.

use std::sync::Arc;

use genclient_controller::{Context, Reconciler, Result};
use k8s_openapi::api::core::v1::ConfigMap;

struct Greeter;

impl Greeter {
    async fn greet(&self) -> Result<()> {
        Ok(())
    }
}

impl Reconciler for Greeter {
    type Object = ConfigMap;

    async fn reconcile(&self, _map: Arc<ConfigMap>, _cx: &Context) -> Result {
        self.greet().await
    }
}

fn main() {}
