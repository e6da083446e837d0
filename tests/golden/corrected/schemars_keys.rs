//! schemars attributes with literal values, serde's names and known keywords.

pub mod v1 {
    #[derive(kube::CustomResource, Deserialize, Serialize, JsonSchema, CrdSchema)]
    #[kube(group = "a.example.com", version = "v1", kind = "Form")]
    #[serde(rename_all = "camelCase")]
    pub struct FormSpec {
        #[schemars(schema_with = "made")]
        pub a: String,
        #[crd(schema = { "type": "string" })]
        #[schemars(transform = made)]
        pub b: String,
        #[serde(rename = "d")]
        pub c: String,
        #[schemars(range(min = 1))]
        pub e: i32,
        #[schemars(extend("x-kubernetes-list-type" = "set", "maxLength" = 1))]
        pub f: String,
        #[schemars(extend("maxLength" = 1, "default" = "a"))]
        pub g: String,
        #[schemars(regex(pattern = "^[a-z]+$"))]
        pub h: String,
        #[schemars(range(min = 2, max = 5))]
        pub i: i32,
        #[validate(range(min = 2, max = 5))]
        pub j: i32,
        #[garde(length(min = 2, max = 5))]
        pub k: String,
        #[schemars(inner(length(min = 2, max = 5)))]
        pub l: Vec<String>,
        #[schemars(length(min = 2))]
        #[validate(length(max = 5))]
        pub m: Vec<String>,
        #[schemars(extend("minimum" = 2, "maximum" = 5))]
        pub n: i32,
    }

    fn made(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string" })
    }
}
