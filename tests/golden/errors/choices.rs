pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "errors.example.com"]
    pub struct Widget {
        pub metadata: ObjectMeta,
        pub spec: WidgetSpec,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(rename_all = "camelCase")]
    #[crd(exactly_one_of = ["configmap", "secret"])]
    #[crd(at_most_one_of = ["always", "null", "defaulted"])]
    #[crd(at_least_one_of = ["secret", "secret", "nothing"])]
    #[crd(at_least_one_of = ["secret", "$ref"])]
    pub struct WidgetSpec {
        #[serde(skip_serializing_if = "Option::is_none")]
        pub config_map: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub secret: Option<String>,
        pub always: String,
        pub null: Option<String>,
        #[crd(default = "a")]
        pub defaulted: String,
        #[serde(rename = "$ref")]
        #[crd(immutable)]
        pub reference: Option<String>,
    }
}
