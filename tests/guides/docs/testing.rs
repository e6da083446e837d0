//! Context of docs/testing.md.

/// Compiles tests without running them: `#[tokio::main]` keeps a function that `#[tokio::test]`
/// removes outside of tests.
mod tokio {
    pub use ::tokio::runtime;
    pub use ::tokio::main as test;
}

mod in_process {
    use genclient::prelude::ObjectMeta;
    use gputask::apis::falldio::v1::GPUTaskSpec;

    use super::tokio;

    // block: In the process

    fn task(name: &str) -> GPUTask {
        GPUTask {
            metadata: ObjectMeta {
                name: Some(name.to_owned()),
                ..ObjectMeta::default()
            },
            spec: GPUTaskSpec::default(),
        }
    }

    async fn deleted(pods: Api<Pod>) {
        // block: In the process 2
    }
}

mod permissions {
    use super::tokio;

    // block: Permissions
}

use std::time::Duration;

use application::apis::apps::v1beta1::Application;
use application::client::{conversion, crds};
use application::webhook::ApplicationValidator as Validation;
use genclient::kube::api::{Api, PostParams};
use genclient_apiserver::ApiServer;
use genclient_controller::Manager;
use gputask::client::clientset::Clientset;
use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::Value;

fn time() -> anyhow::Result<()> {
    // block: Time
    drop(manager);
    Ok(())
}

fn faults(server: &ApiServer) {
    // block: Faults
}

fn pending_faults(server: &ApiServer) {
    // block: Faults 2
}

async fn admission(applications: Api<Application>, too_large: Application) -> anyhow::Result<()> {
    // block: Admission
    Ok(())
}

fn convert(host: &Value, version: &str) -> Result<Value, String> {
    Ok(host.clone())
}

fn versions() -> anyhow::Result<()> {
    // block: Versions
    Ok(())
}

async fn snapshots(server: ApiServer) {
    // block: Owners, namespaces, events, snapshots
}

async fn programs(server: ApiServer) -> anyhow::Result<()> {
    // block: With kubectl and other programs
    Ok(())
}

async fn real_server(mut manager: Manager, maps: Api<ConfigMap>) -> anyhow::Result<()> {
    // block: The real server
    Ok(())
}
