pub mod v1 {
    use std::collections::BTreeSet;

    use genclient::prelude::*;

    #[genclient]
    #[group = "errors.example.com"]
    pub struct Widget {
        pub metadata: ObjectMeta,
        pub spec: WidgetSpec,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct WidgetSpec {
        pub float: Vec<f32>,
        #[crd(type = "number")]
        pub meant: f64,
        pub template: ObjectMeta,
        #[crd(embedded_metadata)]
        pub kept: Option<ObjectMeta>,
        #[crd(embedded_metadata)]
        pub no_metadata: Inner,
        pub internal: Internal,
        pub nulls: BTreeSet<Option<String>>,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Inner {
        pub a: String,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[crd(skip)]
    pub struct Internal {
        pub a: String,
    }
}
