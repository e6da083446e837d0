//! CEL rules of kinds with kube's derive.

pub mod v1 {
    use std::collections::BTreeMap;

    use kube::{CustomResource, KubeSchema};
    use serde::{Deserialize, Serialize};
    use serde_json::Value;

    #[derive(CustomResource, Clone, Debug, Deserialize, Serialize, KubeSchema)]
    #[kube(group = "errors.example.com", version = "v1", kind = "Ruled")]
    #[x_kube(validation = Rule::new("self.anything == 1"))]
    pub struct RuledSpec {
        #[schemars(with = "i32")]
        pub anything: Value,
        #[schemars(length(max = 8))]
        #[schemars(extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["name"]))]
        pub parts: Vec<Part>,
        #[x_kube(validation = Rule::new("self == oldSelf"))]
        #[schemars(with = "i32")]
        pub untyped: Value,
        #[x_kube(validation = Rule::new("self == oldSelf"))]
        #[schemars(with = "i32")]
        pub opened: Value,
        #[x_kube(validation = Rule::new("self.all(a, self.exists(b, a == b))"))]
        #[schemars(length(max = 1024))]
        pub numbers: Vec<i32>,
        #[schemars(length(max = 8))]
        #[schemars(inner(length(max = 2048)))]
        #[x_kube(validation = Rule::new("self.all(word, word.contains(word))"))]
        pub words: Vec<String>,
        #[schemars(extend("maxProperties" = 1024))]
        #[x_kube(validation = Rule::new("self.all(a, self.all(b, a == b))"))]
        pub labels: BTreeMap<String, i32>,
        #[x_kube(validation = Rule::new("self.part.lines.all(line, line != '')"))]
        pub nested: Nested,
        pub texts: Texts,
    }

    #[derive(Clone, Debug, Deserialize, Serialize, KubeSchema)]
    #[x_kube(validation = Rule::new("self.size == oldSelf.size"))]
    pub struct Part {
        pub name: String,
        pub size: i32,
    }

    #[derive(Clone, Debug, Deserialize, Serialize, KubeSchema)]
    pub struct Nested {
        pub part: Lines,
    }

    #[derive(Clone, Debug, Deserialize, Serialize, KubeSchema)]
    pub struct Lines {
        #[schemars(length(max = 16))]
        pub lines: Vec<String>,
    }

    #[derive(Clone, Debug, Deserialize, Serialize, KubeSchema, genclient::CrdSchema)]
    pub struct Texts {
        #[crd(max_properties = 10)]
        #[crd(values(max_length = 16))]
        #[x_kube(validation = Rule::new("self.all(key, text, text.matches('^a'))"))]
        pub texts: BTreeMap<String, String>,
    }

    fn open(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "x-kubernetes-preserve-unknown-fields": true })
    }
}
