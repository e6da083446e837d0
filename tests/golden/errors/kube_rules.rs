//! CEL rules of kinds with kube's derive.

pub mod v1 {
    use kube::{CustomResource, KubeSchema};
    use serde::{Deserialize, Serialize};
    use serde_json::Value;

    #[derive(CustomResource, Clone, Debug, Deserialize, Serialize, KubeSchema)]
    #[kube(group = "errors.example.com", version = "v1", kind = "Ruled")]
    #[x_kube(validation = Rule::new("self.anything == 1"))]
    pub struct RuledSpec {
        pub anything: Value,
        #[schemars(length(max = 8))]
        pub parts: Vec<Part>,
        #[x_kube(validation = Rule::new("self == oldSelf"))]
        pub untyped: Value,
    }

    #[derive(Clone, Debug, Deserialize, Serialize, KubeSchema)]
    #[x_kube(validation = Rule::new("self.size == oldSelf.size"))]
    pub struct Part {
        pub name: String,
        pub size: i32,
    }
}
