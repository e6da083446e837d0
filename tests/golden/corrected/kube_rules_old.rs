//! CEL rules of kinds with kube's derive and schemars 0.8, which has no `extend`.

pub mod v1 {
    use std::collections::BTreeMap;

    use kube::{CustomResource, KubeSchema};
    use serde::{Deserialize, Serialize};

    #[derive(CustomResource, Clone, Debug, Deserialize, Serialize, KubeSchema, genclient::CrdSchema)]
    #[kube(group = "errors.example.com", version = "v1", kind = "Ruled")]
    pub struct RuledSpec {
        #[schemars(length(max = 8))]
        #[crd(list_type = "map", list_map_keys = ["name"])]
        pub parts: Vec<Part>,
        #[schemars(length(max = 1024))]
        #[x_kube(validation = Rule::new("self.all(a, self.exists(b, a == b))"))]
        pub numbers: Vec<i32>,
        #[crd(max_properties = 1024)]
        #[x_kube(validation = Rule::new("self.all(a, self.all(b, a == b))"))]
        pub labels: BTreeMap<String, i32>,
    }

    #[derive(Clone, Debug, Deserialize, Serialize, KubeSchema)]
    #[x_kube(validation = Rule::new("self.size == oldSelf.size"))]
    pub struct Part {
        pub name: String,
        pub size: i32,
    }
}
