//! A map of a watch to something that is no request.

use genclient_controller::{Controller, Request, Watch};
use k8s_openapi::api::core::v1::Node;

fn add(controller: Controller<Request>) -> Controller<Request> {
    controller.watches(Watch::<Node>::new(), |node: &Node| node.metadata.name.clone())
}

fn main() {}
