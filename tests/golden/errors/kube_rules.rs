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
        pub anything: Value,
        #[schemars(length(max = 8))]
        pub parts: Vec<Part>,
        #[x_kube(validation = Rule::new("self == oldSelf"))]
        pub untyped: Value,
        #[x_kube(validation = Rule::new("self == oldSelf"))]
        #[schemars(schema_with = "open")]
        pub opened: Value,
        #[x_kube(validation = Rule::new("self.all(a, self.exists(b, a == b))"))]
        pub numbers: Vec<i32>,
        #[schemars(length(max = 8))]
        #[x_kube(validation = Rule::new("self.all(word, word.contains(word))"))]
        pub words: Vec<String>,
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
        pub lines: Vec<String>,
    }

    #[derive(Clone, Debug, Deserialize, Serialize, KubeSchema)]
    pub struct Texts {
        #[schemars(extend("maxProperties" = 10))]
        #[x_kube(validation = Rule::new("self.all(key, text, text.matches('^a'))"))]
        pub texts: BTreeMap<String, String>,
    }

    fn open(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "x-kubernetes-preserve-unknown-fields": true })
    }
}
