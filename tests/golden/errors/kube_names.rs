//! Clashing names of kinds with kube's derive: the help names kube's attributes.

pub mod v1 {
    #[derive(kube::CustomResource, Deserialize, Serialize, JsonSchema)]
    #[kube(group = "gateway.networking.k8s.io", version = "v1", kind = "Grant", shortname = "g")]
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
    #[kube(group = "a.example.com", version = "v1", kind = "BoxList")]
    pub struct BoxListSpec {}
}
