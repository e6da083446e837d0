pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "errors.example.com"]
    #[crd(at_most_one_of = ["names", "spec"])]
    pub struct Widget {
        pub metadata: ObjectMeta,
        pub spec: Option<WidgetSpec>,
        #[serde(default)]
        pub names: Option<Vec<String>>,
        #[serde(default)]
        pub skips: SkipsNone,
    }

    #[serde_with::skip_serializing_none]
    #[derive(Clone, Debug, Default, Serialize, Deserialize, CrdSchema)]
    #[crd(at_most_one_of = ["none", "empty"])]
    pub struct SkipsNone {
        pub none: Option<String>,
        #[serde(default)]
        pub empty: Option<Vec<String>>,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(rename_all = "camelCase")]
    #[crd(exactly_one_of = ["configMap", "secret"])]
    #[crd(at_most_one_of = ["always", "null", "defaulted"])]
    #[crd(at_least_one_of = ["secret", "configMap"])]
    #[crd(at_least_one_of = ["secret", "ref"])]
    pub struct WidgetSpec {
        #[serde(skip_serializing_if = "Option::is_none")]
        pub config_map: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub secret: Option<String>,
        pub always: Option<String>,
        pub null: Option<String>,
        pub defaulted: Option<String>,
        #[serde(rename = "ref")]
        #[crd(immutable)]
        pub reference: Option<String>,
    }
}
