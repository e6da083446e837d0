//! Mapping function of a watch that borrows data, although it must be `'static`.

use genclient::cache::ObjectName;
use genclient_controller::{Controller, Request, Watch};
use k8s_openapi::api::core::v1::Node;

fn add(controller: Controller<Request>, namespace: &str) -> Controller<Request> {
    controller.watches(Watch::<Node>::new(), |node: &Node| {
        [ObjectName::new(namespace, node.metadata.name.as_deref().unwrap_or_default())]
    })
}

fn main() {}
