//! `KindClient::apply` with an `Arc`, as reads return objects.

use std::sync::Arc;

use genclient_controller::KindClient;
use k8s_openapi::api::core::v1::Pod;

fn apply(client: &KindClient<Pod>, pod: &Arc<Pod>) {
    let _future = client.apply(pod);
}

fn main() {}
