//! Kubernetes' own types as fields, with the schema that the API server publishes.

pub mod v1 {
    use std::collections::BTreeMap;

    use genclient::k8s_openapi::api::autoscaling::v2 as autoscaling;
    use genclient::k8s_openapi::api::{core, rbac};
    use genclient::kube;
    use genclient::prelude::*;
    use k8s_openapi::ByteString;
    use k8s_openapi::api::core::v1::*;
    use k8s_openapi::api::networking::v1::{HTTPIngressPath, IngressTLS, NetworkPolicySpec};
    use k8s_openapi::apimachinery::pkg::apis::meta::v1::{
        LabelSelector as Selector, OwnerReference,
    };

    #[genclient]
    #[group = "builtin.example.com"]
    pub struct Workload {
        pub metadata: ObjectMeta,
        pub spec: WorkloadSpec,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct WorkloadSpec {
        pub template: PodTemplateSpec,
    }

    #[genclient]
    #[group = "builtin.example.com"]
    pub struct Service {
        pub metadata: ObjectMeta,
        pub spec: ServiceSpec,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub status: Option<ServiceStatus>,
    }

    /// Local type, which shadows the `ServiceSpec` of the glob import.
    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct ServiceSpec {
        pub selector: Selector,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub affinity: Option<Affinity>,
        #[serde(default)]
        pub env: Vec<EnvVar>,
        pub resources: ResourceRequirements,
        #[serde(default)]
        pub limits: BTreeMap<String, Quantity>,
        pub claim: PersistentVolumeClaimSpec,
        #[serde(default)]
        #[crd(max_items = 3)]
        pub claim_templates: Vec<PersistentVolumeClaim>,
        pub password: SecretKeySelector,
        #[serde(default)]
        pub pull_secrets: Vec<core::v1::LocalObjectReference>,
        pub policy: NetworkPolicySpec,
        #[serde(default)]
        pub metrics: Vec<autoscaling::MetricSpec>,
        #[serde(default)]
        pub rules: Vec<rbac::v1::PolicyRule>,
        #[serde(default)]
        pub paths: Vec<HTTPIngressPath>,
        #[serde(default)]
        pub tls: Vec<IngressTLS>,
        #[serde(default)]
        pub tolerations: Vec<Toleration>,
        pub port: IntOrString,
        pub every: kube::core::Duration,
        pub bundle: ByteString,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub object: Option<kube::core::DynamicObject>,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct ServiceStatus {
        #[serde(default)]
        #[crd(list_type = "map", list_map_keys = ["type"])]
        pub conditions: Vec<Condition>,
        pub since: Time,
        pub exactly: MicroTime,
        #[serde(default)]
        pub owners: Vec<OwnerReference>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub target: Option<ObjectReference>,
    }
}
