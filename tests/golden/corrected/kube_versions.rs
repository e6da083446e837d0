//! kube calls every version stored that does not say otherwise: all but one say so.

pub mod v1 {
    #[derive(kube::CustomResource, Deserialize, Serialize, JsonSchema)]
    #[kube(group = "a.example.com", version = "v1", kind = "Box", storage = false)]
    pub struct BoxSpec {}
}

pub mod v2 {
    #[derive(kube::CustomResource, Deserialize, Serialize, JsonSchema)]
    #[kube(group = "a.example.com", version = "v2", kind = "Box")]
    pub struct BoxSpec {}
}
