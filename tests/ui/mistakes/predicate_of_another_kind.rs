//! Predicate of a watch for events of another kind than the watched one.

use genclient::informer::Event;
use genclient_controller::Watch;
use k8s_openapi::api::core::v1::{Node, Pod};

fn main() {
    let _ = Watch::<Pod>::new().when(|_: &Event<Node>| true);
}
