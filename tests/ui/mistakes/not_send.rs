//! `reconcile` whose future is not `Send`, because it holds an `Rc` across an await.

use std::rc::Rc;
use std::sync::Arc;

use genclient_controller::{Action, Context, Reconciler, Result};
use k8s_openapi::api::core::v1::ConfigMap;

struct Greeter;

impl Reconciler for Greeter {
    type Object = ConfigMap;

    async fn reconcile(&self, _map: Arc<ConfigMap>, _cx: &Context) -> Result {
        let greeting = Rc::new("good morning");
        std::future::ready(()).await;
        println!("{greeting}");
        Ok(Action::done())
    }
}

fn main() {}
