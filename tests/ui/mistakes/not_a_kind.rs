//! Reconciler whose object type is not a Kubernetes kind.

use std::sync::Arc;

use genclient_controller::{Action, Context, Reconciler, Result};

#[derive(Clone)]
struct Greeting;

struct Greeter;

impl Reconciler for Greeter {
    type Object = Greeting;

    async fn reconcile(&self, _greeting: Arc<Greeting>, _cx: &Context) -> Result {
        Ok(Action::done())
    }
}

fn main() {}
