//! A kind with its apply configuration, as `genclient update` writes one, and a configuration of
//! Deployment for some of its fields.

use std::collections::BTreeMap;

use genclient::applyconfiguration::{ApiVersion, Applicable, ApplyConfiguration, KindName};
use genclient::prelude::*;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::PodTemplateSpec;
use serde_json::Value;

use v1::Gateway;

pub(super) mod v1 {
    use super::*;

    /// Its `None` fields are serialized as null.
    #[genclient]
    #[group = "example.com"]
    pub(in super::super) struct Gateway {
        pub(in super::super) metadata: ObjectMeta,
        pub(in super::super) spec: GatewaySpec,
        pub(in super::super) status: Option<GatewayStatus>,
    }

    /// Lacks `novel`, which the API server has.
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    pub(in super::super) struct GatewaySpec {
        class: Option<String>,
        weight: Option<f64>,
        args: Option<Vec<String>>,
        hosts: Option<Vec<String>>,
        listeners: Option<Vec<Listener>>,
        devices: Option<Vec<Device>>,
        steps: Option<Vec<i32>>,
        limits: Option<BTreeMap<String, String>>,
        selector: Option<LabelSelector>,
        backends: Option<BTreeMap<String, BTreeMap<String, Value>>>,
        template: Option<PodTemplateSpec>,
        extra: Option<Value>,
        /// Unions and a generic struct, which the configuration declares.
        strategy: Option<Value>,
        fallback: Option<Value>,
        address: Option<Value>,
        timeout: Option<Value>,
        #[serde(flatten)]
        tls: Option<Tls>,
    }

    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    struct Listener {
        port: i32,
        protocol: String,
        name: Option<String>,
    }

    /// Its key `share` is optional, as `shareID` in the list `status.devices` of ResourceClaim.
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    struct Device {
        driver: String,
        share: Option<String>,
        data: Option<String>,
    }

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[serde(tag = "mode")]
    pub(in super::super) enum Tls {
        Off,
        Terminate { secret: String },
    }

    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    pub(in super::super) struct GatewayStatus {
        ready: bool,
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct GatewayApply {
    #[serde(rename = "apiVersion")]
    api_version: ApiVersion<Gateway>,
    kind: KindName<Gateway>,
    #[serde(default)]
    metadata: ObjectMeta,
    #[serde(skip_serializing_if = "Option::is_none")]
    spec: Option<GatewaySpecApply>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<GatewayStatusApply>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct GatewaySpecApply {
    #[serde(skip_serializing_if = "Option::is_none")]
    class: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    weight: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    args: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hosts: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    listeners: Option<Vec<ListenerApply>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    devices: Option<Vec<DeviceApply>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    steps: Option<Vec<i32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    limits: Option<LimitsApply>,
    #[serde(skip_serializing_if = "Option::is_none")]
    selector: Option<LabelSelector>,
    #[serde(skip_serializing_if = "Option::is_none")]
    backends: Option<BTreeMap<String, BackendApply>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    template: Option<PodTemplateSpec>,
    #[serde(skip_serializing_if = "Option::is_none")]
    extra: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    strategy: Option<StrategyApply>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fallback: Option<FallbackApply>,
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<Address>,
    #[serde(skip_serializing_if = "Option::is_none")]
    timeout: Option<Limited<i32>>,
    #[serde(flatten)]
    tls: Option<TlsApply>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type")]
enum StrategyApply {
    Rolling(RollingApply),
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct RollingApply {
    #[serde(rename = "maxUnavailable", skip_serializing_if = "Option::is_none")]
    max_unavailable: Option<i32>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "config")]
enum FallbackApply {
    Backend(BackendApply),
}

/// Stated whole, as a generic type is, too.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Address {
    Port { host: String, port: i32 },
    Socket { socket: String },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Limited<T> {
    value: T,
    #[serde(skip_serializing_if = "Option::is_none")]
    max: Option<T>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct ListenerApply {
    #[serde(skip_serializing_if = "Option::is_none")]
    port: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    protocol: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct DeviceApply {
    #[serde(skip_serializing_if = "Option::is_none")]
    driver: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    share: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct LimitsApply {
    #[serde(skip_serializing_if = "Option::is_none")]
    soft: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hard: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct BackendApply {
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "mode")]
enum TlsApply {
    Off,
    Terminate(TlsTerminateApply),
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct TlsTerminateApply {
    #[serde(skip_serializing_if = "Option::is_none")]
    secret: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct GatewayStatusApply {
    #[serde(skip_serializing_if = "Option::is_none")]
    ready: Option<bool>,
}

impl Applicable for GatewayApply {
    type Object = Gateway;

    fn metadata(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn metadata_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}

impl ApplyConfiguration for GatewayApply {
    fn is_granular(path: &[&str]) -> bool {
        matches!(path, ["spec", "limits"])
    }
}

/// Configuration of a kind of Kubernetes for some of its fields.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct DeploymentApply {
    #[serde(rename = "apiVersion")]
    api_version: ApiVersion<Deployment>,
    kind: KindName<Deployment>,
    #[serde(default)]
    metadata: ObjectMeta,
    #[serde(skip_serializing_if = "Option::is_none")]
    spec: Option<DeploymentSpecApply>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<DeploymentStatusApply>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct DeploymentSpecApply {
    #[serde(skip_serializing_if = "Option::is_none")]
    replicas: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    paused: Option<bool>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct DeploymentStatusApply {
    #[serde(skip_serializing_if = "Option::is_none")]
    replicas: Option<i32>,
}

impl Applicable for DeploymentApply {
    type Object = Deployment;

    fn metadata(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn metadata_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}

impl ApplyConfiguration for DeploymentApply {}
