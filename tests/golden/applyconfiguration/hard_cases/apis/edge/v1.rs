//! Gateways.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use genclient::k8s_openapi::api::core::v1::PodTemplateSpec;
use genclient::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::applyconfiguration_hard_cases::apis::shared::{Limits, Named};

/// Routes requests to backends.
///
/// An API that no cluster has.
#[genclient(non_namespaced)]
#[group = "edge.example.com"]
pub struct Gateway {
    pub metadata: ObjectMeta,
    /// Desired state.
    pub spec: GatewaySpec,
    /// Observed state of the [`Gateway`].
    pub status: Option<GatewayStatus>,
}

/// Desired state of a [`Gateway`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, CrdSchema)]
#[serde(rename_all = "camelCase")]
pub struct GatewaySpec {
    /// Class of the gateway.
    #[serde(rename = "className")]
    pub class: String,
    /// How requests are distributed.
    pub r#type: Balancing,
    /// Whether the gateway replaces an old one.
    pub new: bool,
    /// Ports that the gateway listens on.
    #[crd(list_type = "map", list_map_keys = ["name", "protocol"])]
    pub listeners: Vec<Listener>,
    /// Names that the gateway answers to.
    pub hosts: BTreeSet<HostName>,
    /// Arguments of the program.
    pub args: Vec<String>,
    /// Backends by name.
    pub weights: BTreeMap<String, Backend>,
    /// Backends by zone, some of which have none.
    pub zones: HashMap<String, Vec<Option<Backend>>>,
    /// The two fallbacks.
    pub fallbacks: [Backend; 2],
    /// Routes, seen through.
    pub routes: Routes,
    /// Where the configuration comes from.
    pub source: Option<Source>,
    /// How TLS ends.
    #[serde(flatten)]
    pub tls: Option<Tls>,
    /// Limits of the gateway, flattened.
    #[serde(flatten)]
    pub limits: Limits,
    /// Anything.
    #[crd(preserve_unknown_fields)]
    pub extra: Option<Value>,
    /// Pods of the gateway.
    pub selector: LabelSelector,
    /// Template of the Pods.
    pub template: PodTemplateSpec,
    pub add: Option<String>,
    pub is_on: Option<bool>,
    #[serde(skip)]
    pub cache: u8,
}

/// How requests are distributed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, CrdSchema)]
pub enum Balancing {
    Random,
    RoundRobin,
}

/// Name of a host.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, CrdSchema)]
pub struct HostName(pub String);

/// Routes in their order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, CrdSchema)]
pub struct Routes(pub Vec<Route>);

/// Where requests with a prefix go.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, CrdSchema)]
pub struct Route {
    /// The prefix.
    pub prefix: String,
    pub default: bool,
}

/// A port that the gateway listens on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, CrdSchema)]
pub struct Listener {
    #[serde(flatten)]
    pub named: Named,
    #[crd(default = "TCP")]
    pub protocol: String,
    pub port: i32,
}

/// Where requests go.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, CrdSchema)]
pub struct Backend {
    pub value: i32,
    #[serde(flatten)]
    #[crd(preserve_unknown_fields)]
    pub rest: BTreeMap<String, Value>,
}

/// Where the configuration comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, CrdSchema)]
#[serde(rename_all = "camelCase")]
pub enum Source {
    /// A repository.
    Git {
        url: String,
    },
    Image(String),
    Nothing {},
}

/// How TLS ends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, CrdSchema)]
#[serde(tag = "mode", rename_all_fields = "camelCase")]
pub enum Tls {
    Off,
    Terminate { secret_name: String },
}

/// Observed state of a [`Gateway`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, CrdSchema)]
pub struct GatewayStatus {
    #[crd(list_type = "map", list_map_keys = ["type"])]
    pub conditions: Vec<Condition>,
}
