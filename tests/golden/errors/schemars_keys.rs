//! schemars attributes with run-time values, names other than serde's, or unknown keywords.

pub mod v1 {
    #[derive(kube::CustomResource, Deserialize, Serialize, JsonSchema)]
    #[kube(group = "a.example.com", version = "v1", kind = "Form")]
    #[schemars(rename_all = "camelCase")]
    pub struct FormSpec {
        #[schemars(schema_with = "made")]
        pub a: String,
        #[schemars(transform = made)]
        pub b: String,
        #[schemars(rename = "d")]
        pub c: String,
        #[schemars(range(min = LEAST))]
        pub e: i32,
        #[schemars(extend("x-kubernetes-list-typ" = "set", "maxLengt" = 1))]
        pub f: String,
        #[schemars(extend("maxLength" = "1", "default" = made()))]
        pub g: String,
        #[schemars(regex(pattern = EXPRESSION))]
        pub h: String,
        #[schemars(range(min = 5, max = 2))]
        pub i: i32,
        #[validate(range(min = 5, max = 2))]
        pub j: i32,
        #[garde(length(min = 5, max = 2))]
        pub k: String,
        #[schemars(inner(length(min = 5, max = 2)))]
        pub l: Vec<String>,
        #[schemars(length(min = 5))]
        #[validate(length(max = 2))]
        pub m: Vec<String>,
        #[schemars(extend("minimum" = 5, "maximum" = 2))]
        pub n: i32,
    }

    fn made(generator: &mut SchemaGenerator) -> Schema {
        match generator.settings().untagged_enum_variant_titles {
            true => generator.subschema_for::<String>(),
            false => generator.subschema_for::<u8>(),
        }
    }
}
