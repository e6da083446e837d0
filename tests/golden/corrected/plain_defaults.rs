//! Fields with `#[serde(default)]` that are written back with a value the API server accepts.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "example.com"]
    pub struct Thing {
        pub metadata: ObjectMeta,
        pub spec: ThingSpec,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct ThingSpec {
        #[serde(default)]
        #[crd(minimum = 1)]
        pub amount: Option<i32>,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        #[crd(min_length = 1)]
        pub name: String,
        #[serde(default)]
        #[crd(default = { "list": ["a"] })]
        pub inner: Inner,
        /// Omitted if empty, so never sent with an invalid value.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        #[crd(min_length = 1)]
        pub left_out: String,
        /// Defaulted by the API server.
        #[serde(default)]
        #[crd(minimum = 1, default = 1)]
        pub filled_in: i32,
        /// Required, so never absent.
        #[serde(default)]
        #[crd(minimum = 1, required)]
        pub always: i32,
    }

    #[derive(Clone, Debug, Default, Serialize, Deserialize, CrdSchema)]
    pub struct Inner {
        #[crd(min_items = 1)]
        pub list: Vec<String>,
    }
}
