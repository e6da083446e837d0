//! `owns` on a controller whose request type is not `Request`.

use genclient_controller::{Action, Context, Controller, RequestReconciler, Result, Watch};
use k8s_openapi::api::core::v1::Pod;

struct Numbers;

impl RequestReconciler for Numbers {
    type Request = u32;

    async fn reconcile(&self, _number: &u32, _cx: &Context) -> Result {
        Ok(Action::done())
    }
}

fn main() {
    let _ = Controller::for_requests("numbers", Numbers).owns(Watch::<Pod>::new());
}
