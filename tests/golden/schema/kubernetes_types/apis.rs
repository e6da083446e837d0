//! Kubernetes' own types, imported by the prelude or by their paths in `k8s_openapi`.

pub mod v1 {
    use genclient::prelude::*;
    use k8s_openapi::apimachinery::pkg::apis::meta::v1 as meta;

    #[genclient]
    #[group = "kube.example.com"]
    pub struct Backup {
        pub metadata: ObjectMeta,
        pub spec: BackupSpec,
        pub status: Option<BackupStatus>,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct BackupSpec {
        pub template: ObjectMeta,
        pub at: Time,
        pub exactly: Option<meta::MicroTime>,
        pub size: Quantity,
        pub port: IntOrString,
        pub every: Duration,
        pub secret: k8s_openapi::ByteString,
        pub extra: Option<k8s_openapi::apimachinery::pkg::runtime::RawExtension>,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct BackupStatus {
        #[serde(default)]
        #[crd(list_type = "map", list_map_keys = ["type"])]
        pub conditions: Vec<Condition>,
    }
}
