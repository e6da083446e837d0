//! One storage version: kube's derive stores every version without `storage = false`. A storage
//! version with every field.

pub mod v1 {
    #[derive(kube::CustomResource, Deserialize, Serialize, JsonSchema)]
    #[kube(group = "a.example.com", version = "v1", kind = "Box", storage = false)]
    pub struct BoxSpec {}

    #[derive(kube::CustomResource, Deserialize, Serialize, JsonSchema)]
    #[kube(group = "a.example.com", version = "v1", kind = "Crate", storage = false)]
    pub struct CrateSpec {
        pub size: i32,
    }
}

pub mod v2 {
    #[derive(kube::CustomResource, Deserialize, Serialize, JsonSchema)]
    #[kube(group = "a.example.com", version = "v2", kind = "Box")]
    pub struct BoxSpec {}

    #[derive(kube::CustomResource, Deserialize, Serialize, JsonSchema)]
    #[kube(group = "a.example.com", version = "v2", kind = "Crate")]
    pub struct CrateSpec {
        pub size: i32,
    }
}
