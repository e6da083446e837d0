//! `reconcile` with an object of another type than `Reconciler::Object`.

use std::sync::Arc;

use genclient_controller::{Action, Context, Reconciler, Result};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};

struct Greeter;

impl Reconciler for Greeter {
    type Object = ConfigMap;

    async fn reconcile(&self, _secret: Arc<Secret>, _cx: &Context) -> Result {
        Ok(Action::done())
    }
}

fn main() {}
