//! Distinct names of kinds with kube's derive, and protected groups with an approval.

pub mod v1 {
    #[derive(kube::CustomResource, Deserialize, Serialize, JsonSchema)]
    #[kube(group = "gateway.networking.k8s.io", version = "v1", kind = "Grant", shortname = "gr")]
    #[kube(annotation("api-approved.kubernetes.io", "unapproved, experimental"))]
    pub struct GrantSpec {}

    #[derive(kube::CustomResource, Deserialize, Serialize, JsonSchema)]
    #[kube(group = "gateway.networking.k8s.io", version = "v1", kind = "Gate", shortname = "g")]
    #[kube(annotation("api-approved.kubernetes.io", "unapproved, experimental"))]
    pub struct GateSpec {}

    #[derive(kube::CustomResource, Deserialize, Serialize, JsonSchema)]
    #[kube(group = "a.example.com", version = "v1", kind = "Box")]
    pub struct BoxSpec {}

    #[derive(kube::CustomResource, Deserialize, Serialize, JsonSchema)]
    #[kube(group = "a.example.com", version = "v1", kind = "Crate")]
    pub struct BoxListSpec {}
}
