//! Mapping function of a watch that returns strings instead of requests.

use genclient_controller::{Controller, Request, Watch};
use k8s_openapi::api::core::v1::Node;

fn add(controller: Controller<Request>) -> Controller<Request> {
    controller.watches(Watch::<Node>::new(), |node: &Node| node.metadata.name.clone())
}

fn main() {}
