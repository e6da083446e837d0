//! Attributes of schemars: constraints, `with`, `schema_with`, `extend`, `required` and `skip`.

pub mod v1 {
    use kube::CustomResource;
    use schemars::JsonSchema;
    use serde::{Deserialize, Serialize};

    #[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
    #[kube(group = "schemars.example.com", version = "v1", kind = "Form")]
    #[schemars(title = "A form", extend("minProperties" = 1))]
    pub struct FormSpec {
        #[schemars(length(min = 1, max = 63), regex(pattern = "^[a-z]+$"))]
        pub name: String,
        #[schemars(length(equal = 2))]
        pub pair: Vec<String>,
        #[schemars(range(min = -1, max = u16::MAX))]
        pub level: i32,
        #[schemars(inner(length(min = 1), pattern("^a")))]
        pub words: Vec<String>,
        #[schemars(email)]
        pub mail: String,
        #[schemars(url, description = "Where it is.")]
        pub page: String,
        #[schemars(ip)]
        pub address: String,
        #[schemars(contains("."), example = &"a.b")]
        pub dotted: String,
        #[schemars(required)]
        #[serde(skip_serializing_if = "Option::is_none")]
        pub needed: Option<String>,
        #[schemars(with = "String")]
        pub secret: Secret,
        #[schemars(skip)]
        #[serde(default)]
        pub hidden: bool,
        #[schemars(extend("x-kubernetes-validations" = [{ "rule": "self == oldSelf", "message": "it stays" }]))]
        pub fixed: String,
        #[schemars(extend("enum" = ["a", "b"], "default" = "a", "x-unknown" = 1))]
        pub choice: String,
        #[schemars(length(max = 3))]
        pub named: Name,
        #[schemars(extend("maxProperties" = 4))]
        pub sizes: std::collections::BTreeMap<String, i32>,
        #[schemars(schema_with = "open")]
        pub open: serde_json::Value,
    }

    fn open(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true })
    }

    /// Alias of a string.
    pub type Name = String;

    /// Type with hand-written serde implementations and without a schema.
    #[derive(Clone, Debug)]
    pub struct Secret(pub String);

    impl Serialize for Secret {
        fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
            self.0.serialize(to)
        }
    }

    impl<'de> Deserialize<'de> for Secret {
        fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
            String::deserialize(from).map(Self)
        }
    }
}
